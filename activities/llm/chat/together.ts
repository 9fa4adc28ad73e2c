// Activity `generateTogether`: asks for the responses of many groups, side by side. Each answer is stored as it arrives.
// The workflow is told of those that came within some time in one message, because each message and each activity costs
// more than a program's own work. In a stream their edits are applied together before.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { msToNumber } from '@temporalio/common/lib/time.js';
import { toldAtOnce } from '../../../evolution/schedule/stream.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type { Applied, Came, Generated, ModelActivities, Responses, StepRef } from '../../interface/step.ts';
import type { Store } from '../../store/store.ts';
import { pacing } from './places.ts';

/** A workflow is told at most so often, */
const PACE_MS = 200;
/** and of an answer at the latest after this time, where others are awaited. */
const LONGEST_MS = 500;
/** A small part of the time that a model takes, and of fast answers several come in it. */
const STORE_MS = 100;
/** In a step, so many answers are told at once where they come soon after each other. */
const TOLD_IN_STEP = 8;
/** What fails is sent again after this time, unless the failure says when: as the first retry of an activity. */
const AGAIN_MS = 500;

type Execution = { readonly workflowId: string; readonly runId: string };
type Named = Came & { readonly call: string };

/** Tells a workflow what became of requests; it is told again where that fails. */
export type TellArrivals = (to: Execution, came: readonly Named[]) => Promise<void>;

export type TogetherDeps = Pick<ModelActivities, 'generate'> &
  Pick<StoreActivities, 'applyResponses'> & {
    readonly tell: TellArrivals;
    /** Settles the bookings of answers that are stored. Left out where each answer does so itself. */
    readonly settle?: () => Promise<void>;
  };

/**
 * The store for requests that are asked for together: an answer is stored with those that come within STORE_MS, and
 * bookings are settled when the workflow is told.
 */
