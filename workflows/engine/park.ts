// To park is to wait and not to fail: a phase whose retries are exhausted waits for a person, or for its own slow
// retry.
import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  isCancellation,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { NO_VALID_START } from '../../evolution/first-step.ts';
import { causesOf, rootOf } from '../../evolution/root-cause.ts';
import type { Parked } from '../../evolution/run-states.ts';
import { cut } from './telling.ts';

const LONGEST = 900;

/** The reason of a parked phase for people, in one line: the words of the activity that failed, else the first cause. */
export const explain = (error: unknown): string => {
  const cause = spoken(error) ?? rootOf(error);
  const head = error instanceof ActivityFailure ? `${error.activityType}: ` : '';
  const kind =
    cause instanceof ApplicationFailure && cause.type
      ? `${cause.type}: `
      : cause instanceof TimeoutFailure
        ? 'timeout: '
        : '';
  return cut(`${head}${kind}${cause.message}`, LONGEST);
};

/**
 * The outermost failure with words of its own. What wraps it only says that something failed, and what it wraps is a
 * detail of a library.
 */
const spoken = (error: unknown): Error | undefined =>
  causesOf(error).find((cause) => cause instanceof ApplicationFailure || cause instanceof TimeoutFailure);

/** A parked phase goes on like this where nobody does anything, by its reason (`explain`). */
export const withoutPerson = (attention: string): string =>
  saysType(UNANSWERED, attention)
    ? 'It waits for a person, because each sending may be billed.'
    : saysType(NO_VALID_START, attention)
      ? 'It waits for a person, because the same task would fail again.'
      : REFUSED_UPDATE.some((type) => saysType(type, attention))
        ? 'It waits for a person, because the same update would be refused again: other settings of `learning` let it try again, and `learning.on: false` goes on with the policy as it is.'
        : 'It tries again by itself, more and more slowly.';

/** The type of a failure of an update that no trainer took. */
export const NO_TRAINER = 'NoTrainer';
/** The type of a failure of an update whose loss or weights are no numbers. */
export const NOT_FINITE = 'NotFinite';
/**
 * Failures by which a trainer refuses an update for good. Another try could be paid for each time, and would
 * end alike.
 */
export const REFUSED_UPDATE: readonly string[] = ['BadBatch', 'WrongBase', NOT_FINITE];
/** The type of a failure after which nothing is sent again by itself. */
const UNANSWERED = 'Unanswered';
/** The type stands before the words of the failure (`explain`); an endpoint may write it into those. */
const saysType = (type: string, attention: string): boolean => new RegExp(`^(?:[\\w ]+: )*${type}: `).test(attention);

type ParkOptions = {
  /** Is called after what is parked, or what is to be told of it, has changed. Its promise never rejects. */
  readonly onChange: () => void | Promise<void>;
  /** The first wait before a phase tries again by itself; it doubles up to sixteen times this. */
  readonly slowRetryMs: number;
};

type ParkedPhase = {
  readonly why: string;
  readonly sinceMs: number;
  readonly tries: number;
  readonly nextMs: number | null;
  readonly trying: boolean;
};

/** The part of a park that work needs to run its phases. */
export type Phases = Pick<Park, 'phase'>;

/** Runs phases that are parts of one phase, which parks as a whole. */
export const WITHOUT_PARKING: Phases = { phase: (_name, work) => work(0) };

/** Runs phases, parks those that fail, and lets them all go on when it is released. */
export class Park {
  private readonly phases = new Map<string, ParkedPhase>();
  private releases = 0;
  private readonly options: ParkOptions;

  constructor(options: ParkOptions) {
    this.options = options;
  }

  private get first(): ParkedPhase | null {
    return this.phases.values().next().value ?? null;
  }

  /**
   * The error of the phase that has been parked longest. Hundreds of phases that fail alike are one thing to attend to.
   */
  get attention(): string | null {
    return this.first?.why ?? null;
  }

  /** The times and tries of that phase. It counts as being tried where nothing else waits either. */
  get parked(): Parked | null {
    const { first } = this;
    return (
      first && {
        since: isoTime(first.sinceMs),
        tries: first.tries,
        next: first.nextMs === null ? null : isoTime(first.nextMs),
        trying: [...this.phases.values()].every(({ trying }) => trying),
      }
    );
  }

  /** The number of phases that are parked. */
  get count(): number {
    return this.phases.size;
  }

  /** The number of times that a person asked for a new try. */
  get released(): number {
    return this.releases;
  }

  /** For a person's word to try again now. */
  release(): void {
    this.releases += 1;
  }

  private change(work: () => void): void {
    const { attention, text } = this;
    work();
    if (text !== this.text && (attention !== this.attention || !isLong())) void this.options.onChange();
  }

  private get text(): string {
    return JSON.stringify([this.attention, this.parked]);
  }

  /**
   * Runs `work` until it succeeds. Cancellation and the error types in `except` pass through. A request that stayed
   * without an answer too often is paid for each time, so it waits for a person alone; `work` is then given the number
   * of sendings that the person was told of.
   */
  async phase<T>(name: string, work: (acknowledged: number) => Promise<T>, except: readonly string[] = []): Promise<T> {
    let acknowledged = 0;
    let sinceMs: number | null = null;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const result = await work(acknowledged);
        this.change(() => this.phases.delete(name));
        return result;
      } catch (error) {
        if (isCancellation(error) || passes(error, except)) throw error;
        const seen = this.releases;
        const sendings = unansweredIn(error);
        const alone = sendings !== null || passes(error, [NO_VALID_START, ...REFUSED_UPDATE]);
        const waitMs = this.options.slowRetryMs * 2 ** Math.min(attempt, 4);
        sinceMs ??= Date.now();
        const phase: ParkedPhase = {
          why: explain(error),
          sinceMs,
          tries: attempt + 1,
          nextMs: alone ? null : Date.now() + waitMs,
          trying: false,
        };
        this.change(() => this.phases.set(name, phase));
        if (!alone) await condition(() => this.releases > seen, waitMs);
        else {
          await condition(() => this.releases > seen);
          acknowledged = sendings ?? 0;
        }
        this.change(() => this.phases.set(name, { ...phase, trying: true }));
      }
    }
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

/**
 * In a long history times and tries are no longer told, only what is parked: a phase that is parked for weeks would fill
 * it, and the engine ends what grows too long.
 */
export const isLong = (): boolean => workflowInfo().continueAsNewSuggested;

/** The number of sendings of a request that waits for a person (type Unanswered); null after other failures. */
const unansweredIn = (error: unknown): number | null => {
  const failure = causesOf(error).find((cause) => cause instanceof ApplicationFailure && cause.type === UNANSWERED);
  const sendings: unknown = (failure as ApplicationFailure | undefined)?.details?.[0];
  return typeof sendings === 'number' ? sendings : null;
};

const passes = (error: unknown, types: readonly string[]): boolean =>
  causesOf(error).some((cause) => cause instanceof ApplicationFailure && types.includes(cause.type ?? ''));
