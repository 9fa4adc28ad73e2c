// A body that comes piece by piece for a long time. A web stream does dozens of steps for each piece, which for ten who
// follow a run was a quarter of what the server did; so whoever sends the body may take its pieces without them.

export type Pieces = {
  /** Null where there is nothing now. */
  readonly take: () => Uint8Array | null;
  /** Is called whenever there is more. */
  readonly whenMore: (more: () => void) => void;
  /** Nothing more is taken, or is to be. It may be called again. */
  readonly end: () => void;
  readonly isOver: () => boolean;
};

/** The same as a web stream, for whoever reads it as one. */
export class PieceStream extends ReadableStream<Uint8Array> {
  readonly pieces: Pieces;

  constructor(pieces: Pieces) {
    let wake: () => void = () => undefined;
    super(
      {
        start: () => pieces.whenMore(() => wake()),
        async pull(controller) {
          for (;;) {
            const bytes = pieces.take();
            if (bytes !== null) return controller.enqueue(bytes);
            if (pieces.isOver()) return controller.close();
            await new Promise<void>((go) => {
              wake = go;
            });
          }
        },
        cancel: () => pieces.end(),
      },
      { highWaterMark: 0 },
    );
    this.pieces = pieces;
  }
}
