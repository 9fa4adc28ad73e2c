// The output of a candidate's process: frames on stdout and text on stderr, both under byte caps, and JSON read
// strictly because untrusted code made it.
import type { Json } from '../../../evolution/types.ts';
import { createFrameReader, type Frame, HEAD_BYTES } from '../contract/frames.ts';
import { parseStrictJson } from '../contract/strict-json.ts';
import { Claims, MOST_FACTS, MOST_FACTS_BYTES } from '../contract/claims.ts';

const TAIL_BYTES = 8 * 1024;
const MIN_LOG_BYTES = 4 * 1024 * 1024;

type Allowance = {
  /** All bytes of frames, whatever their kind, in units of the largest solution. */
  readonly caps: number;
  readonly frames: number;
};
/** Checkpoints and the solution. The runner itself stops its checkpoints at 3 caps and at 10,000. */
const SOLUTION: Allowance = { caps: 5, frames: 20_000 };
/** All answers and questions of a program that is called, which are one at a time and each under the cap. */
const CONVERSATION: Allowance = { caps: 64, frames: 2_000_000 };

/** The last bytes of a stream, at a cost that does not depend on how it is cut into chunks. */
const createTail = (): { add(chunk: Buffer): void; bytes(): Buffer } => {
  let parts: Buffer[] = [];
  let held = 0;
  const bytes = (): Buffer => {
    const tail = Buffer.concat(parts).subarray(-TAIL_BYTES);
    [parts, held] = [[tail], tail.length];
    return tail;
  };
  return {
    bytes,
    add: (chunk) => {
      // A copy: the chunk may be a view into a much larger buffer.
      parts.push(Buffer.from(chunk.subarray(-TAIL_BYTES)));
      held += Math.min(chunk.length, TAIL_BYTES);
      if (held > 4 * TAIL_BYTES) bytes();
    },
  };
};

/** The number of result frames, and their form. */
export type ResultFrame = 'none' | 'one' | 'several' | 'malformed';

const attempt = (payload: Buffer): { value: Json | undefined; refusal: string | null } => {
  try {
    return { value: parseStrictJson(payload), refusal: null };
  } catch (error) {
    return { value: undefined, refusal: (error as Error).message.slice(0, 200) };
  }
};

/** A cap is passed when there are too many bytes or frames; nothing that comes after that is read. */
export class CandidateOutput {
  readonly ready: Promise<void>;
  /** Resolves when the runner has said all. This is as much a claim as the exit code, which the program decides too. */
  readonly done: Promise<void>;
  /** Is set by the run that uses the process, and called once when a cap is passed. */
  onCap: () => void = () => undefined;
  readonly #outputBytes: number;
  readonly #setReady: () => void;
  readonly #setDone: () => void;
  readonly #tail = createTail();
  #loadTail: string | undefined;
  readonly #reader: ReturnType<typeof createFrameReader>;
  #allowed = SOLUTION;
  #onMessage: ((frame: Frame) => void) | undefined;
  #isOverCap = false;
  #isStopped = false;
  #isGreeted = false;
  #isMalformed = false;
  #memoryError = false;
  #results = 0;
  #result: Buffer | undefined;
  readonly #claims = new Claims();
  #facts = 0;
  #frames = 0;
  #stdoutBytes = 0;
  #stderrBytes = 0;

  constructor(outputBytes: number) {
    this.#outputBytes = outputBytes;
    ({ promise: this.ready, resolve: this.#setReady } = Promise.withResolvers<void>());
    ({ promise: this.done, resolve: this.#setDone } = Promise.withResolvers<void>());
    this.#reader = createFrameReader({
      maxPayloadBytes: outputBytes,
      onFrame: (frame) => this.#onFrame(frame),
      onOversize: () => this.#passCap(),
    });
  }

  readonly onStdout = (chunk: Buffer): void => {
    this.#stdoutBytes += chunk.length;
    if (this.#isRead()) this.#reader.add(chunk);
  };

  readonly onStderr = (chunk: Buffer): void => {
    this.#stderrBytes += chunk.length;
    if (this.#isRead()) this.#tail.add(chunk);
  };

  /**
   * From now on frames are messages of a conversation, of any kind. Each is under the cap, and their sum is allowed to
   * be more, because the evaluator asks for every one of them.
   */
  converse(onMessage: (frame: Frame) => void): void {
    this.#onMessage = onMessage;
    this.#allowed = CONVERSATION;
  }

  /** Nothing that comes from now on is read. */
  stop(): void {
    this.#isStopped = true;
  }

  capFired(): boolean {
    return this.#isOverCap;
  }

  /** `memoryError`: the runner said that an uncaught MemoryError ended the program. */
  result(): {
    readonly frame: ResultFrame;
    readonly solution: Json | undefined;
    readonly refusal: string | null;
    readonly memoryError: boolean;
  } {
    const { value, refusal } = this.#result ? attempt(this.#result) : { value: undefined, refusal: null };
    const frame = this.#frameOf(refusal);
    return { frame, solution: frame === 'one' ? value : undefined, refusal, memoryError: this.#memoryError };
  }

  /** The last complete checkpoint, when it is well-formed. */
  checkpoint(): Json | undefined {
    const last = this.#claims.last();
    return last && attempt(last).value;
  }

  /** Where its time went, and what it saved, by its own word. */
  get claims(): Pick<Claims, 'profile' | 'saves'> {
    return this.#claims;
  }

  stderrTail(): string {
    return this.#tail.bytes().toString('utf8');
  }

  /** The program is loaded, and nothing has been asked of it. */
  markLoaded(): void {
    this.#loadTail = this.stderrTail();
  }

  /** What it had printed until it was loaded; undefined where it is not called. */
  loadTail(): string | undefined {
    return this.#loadTail;
  }

  truncated(): boolean {
    return this.#isOverCap || this.#stderrBytes > TAIL_BYTES;
  }

  #passCap(): void {
    if (this.#isOverCap) return;
    this.#isOverCap = true;
    this.onCap();
  }

  #isRead(): boolean {
    const { caps, frames } = this.#allowed;
    if (this.#stdoutBytes > this.#outputBytes * caps || this.#frames > frames) this.#passCap();
    if (this.#stderrBytes > Math.max(this.#outputBytes, MIN_LOG_BYTES)) this.#passCap();
    return !this.#isOverCap && !this.#isStopped;
  }

  #onFrame({ kind, payload }: Frame): void {
    if (kind === 'F' && payload.length <= MOST_FACTS_BYTES && (this.#facts += 1) <= MOST_FACTS) {
      // They come beside what a program writes, and use up nothing of what it may write.
      this.#stdoutBytes -= HEAD_BYTES + payload.length;
      return this.#claims.onFacts(payload);
    }
    this.#frames += 1;
    if (!this.#isRead()) return;
    if (kind === 'R' && !this.#isGreeted) {
      this.#isGreeted = true;
      return this.#setReady();
    }
    if (kind === 'M') this.#memoryError = true;
    else if (this.#onMessage) this.#onMessage({ kind, payload });
    else if (kind === 'D') this.#setDone();
    else if (kind === 'C') this.#claims.onCheckpoint(payload);
    else if (kind === 'S') {
      this.#results += 1;
      this.#result ??= payload;
    } else this.#isMalformed = true;
  }

  #frameOf(refusal: string | null): ResultFrame {
    if (this.#isMalformed || (this.#results === 1 && (refusal !== null || this.#reader.held() > 0))) return 'malformed';
    return this.#results === 0 ? 'none' : this.#results === 1 ? 'one' : 'several';
  }
}
