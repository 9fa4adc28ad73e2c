// A body that is made as fast as it is taken.

/** `gone` is aborted when nobody reads any more. */
export const streamOf = (
  make: (gone: AbortSignal) => AsyncGenerator<string | Uint8Array>,
): ReadableStream<Uint8Array> => {
  const gone = new AbortController();
  const chunks = make(gone.signal);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(typeof value === 'string' ? Buffer.from(value) : value);
      },
      async cancel() {
        gone.abort();
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
};
