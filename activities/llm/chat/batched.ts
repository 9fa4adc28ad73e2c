// Activity `generateBatch`: asks for the responses of many groups, side by side. Each answer is stored as it arrives.
// Those that come within some time are reported to the workflow in one message, because each message and each activity
// costs more than a program's own work. Their edits are applied together before.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { msToNumber } from '@temporalio/common/lib/time.js';
import { reportedAtOnce } from '../../../evolution/schedule/stream.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type {
  Applied,
  Generated,
  ModelActivities,
  Outcomes,
  OutcomesOfCall,
  Responses,
  StepRef,
} from '../../interface/step.ts';
import type { Store } from '../../store/store.ts';
import { spacing } from './places.ts';

/** A workflow hears at most so often, */
const PACE_MS = 200;
/** and of an answer at the latest after this time, where others are awaited. */
const LONGEST_MS = 500;
/** What a process that dies may lose of its answers, and pay again; of fast ones several come in it. */
const STORE_MS = 20;
/** In a step, so many answers are reported at once where they come soon after each other. */
const REPORTED_IN_STEP = 8;
/** A failed request is sent again after this time, unless the failure says when: as the first retry of an activity. */
const AGAIN_MS = 500;

type Execution = { readonly workflowId: string; readonly runId: string };

/** Reports outcomes of requests to a workflow. Where that fails, they are reported again. */
export type ReportAnswers = (to: Execution, outcomes: readonly OutcomesOfCall[]) => Promise<void>;

export type BatchDeps = Pick<ModelActivities, 'generate'> &
  Pick<StoreActivities, 'applyResponses'> & {
    readonly report: ReportAnswers;
    /** Settles the bookings of answers that are stored. Left out where each answer does so itself. */
    readonly settle?: () => Promise<void>;
  };

/**
 * The store for batched requests: an answer is stored at once, or with those that come within STORE_MS of the last
 * write, and bookings are settled when the workflow hears of them.
 */
export const storingBatched = (store: Store): { readonly store: Store; readonly settle: () => Promise<void> } => {
  let settled: string[] = [];
  const paced = spacing(STORE_MS);
  return {
    store: {
      ...store,
      async putTexts(texts) {
        await paced();
        return store.putTexts(texts);
      },
      async settleBookings(ids) {
        settled.push(...ids);
      },
    },
    async settle() {
      const ids = settled;
      settled = [];
      // Where it fails, readers find the answers and know that these settle the bookings.
      await store.settleBookings(ids).catch(() => undefined);
    },
  };
};

export const createGenerateBatch = (deps: BatchDeps): Pick<ModelActivities, 'generateBatch'> => {
  const reporters = new Map<string, Reporter>();
  return {
    async generateBatch({ call: name, requests, responses, inFlight, ...ref }) {
      const {
        info: { workflowExecution },
        cancellationSignal: signal,
      } = Context.current();
      const to = workflowExecution!;
      // Steps that overlap are of one workflow, and each has edits of its own.
      const of = `${to.runId} ${ref.step}`;
      const reporter = reporters.get(of) ?? new Reporter(deps, to, ref, inFlight);
      reporters.set(of, reporter);
      const call: Call = { name, signal, left: requests.length, over: false, ...Promise.withResolvers<Result>() };
      reporter.begin(call);
      for (const { group, first, count } of requests) {
        const request = { group, first, count };
        const order = { ...ref, ...request, responses, ...(inFlight !== undefined && { inFlight }) };
        void deps.generate(order).then(
          (generated) => reporter.settle({ call, request, generated }),
          (error: unknown) => reporter.settle({ call, request, generated: null, afterMs: delayOf(error) }),
        );
      }
      try {
        return await call.promise;
      } finally {
        if (reporter.idle) reporters.delete(of);
      }
    },
  };
};

type Result = Awaited<ReturnType<ModelActivities['generateBatch']>>;
type Call = PromiseWithResolvers<Result> & {
  readonly name: string;
  readonly signal: AbortSignal;
  /** Requests without an outcome. */
  left: number;
  over: boolean;
};
/** `generated` is null where the request failed. */
type Outcome = {
  readonly call: Call;
  readonly request: Responses;
  readonly generated: Generated | null;
  readonly afterMs?: number;
};

/** A failure that a person has to mend is reported at once. */
const delayOf = (error: unknown): number =>
  !(error instanceof ApplicationFailure)
    ? AGAIN_MS
    : error.nonRetryable === true
      ? 0
      : error.nextRetryDelay == null
        ? AGAIN_MS
        : msToNumber(error.nextRetryDelay);

