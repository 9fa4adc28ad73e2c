// Messages to and from a program that answers calls, strictly one at a time. Anything else ends the program.
import type { Awake, Confined } from '../contract/confined.ts';
import { encodeFrame, type Frame } from '../contract/frames.ts';
import type { Conversation, Models } from '../contract/types.ts';
import type { CandidateOutput } from './candidate-output.ts';

type Parts = {
  readonly confined: Confined;
  readonly output: CandidateOutput;
  readonly kill: () => void;
  /** Answers what the evaluator beside the program asks a model (G); left out where it may not. */
  readonly models?: Models | undefined;
  readonly signal: AbortSignal;
};

/** The requests of a message; null where it is malformed. */
const requestsIn = (payload: Buffer): readonly string[] | null => {
  try {
    const read: unknown = JSON.parse(payload.toString('utf8'));
    return Array.isArray(read) && read.every((one) => typeof one === 'string') ? read : null;
  } catch {
    return null;
  }
};

/** The program sends a message only after it was asked: first when it has loaded, then once after each message. */
export class HeldConversation implements Conversation {
  readonly #confined: Confined;
  readonly #output: CandidateOutput;
  readonly #killProcess: () => void;
  readonly #models: Models | undefined;
  readonly #signal: AbortSignal;
  #failure: unknown;
  #paused = 0;
  #askedAt: number | null = null;
  #why: Parameters<Conversation['kill']>[0] | null = null;
  #isExpected = true;
  #arrived: Frame | undefined;
  #isOver = false;
  #waiting: ((frame: Frame | null) => void) | undefined;

  constructor({ confined, output, kill, models, signal }: Parts) {
    this.#models = models;
    this.#signal = signal;
    this.#confined = confined;
    this.#output = output;
    this.#killProcess = kill;
    output.converse((frame) => this.#onMessage(frame));
    void confined.ended.then(() => {
      this.#isOver = true;
      this.#answer(null);
    });
  }

  /** The reason for which the host ended the program, if it did. */
  get why(): Parameters<Conversation['kill']>[0] | null {
    return this.#why;
  }

  /** The error for which no model could be asked; it says nothing about the program. */
  get failure(): unknown {
    return this.#failure;
  }

  /** It is not the program's turn. */
  get isIdle(): boolean {
    return !this.#isExpected;
  }

  send(kind: 'Q' | 'P', payload: Buffer): void {
    this.#isExpected = true;
    this.#confined.send(encodeFrame(kind, payload));
  }

  async next(): Promise<Frame | null> {
    const frame = this.#arrived ?? null;
    this.#arrived = undefined;
    if (frame !== null || this.#isOver) return frame;
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** A use that is only known now and then would not tell the time of one call. */
  cpuMs(): number | null {
    return this.#confined.sample ? null : this.#confined.use().cpuMs;
  }

  awake(): Awake {
    return this.#confined.awake?.() ?? null;
  }

  pausedMs(): number {
    return this.#paused + (this.#askedAt === null ? 0 : performance.now() - this.#askedAt);
  }

  kill(why: Parameters<Conversation['kill']>[0]): void {
    this.#why ??= why;
    this.#output.stop();
    this.#killProcess();
  }

  #onMessage(frame: Frame): void {
    if (this.#why !== null) return;
    if (!this.#isExpected) return this.kill('invalid_output');
    this.#isExpected = false;
    if (frame.kind === 'G' && this.#models !== undefined) void this.#ask(this.#models, frame.payload);
    else if (this.#waiting) this.#answer(frame);
    else this.#arrived = frame;
  }

  async #ask(models: Models, payload: Buffer): Promise<void> {
    const requests = requestsIn(payload);
    if (requests === null) return this.kill('invalid_output');
    this.#askedAt = performance.now();
    try {
      const replies = await models.answer(requests, this.#signal);
      if (!this.#isOver) this.send('P', Buffer.from(JSON.stringify(replies)));
    } catch (error) {
      this.#failure = error;
      this.kill('invalid_output');
    } finally {
      this.#paused = this.pausedMs();
      this.#askedAt = null;
    }
  }

  #answer(frame: Frame | null): void {
    this.#waiting?.(frame);
    this.#waiting = undefined;
  }
}
