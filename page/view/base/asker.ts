// One answer, kept as new as its news say: asked for at once, again when there is news, and by itself as long as the
// server is away.
import { SourceError } from './source.ts';

export type Answer<T> = { readonly value: T | null; readonly error: SourceError | null; readonly busy: boolean };

/** One commit makes several pieces of news, which come together. */
const SETTLE_MS = 200;
/** Nothing is asked more often than this, however fast the news come. */
const LEAST_MS = 1_000;
/** After the first failure so long until the next try, then twice as long each time. */
const RETRY_MS = 2_000;
const MOST_RETRY_MS = 30_000;

export class Asker<T> {
  readonly #ask: (signal: AbortSignal) => Promise<T>;
  readonly #show: (answer: Answer<T>) => void;
  readonly #leastMs: number;
  readonly #control = new AbortController();
  #answer: Answer<T> = { value: null, error: null, busy: true };
  #asking = false;
  #wanted = false;
  #askedMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #dueMs: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: (signal: AbortSignal) => Promise<T>, show: (answer: Answer<T>) => void, leastMs = LEAST_MS) {
    this.#ask = ask;
    this.#show = show;
    this.#leastMs = leastMs;
  }

  /** A request on its way goes on: fast news would else never let an answer come. */
  news(): void {
    if (this.#asking) this.#wanted = true;
    else this.#in(Math.max(SETTLE_MS, this.#askedMs + this.#leastMs - performance.now()));
  }

  /** Everything answers again. */
  back(): void {
    if (this.#answer.error?.kind === 'away') void this.ask();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#control.abort();
  }

  /** Asks now, or soon after the request that is on its way. */
  async ask(): Promise<void> {
    if (this.#asking) {
      [this.#wanted, this.#askedMs] = [true, Number.NEGATIVE_INFINITY];
      return;
    }
    clearTimeout(this.#timer);
    [this.#dueMs, this.#asking, this.#wanted, this.#askedMs] = [null, true, false, performance.now()];
    this.#answerWith({ ...this.#answer, busy: true });
    try {
      const value = await this.#ask(this.#control.signal);
      this.#failures = 0;
      this.#answerWith({ value, error: null, busy: false });
    } catch (error) {
      const failure = error instanceof SourceError ? error : new SourceError('away', String(error));
      if (failure.kind === 'away') this.#failures += 1;
      this.#answerWith({ ...this.#answer, error: failure, busy: false });
    }
    this.#asking = false;
    if (this.#control.signal.aborted) return;
    if (this.#answer.error?.kind === 'away') this.#in(Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** (this.#failures - 1)));
    if (this.#wanted) this.news();
  }

  /** An earlier date stays. */
  #in(waitMs: number): void {
    const dueMs = performance.now() + waitMs;
    if (this.#dueMs !== null && this.#dueMs <= dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => void this.ask(), waitMs);
  }

  #answerWith(answer: Answer<T>): void {
    if (this.#control.signal.aborted) return;
    this.#answer = answer;
    this.#show(answer);
  }
}