/** Reports the outcomes of all calls of a step, or of a stream, of one execution of a workflow. */
class Reporter {
  readonly #deps: BatchDeps;
  readonly #to: Execution;
  readonly #ref: StepRef & { readonly overlaps?: true };
  /** Programs of a stream that are asked for at once; in a step nothing says. */
  readonly #inFlight: number | undefined;
  #calls = 0;
  #left = 0;
  #unreported: Outcome[] = [];
  #reporting = false;
  #reportedAtMs = 0;
  #sinceMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    deps: BatchDeps,
    to: Execution,
    ref: StepRef & { readonly overlaps?: true },
    inFlight: number | undefined,
  ) {
    this.#deps = deps;
    this.#to = to;
    this.#ref = ref;
    this.#inFlight = inFlight;
  }

  get idle(): boolean {
    return this.#calls === 0;
  }

  begin({ left }: Call): void {
    this.#calls += 1;
    this.#left += left;
  }

  settle(outcome: Outcome): void {
    const { call } = outcome;
    call.left -= 1;
    this.#left -= 1;
    if (this.#unreported.length === 0) this.#sinceMs = performance.now();
    this.#unreported.push(outcome);
    if (call.signal.aborted && call.left === 0) {
      this.#end(call, () => call.reject(call.signal.reason));
      // A cancelled call, which reports nothing more, may have let go of a slot, or have an answer that is stored.
      void this.#deps.settle?.();
    }
    this.#look();
  }

  /**
   * Reports when it is time to, and never within the same turn of the process, so that what comes at once goes
   * together.
   */
  #look(): void {
    clearTimeout(this.#timer);
    if (this.#reporting || this.#unreported.length === 0) return;
    const due =
      this.#left === 0
        ? 0
        : this.#unreported.length >= (this.#inFlight === undefined ? REPORTED_IN_STEP : reportedAtOnce(this.#inFlight))
          ? this.#reportedAtMs + PACE_MS
          : this.#sinceMs + LONGEST_MS;
    this.#timer = setTimeout(() => void this.#report(), Math.max(0, due - performance.now()));
  }

  async #report(): Promise<void> {
    this.#reporting = true;
    this.#reportedAtMs = performance.now();
    const outcomes = this.#unreported;
    this.#unreported = [];
    const [applied] = await Promise.all([
      this.#applied(outcomes.flatMap(({ generated }) => generated?.stored ?? [])),
      this.#deps.settle?.(),
    ]);
    const calls = [...new Set(outcomes.map(({ call }) => call))];
    const outcomesOf = (call: Call): Outcomes =>
      outcomesFrom(
        outcomes.filter((one) => one.call === call),
        applied,
      );
    // The last of a call is its result. A cancelled call reports nothing more.
    const over = new Set(calls.filter((call) => call.left === 0 && !this.#unreported.some((one) => one.call === call)));
    const open = calls.filter((call) => !over.has(call) && !call.signal.aborted);
    const others = open.map((call) => ({ call: call.name, ...outcomesOf(call) }));
    // A result carries what others have to say: a message beside it would cost the engine as much again.
    const carrier = [...over].find(({ signal }) => !signal.aborted);
    for (const call of over)
      this.#end(call, () =>
        call.resolve({ ...outcomesOf(call), ...(call === carrier && others.length > 0 && { others }) }),
      );
    try {
      if (others.length > 0 && carrier === undefined) await this.#deps.report(this.#to, others);
    } catch {
      // Reported again with the next ones: an outcome counts once.
      this.#sinceMs = performance.now();
      this.#unreported.unshift(...outcomes.filter(({ call }) => open.includes(call)));
    }
    this.#reporting = false;
    this.#look();
  }

  /** Null where it did not work, and the workflow has them applied. */
  async #applied(slots: readonly number[]): Promise<Applied | null> {
    if (slots.length === 0) return null;
    const stream = this.#inFlight === undefined ? {} : { stream: true as const };
    return this.#deps.applyResponses({ ...this.#ref, slots, ...stream, fresh: true }).catch(() => null);
  }

  #end(call: Call, settle: () => void): void {
    if (call.over) return;
    call.over = true;
    this.#calls -= 1;
    this.#unreported = this.#unreported.filter((one) => one.call !== call);
    settle();
  }
}

const outcomesFrom = (outcomes: readonly Outcome[], applied: Applied | null): Outcomes => {
  const answers = outcomes.flatMap(({ request, generated }) =>
    generated === null ? [] : [{ ...request, ...generated }],
  );
  const slots = new Set(answers.flatMap(({ stored }) => stored));
  return {
    answers,
    applied: applied && {
      evaluate: applied.evaluate.filter((slot) => slots.has(slot)),
      ...(applied.asks && { asks: applied.asks.filter(({ slot }) => slots.has(slot)) }),
    },
    failed: outcomes.flatMap(({ request, generated, afterMs = 0 }) =>
      generated === null ? [{ ...request, ...(afterMs > 0 && { afterMs }) }] : [],
    ),
  };
};
