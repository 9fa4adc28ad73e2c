// What comes out of a candidate's process: frames on stdout and text on stderr, both under byte caps, and JSON read
// strictly because untrusted code made it.
import type { Json } from '../../../evolution/types.ts';
import { createFrameReader, type Frame } from '../contract/frames.ts';

const MAX_DEPTH = 4;

const countKeys = (value: unknown, depth: number): number => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('expected finite numbers');
  if (value === null || typeof value !== 'object') return 0;
  if (depth >= MAX_DEPTH) throw new Error(`expected at most ${MAX_DEPTH} levels of nesting`);
  let keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const item of Object.values(value)) keys += countKeys(item, depth + 1);
  return keys;
};

/**
 * Counts the strings of a valid JSON text that are followed by a colon: every key that was written, repeated ones
 * included.
 */
const writtenKeys = (text: string): number => {
  let keys = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (match[1] !== undefined) keys += 1;
  return keys;
};

/**
 * Returns the value (finite numbers, no repeated keys, bounded depth) or throws what is wrong. Bytes that are not UTF-8
 * are refused.
 */
export const parseStrictJson = (payload: Uint8Array): Json => {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
  const value = JSON.parse(text) as Json;
  if (countKeys(value, 0) !== writtenKeys(text)) throw new Error('expected every key once');
  return value;
};

const TAIL_BYTES = 8 * 1024;
/** Checkpoints and the solution together. The runner itself stops its checkpoints at 3 caps. */
const TOTAL_FRAMES_OF_CAP = 5;
const MIN_LOG_BYTES = 4 * 1024 * 1024;

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
   * From now on frames are messages of a conversation. Each is under the cap but their sum is not, because the
   * evaluator asks for every one of them.
   */
  converse(onMessage: (frame: Frame) => void): void;
  capFired(): boolean;
  result(): { readonly frame: ResultFrame; readonly solution: Json | undefined; readonly refusal: string | null };
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
  let results = 0;
  let malformed = false;
  let result: Buffer | undefined;
  let checkpoint: Buffer | undefined;
  let tail = Buffer.alloc(0);
  let stdoutBytes = 0;
  let stderrBytes = 0;
  let onMessage: ((frame: Frame) => void) | undefined;
  const output = { onCap: (): void => undefined };
  const fire = (): void => {
    if (fired) return;
    fired = true;
    output.onCap();
  };
  const onFrame = ({ kind, payload }: Frame): void => {
    if (kind === 'R') return setReady();
    if (onMessage) return onMessage({ kind, payload });
    if (kind === 'D') setDone();
    else if (kind === 'C') checkpoint = payload;
    else if (kind === 'S') {
      results += 1;
      result ??= payload;
    } else malformed = true;
  };
  const read = createFrameReader({ maxPayloadBytes: outputBytes, onFrame, onOversize: fire });
  const frameOf = (refusal: string | null): ResultFrame => {
    if (malformed || (results === 1 && refusal !== null)) return 'malformed';
    return results === 0 ? 'none' : results === 1 ? 'one' : 'several';
  };
  return Object.assign(output, {
    ready,
    done,
    converse: (handler: (frame: Frame) => void): void => {
      onMessage = handler;
    },
    onStdout: (chunk: Buffer): void => {
      stdoutBytes += chunk.length;
      if (!onMessage && stdoutBytes > outputBytes * TOTAL_FRAMES_OF_CAP) return fire();
      if (!fired) read(chunk);
    },
    onStderr: (chunk: Buffer): void => {
      stderrBytes += chunk.length;
      if (stderrBytes > Math.max(outputBytes, MIN_LOG_BYTES)) fire();
      tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
    },
    capFired: () => fired,
    result: () => {
      const { value, refusal } = result ? attempt(result) : { value: undefined, refusal: null };
      const frame = frameOf(refusal);
      return { frame, solution: frame === 'one' ? value : undefined, refusal };
    },
    checkpoint: () => (checkpoint ? attempt(checkpoint).value : undefined),
    stderrTail: () => tail.toString('utf8'),
    truncated: () => fired || stderrBytes > TAIL_BYTES,
  });
};
