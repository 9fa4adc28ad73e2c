// The display of something that is watched: a block redrawn in place on a terminal, plain lines elsewhere.
import { liveBlock } from '../terminal/live.ts';
import { lineTo } from '../terminal/output.ts';

/** Shows states as they come. `end` leaves the display as it is. */
export type Display<State> = {
  readonly show: (state: State) => void;
  readonly waiting: (text: string) => void;
  readonly end: () => void;
};

/** The two forms of a state. A line is printed where its key is another one than before. */
export type Form<State> = {
  readonly block: (state: State, columns: number, rows: number) => readonly string[];
  readonly line: (state: State) => string;
  readonly key: (state: State) => string;
};

const EVERY_MS = 15_000;

/** Prints a state when its key has changed, and at least once in this time. */
export class LineDisplay<State> implements Display<State> {
  readonly #write: (state: State) => void;
  readonly #say: (text: string) => void;
  readonly #key: (state: State) => string;
  readonly #everyMs: number;
  #last = '';
  #atMs = 0;

  constructor(
    write: (state: State) => void,
    say: (text: string) => void,
    key: (state: State) => string,
    everyMs = EVERY_MS,
  ) {
    this.#write = write;
    this.#say = say;
    this.#key = key;
    this.#everyMs = everyMs;
  }

  show(state: State): void {
    if (this.#isDue(this.#key(state))) this.#write(state);
  }

  waiting(text: string): void {
    if (this.#isDue(`waiting ${text}`)) this.#say(`waiting for ${text}`);
  }

  end(): void {}

  #isDue(key: string): boolean {
    if (key === this.#last && Date.now() - this.#atMs < this.#everyMs) return false;
    this.#last = key;
    this.#atMs = Date.now();
    return true;
  }
}

export const displayOn = <State>(
  stream: NodeJS.WriteStream,
  env: NodeJS.ProcessEnv,
  { block, line, key }: Form<State>,
): Display<State> => {
  const say = (text: string): void => lineTo(stream, text);
  if (!stream.isTTY || env['TERM'] === 'dumb') return new LineDisplay((state) => say(line(state)), say, key);
  const live = liveBlock(stream);
  return {
    show: (state) => live.draw((columns, rows) => block(state, columns, rows)),
    waiting: (text) => live.draw(() => [`waiting for ${text}`]),
    end: live.end,
  };
};

/** Does the work with a signal that Ctrl-C and SIGTERM abort. */
export const interruptible = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    return await work(abort.signal);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
};