export const storingTogether = (store: Store): { readonly store: Store; readonly settle: () => Promise<void> } => {
  let settled: string[] = [];
  const paced = pacing(STORE_MS);
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

export const createGenerateTogether = (deps: TogetherDeps): Pick<ModelActivities, 'generateTogether'> => {
  const tellers = new Map<string, Teller>();
  return {
    async generateTogether({ call: name, requests, responses, inFlight, ...ref }) {
      const {
        info: { workflowExecution },
        cancellationSignal: signal,
      } = Context.current();
      const to = workflowExecution!;
      const teller = tellers.get(to.runId) ?? new Teller(deps, to, ref, inFlight);
      tellers.set(to.runId, teller);
      const call: Call = { name, signal, left: requests.length, over: false, ...Promise.withResolvers<Came>() };
      teller.begin(call);
      for (const { group, first, count } of requests) {
        const request = { group, first, count };
        const asked = { ...ref, ...request, responses, ...(inFlight !== undefined && { inFlight }) };
        void deps.generate(asked).then(
          (made) => teller.settle({ call, request, made }),
          (error: unknown) => teller.settle({ call, request, made: null, afterMs: delayOf(error) }),
        );
      }
      try {
        return await call.promise;
      } finally {
        if (teller.idle) tellers.delete(to.runId);
      }
    },
  };
};

type Call = PromiseWithResolvers<Came> & {
  readonly name: string;
  readonly signal: AbortSignal;
  /** Requests of which nothing is known yet. */
  left: number;
  over: boolean;
};
/** `made` is null where the request failed. */
type Outcome = {
  readonly call: Call;
  readonly request: Responses;
  readonly made: Generated | null;
  readonly afterMs?: number;
};

/** What a person has to mend is said at once. */
const delayOf = (error: unknown): number =>
  !(error instanceof ApplicationFailure)
    ? AGAIN_MS
    : error.nonRetryable === true
      ? 0
      : error.nextRetryDelay == null
        ? AGAIN_MS
        : msToNumber(error.nextRetryDelay);

/** Tells one execution of a workflow what became of the requests of all its calls. */
class Teller {
  readonly #deps: TogetherDeps;
  readonly #to: Execution;
  readonly #ref: StepRef;
  /** Programs of a stream that are asked for at once; in a step nothing says. */
  readonly #inFlight: number | undefined;
  #calls = 0;
  #left = 0;
  #untold: Outcome[] = [];
  #telling = false;
  #toldAtMs = 0;
  #sinceMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: TogetherDeps, to: Execution, ref: StepRef, inFlight: number | undefined) {
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
    if (this.#untold.length === 0) this.#sinceMs = performance.now();
    this.#untold.push(outcome);
    if (call.signal.aborted && call.left === 0) {
      this.#end(call, () => call.reject(call.signal.reason));
      // Whom nobody tells anything more may have let go of a place, or have an answer that is stored.
      void this.#deps.settle?.();
    }
    this.#look();
  }

  /**
   * Tells when it is time to, and never within the same turn of the process, so that what comes at once goes together.
   */
  #look(): void {
    clearTimeout(this.#timer);
    if (this.#telling || this.#untold.length === 0) return;
    const due =
      this.#left === 0
        ? 0
        : this.#untold.length >= (this.#inFlight === undefined ? TOLD_IN_STEP : toldAtOnce(this.#inFlight))
          ? this.#toldAtMs + PACE_MS
          : this.#sinceMs + LONGEST_MS;
    this.#timer = setTimeout(() => void this.#tell(), Math.max(0, due - performance.now()));
  }

  async #tell(): Promise<void> {
    this.#telling = true;
    this.#toldAtMs = performance.now();
    const outcomes = this.#untold;
    this.#untold = [];
    const [applied] = await Promise.all([
      this.#applied(outcomes.flatMap(({ made }) => made?.stored ?? [])),
      this.#deps.settle?.(),
    ]);
    const calls = [...new Set(outcomes.map(({ call }) => call))];
    const cameOf = (call: Call): Came =>
      cameFrom(
        outcomes.filter((one) => one.call === call),
        applied,
      );
    // The last of a call is its result. Whoever has been cancelled is told nothing more.
    const over = new Set(calls.filter((call) => call.left === 0 && !this.#untold.some((one) => one.call === call)));
    for (const call of over) this.#end(call, () => call.resolve(cameOf(call)));
    const open = calls.filter((call) => !over.has(call) && !call.signal.aborted);
    try {
      if (open.length > 0)
        await this.#deps.tell(
          this.#to,
          open.map((call) => ({ call: call.name, ...cameOf(call) })),
        );
    } catch {
      // Told again with the next ones: what is heard of a request counts once.
      this.#sinceMs = performance.now();
      this.#untold.unshift(...outcomes.filter(({ call }) => open.includes(call)));
    }
    this.#telling = false;
    this.#look();
  }

  /** Null where the workflow has them applied: in a step, and where it did not work. */
  async #applied(slots: readonly number[]): Promise<Applied | null> {
    if (slots.length === 0 || this.#inFlight === undefined) return null;
    return this.#deps.applyResponses({ ...this.#ref, slots, stream: true, fresh: true }).catch(() => null);
  }

  #end(call: Call, settle: () => void): void {
    if (call.over) return;
    call.over = true;
    this.#calls -= 1;
    this.#untold = this.#untold.filter((one) => one.call !== call);
    settle();
  }
}

const cameFrom = (outcomes: readonly Outcome[], applied: Applied | null): Came => {
  const answers = outcomes.flatMap(({ request, made }) => (made === null ? [] : [{ ...request, ...made }]));
  const slots = new Set(answers.flatMap(({ stored }) => stored));
  return {
    answers,
    applied: applied && {
      evaluate: applied.evaluate.filter((slot) => slots.has(slot)),
      early: 0,
      ...(applied.asks && { asks: applied.asks.filter(({ slot }) => slots.has(slot)) }),
    },
    failed: outcomes.flatMap(({ request, made, afterMs = 0 }) =>
      made === null ? [{ ...request, ...(afterMs > 0 && { afterMs }) }] : [],
    ),
  };
};
