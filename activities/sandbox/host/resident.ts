// A trusted, hardened process that lives long and answers one request at a time: a scorer or a gate. It is started when
// first asked, and again when it dies or hangs. Each answer must repeat the request's nonce.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../../evolution/types.ts';
import type { Awake, Confined, Launcher } from '../contract/confined.ts';
import { allMs, startFairTimer } from '../contract/fair-clock.ts';
import { createFrameReader, encodeRequest, type Frame } from '../contract/frames.ts';
import { InfrastructureError, PAUSED } from '../contract/types.ts';

/** The process died or hung on a request while the engine was well, so the request is the likely cause. */
export class ResidentDied extends Error {
  override readonly name = 'ResidentDied';
}

type AskOptions = {
  /** Gets frames other than the answer, and a way to send to the process meanwhile. */
  readonly onFrame?: (frame: Frame, send: (bytes: Buffer) => void) => void;
  readonly timeoutMs?: number;
  /** CPU of others that work for the answer, in turn with the process. */
  readonly othersMs?: () => number | null;
  /** Time that does not count. */
  readonly pausedMs?: (() => number) | undefined;
};

type ResidentOptions = {
  readonly launcher: Launcher;
  readonly name: string;
  /** Python text that follows resident.py and ends by calling `serve`. */
  readonly source: string;
  /** Is sent once at the start, before any request. Nothing is sent where it is undefined. */
  readonly boot?: unknown;
  readonly timeoutMs: number;
};

const MIB = 1024 * 1024;
const MAX_ANSWER_BYTES = 16 * MIB;
const FRAME = readFileSync(join(import.meta.dirname, '..', 'guest', 'resident.py'), 'utf8');
const TAIL_CHARS = 2_000;

/** A program that it waits for may have the core. */
const stoppedOnly = (awake: Awake | undefined): Awake => (typeof awake === 'string' ? awake : null);

type Live = {
  readonly confined: Confined;
  onFrame: (frame: Frame) => void;
  onBroken: (error: Error) => void;
  stderr: string;
};

export class Resident {
  readonly #options: ResidentOptions;
  #live: Live | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: ResidentOptions) {
    this.#options = options;
  }

  ask(request: unknown, signal: AbortSignal, more: AskOptions = {}): Promise<Json> {
    const turn = this.#tail.then(() => this.#exchange(request, signal, more));
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    const stopped = this.#live;
    this.#live = undefined;
    await stopped?.confined.remove();
  }

  async #start(): Promise<Live> {
    const channel: Omit<Live, 'confined'> = { onFrame: () => undefined, onBroken: () => undefined, stderr: '' };
    const { add: onStdout } = createFrameReader({
      maxPayloadBytes: MAX_ANSWER_BYTES,
      onFrame: (frame) => channel.onFrame(frame),
      onOversize: () =>
        channel.onBroken(
          new ResidentDied(`the ${this.#options.name} answered with more than ${MAX_ANSWER_BYTES} bytes`),
        ),
    });
    const confined = await this.#options.launcher.launch({
      source: `${FRAME}\n${this.#options.source}`,
      args: [],
      limits: { cpuSeconds: null, memoryBytes: 1024 * MIB, pids: 32 },
      run: this.#options.name,
      activity: this.#options.name,
      deadline: null,
      onStdout,
      onStderr: (chunk) => {
        channel.stderr = (channel.stderr + chunk.toString()).slice(-TAIL_CHARS);
      },
    });
    const started = Object.assign(channel, { confined });
    void confined.ended.then((ending) => {
      if (this.#live === started) this.#live = undefined;
      const detail = `exit code ${ending.exitCode}${ending.oom ? ', out of memory' : ''}; ${channel.stderr.trim().slice(-300)}`;
      const lost = ending.lost ?? (!ending.oom && ending.killed ? `it was killed, ${detail}` : null);
      channel.onBroken(
        lost === null
          ? new ResidentDied(`the ${this.#options.name} died: ${detail}`)
          : new InfrastructureError(`the ${this.#options.name} was lost: ${lost}`),
      );
      void confined.remove();
    });
    if (this.#options.boot !== undefined) confined.send(encodeRequest(this.#options.boot));
    this.#live = started;
    return started;
  }

  async #exchange(
    request: unknown,
    signal: AbortSignal,
    { onFrame, timeoutMs = this.#options.timeoutMs, othersMs = () => 0, pausedMs = () => 0 }: AskOptions,
  ): Promise<Json> {
    signal.throwIfAborted();
    const channel = this.#live ?? (await this.#start());
    const nonce = randomBytes(16).toString('hex');
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    channel.onFrame = (frame) => {
      if (frame.kind !== 'A' && onFrame) return onFrame(frame, (bytes) => channel.confined.send(bytes));
      const { payload } = frame;
      try {
        const answer = JSON.parse(payload.toString('utf8')) as { nonce?: string; answer?: Json };
        if (answer.nonce !== nonce || answer.answer === undefined) throw new Error('the nonce differs');
        resolve(answer.answer);
      } catch (error) {
        reject(new ResidentDied(`the ${this.#options.name} gave a malformed answer: ${(error as Error).message}`));
      }
    };
    channel.onBroken = reject;
    const stopClock = startFairTimer({
      limitMs: timeoutMs,
      pausedMs,
      awake: () => stoppedOnly(channel.confined.awake?.()),
      over: (why) =>
        reject(
          why === 'over'
            ? new ResidentDied(`the ${this.#options.name} gave no answer within ${timeoutMs / 1000} s`)
            : new InfrastructureError(PAUSED),
        ),
      cpuMs: () => allMs([channel.confined.use().cpuMs, othersMs()]),
    });
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      channel.confined.send(encodeRequest({ nonce, ask: request }));
      return await promise;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      stopClock();
      signal.removeEventListener('abort', abort);
    }
  }
}
