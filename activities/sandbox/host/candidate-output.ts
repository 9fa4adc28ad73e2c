// What comes out of a candidate's process: frames on stdout and text on stderr, both under byte caps, and JSON read
// strictly because untrusted code made it.
import type { Json } from '../../../evolution/types.ts';
import { createFrameReader, type Frame } from '../contract/frames.ts';
import { parseStrictJson } from '../contract/strict-json.ts';

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

/** How many result frames there were, and of what form. */
export type ResultFrame = 'none' | 'one' | 'several' | 'malformed';

export type CandidateOutput = {
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
  readonly ready: Promise<void>;
  /** Resolves when the runner has said all. This is as much a claim as the exit code, which the program decides too. */
  readonly done: Promise<void>;
  /** Is set by the run that uses the process, and called once when a cap is passed. */
  onCap: () => void;
  /**
   * From now on frames are messages of a conversation, of any kind. Each is under the cap, and their sum is allowed to
   * be more, because the evaluator asks for every one of them.
   */
  converse(onMessage: (frame: Frame) => void): void;
  /** Nothing that comes from now on is read. */
  stop(): void;
  capFired(): boolean;
  result(): {
    readonly frame: ResultFrame;
    readonly solution: Json | undefined;
    readonly refusal: string | null;
    /** Whether the runner said that an uncaught MemoryError ended the program. */
    readonly memoryError: boolean;
  };
  /** The last complete checkpoint, when it is well-formed. */
  checkpoint(): Json | undefined;
  stderrTail(): string;
  truncated(): boolean;
};

const attempt = (payload: Buffer): { value: Json | undefined; refusal: string | null } => {
  try {
    return { value: parseStrictJson(payload), refusal: null };
  } catch (error) {
    return { value: undefined, refusal: (error as Error).message.slice(0, 200) };
  }
};

export const createCandidateOutput = (outputBytes: number): CandidateOutput => {
  const { promise: ready, resolve: setReady } = Promise.withResolvers<void>();
  const { promise: done, resolve: setDone } = Promise.withResolvers<void>();
  let fired = false;
  let stopped = false;
  let results = 0;
  let malformed = false;
  let greeted = false;
  let memoryError = false;
  let result: Buffer | undefined;
  let checkpoint: Buffer | undefined;
  let frames = 0;
  let stdoutBytes = 0;
  let stderrBytes = 0;
  let allowed = SOLUTION;
  const tail = createTail();
  let onMessage: ((frame: Frame) => void) | undefined;
  const output = { onCap: (): void => undefined };
  const fire = (): void => {
    if (fired) return;
    fired = true;
    output.onCap();
  };
  /** Counts what came, and says whether more is wanted. */
  const within = (): boolean => {
    if (stdoutBytes > outputBytes * allowed.caps || frames > allowed.frames) fire();
    if (stderrBytes > Math.max(outputBytes, MIN_LOG_BYTES)) fire();
    return !fired && !stopped;
  };
  const onFrame = ({ kind, payload }: Frame): void => {
    frames += 1;
    if (!within()) return;
    if (kind === 'R' && !greeted) {
      greeted = true;
      return setReady();
    }
    if (kind === 'M') memoryError = true;
    else if (onMessage) onMessage({ kind, payload });
    else if (kind === 'D') setDone();
    else if (kind === 'C') checkpoint = payload;
    else if (kind === 'S') {
      results += 1;
      result ??= payload;
    } else malformed = true;
  };
  const read = createFrameReader({ maxPayloadBytes: outputBytes, onFrame, onOversize: fire });
  const frameOf = (refusal: string | null): ResultFrame => {
    if (malformed || (results === 1 && (refusal !== null || read.held() > 0))) return 'malformed';
    return results === 0 ? 'none' : results === 1 ? 'one' : 'several';
  };
  return Object.assign(output, {
    ready,
    done,
    converse: (handler: (frame: Frame) => void): void => {
      onMessage = handler;
      allowed = CONVERSATION;
    },
    stop: (): void => {
      stopped = true;
    },
    onStdout: (chunk: Buffer): void => {
      stdoutBytes += chunk.length;
      if (within()) read.add(chunk);
    },
    onStderr: (chunk: Buffer): void => {
      stderrBytes += chunk.length;
      if (within()) tail.add(chunk);
    },
    capFired: () => fired,
    result: () => {
      const { value, refusal } = result ? attempt(result) : { value: undefined, refusal: null };
      const frame = frameOf(refusal);
      return { frame, solution: frame === 'one' ? value : undefined, refusal, memoryError };
    },
    checkpoint: () => (checkpoint ? attempt(checkpoint).value : undefined),
    stderrTail: () => tail.bytes().toString('utf8'),
    truncated: () => fired || stderrBytes > TAIL_BYTES,
  });
};
