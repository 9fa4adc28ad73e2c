// Batched requests: those of a stream, and of a step that has many, go many to an activity (generateBatch), so that the
// engine's work for a program is a part of that for a message, and not several activities of its own:
// 1. requests that are made in one task of the workflow leave together, in calls that each have a name;
// 2. the activity sends each of them to the model at once, stores the answers, and applies their edits;
// 3. it reports outcomes some at a time, by the name of the call (signal answersReceived), and the last ones as its result,
//    with those of other calls;
// 4. a request that failed is sent again by itself (generate), and is retried and parks as such.
import { defineSignal, isCancellation, sleep, uuid4 } from '@temporalio/workflow';
import type { Applied, Generated, Outcomes, OutcomesOfCall, Responses } from '../../activities/interface/step.ts';
import type { Internal } from '../engine/form.ts';
import { batched } from '../engine/proxies.ts';
import { listenInside } from '../messages/internal.ts';
import { settled } from './flow.ts';
import { type Conductor, nameOf, type Unit } from './unit.ts';

/** Outcomes by the name that the workflow gave to each call. A name that it does not know is passed over. */
type AnswersReceived = { readonly outcomes: readonly OutcomesOfCall[] };

export const answersReceived = defineSignal<[Internal<AnswersReceived>]>('answersReceived');

/** The outcome of one request; `applied` is of its own responses. */
type Answer = Generated & { readonly applied: Applied | null };
type Waiting = {
  readonly request: Responses;
  readonly resolve: (answer: Answer | null) => void;
  readonly reject: (error: unknown) => void;
};

/** In a step, requests of one activity: few, so that several hosts share them, and other runs soon have their turn. */
const IN_STEP = 8;

const keyOf = ({ group, first, count }: Responses): string => `${group}.${first}.${count}`;

export const listenToAnswers = (handle: (answers: AnswersReceived) => void): void =>
  listenInside(answersReceived, handle);

export class Batched {
  readonly #at: Conductor;
  readonly #unit: Unit;
  /** Hears how many programs were answered at once. */
  readonly #arrived: (programs: number) => void;
  #waiting: Waiting[] = [];
  /** Requests without an outcome, by the name of their call. */
  readonly #calls = new Map<string, Map<string, Waiting>>();

  constructor(at: Conductor, unit: Unit, arrived: (programs: number) => void) {
    this.#at = at;
    this.#unit = unit;
    this.#arrived = arrived;
  }

  /** Null where the request failed, and is to be sent by itself. */
  ask(request: Responses): Promise<Answer | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (this.#waiting.length === 1) void this.#gather();
    });
  }

  hear({ outcomes }: AnswersReceived): void {
    let programs = 0;
    for (const one of outcomes) {
      const open = this.#calls.get(one.call);
      if (open !== undefined) programs += take(open, one);
    }
    if (programs > 0) this.#arrived(programs);
  }

  async #gather(): Promise<void> {
    let failure: { readonly error: unknown } | null = null;
    try {
      await settled();
    } catch (error) {
      failure = { error };
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    if (failure !== null) for (const one of waiting) one.reject(failure.error);
    else for (const one of this.#inCalls(waiting)) void this.#call(one);
  }

  #inCalls(waiting: readonly Waiting[]): readonly (readonly Waiting[])[] {
    const { stream } = this.#at.plan;
    if (stream !== undefined) return inCalls(waiting, stream.inFlight);
    return Array.from({ length: Math.ceil(waiting.length / IN_STEP) }, (_, at) =>
      waiting.slice(at * IN_STEP, (at + 1) * IN_STEP),
    );
  }

  async #call(waiting: readonly Waiting[]): Promise<void> {
    // One by itself is an activity of its own, with the retries of one.
    if (this.#at.plan.stream === undefined && waiting.length === 1) return waiting[0]!.resolve(null);
    const call = uuid4();
    const open = new Map(waiting.map((one) => [keyOf(one.request), one]));
    this.#calls.set(call, open);
    try {
      const { others = [], ...outcomes } = await this.#generated(
        call,
        waiting.map(({ request }) => request),
      );
      this.hear({ outcomes: [{ call, ...outcomes }, ...others] });
      for (const one of open.values()) one.resolve(null);
    } catch (error) {
      for (const one of open.values()) {
        if (isCancellation(error)) one.reject(error);
        else one.resolve(null);
      }
    } finally {
      this.#calls.delete(call);
    }
  }

  #generated(call: string, requests: readonly Responses[]): ReturnType<typeof batched.generateBatch> {
    const { responses, stream } = this.#at.plan;
    const { ref, overlaps } = this.#unit;
    const summary = `model: ${nameOf(this.#unit)}, ${requests.length} requests from group ${requests[0]!.group}`;
    return batched.generateBatch.executeWithOptions({ summary }, [
      {
        ...ref,
        call,
        requests,
        responses,
        ...(stream && { inFlight: stream.inFlight }),
        ...(overlaps && { overlaps }),
      },
    ]);
  }
}

/** Each outcome counts once, however often it is heard. Returns the number of programs. */
const take = (open: Map<string, Waiting>, { answers, applied, failed }: Outcomes): number => {
  let programs = 0;
  for (const answer of answers) {
    const one = open.get(keyOf(answer));
    if (one === undefined) continue;
    open.delete(keyOf(answer));
    programs += answer.stored.length;
    one.resolve({ ...answer, applied: applied === null ? null : ofSlots(applied, new Set(answer.stored)) });
  }
  for (const request of failed) {
    const one = open.get(keyOf(request));
    open.delete(keyOf(request));
    if (one !== undefined) void again(one, request.afterMs ?? 0);
  }
  return programs;
};

/** A failure may say when the endpoint is to be asked again. */
const again = async (one: Waiting, afterMs: number): Promise<void> => {
  try {
    if (afterMs > 0) await sleep(afterMs);
    one.resolve(null);
  } catch (error) {
    one.reject(error);
  }
};

const ofSlots = ({ evaluate, asks = [] }: Applied, slots: ReadonlySet<number>): Applied => ({
  evaluate: evaluate.filter((slot) => slots.has(slot)),
  asks: asks.filter(({ slot }) => slots.has(slot)),
});

/** No call asks for more than half of the slots in flight, so that several hosts share them. */
const inCalls = (waiting: readonly Waiting[], inFlight: number): readonly (readonly Waiting[])[] => {
  const calls: Waiting[][] = [];
  let programs = Infinity;
  for (const one of waiting) {
    const { count } = one.request;
    if (programs + count > Math.max(1, inFlight / 2)) {
      calls.push([]);
      programs = 0;
    }
    calls.at(-1)!.push(one);
    programs += count;
  }
  return calls;
};
