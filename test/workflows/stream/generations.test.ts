// How many generations a stream makes on a simulated clock: requests must not run ahead of evaluations. Ours are the
// parts of a stream that ship, without Temporal; beside them OpenEvolve's workers, each of which asks, evaluates and
// enters its program before it draws the next parent. Every parent is the one of the latest generation that is there.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rng } from '../../../evolution/rng.ts';
import { stepsInTurn } from '../../../evolution/schedule/stream.ts';
import { OpenGroups } from '../../../workflows/stream/open-groups.ts';
import { Prefetch } from '../../../workflows/stream/prefetch.ts';

const START = Date.UTC(2026, 10, 29);
const ANSWER_MS = 1_000;

type Case = {
  readonly places: number;
  readonly batch: number;
  readonly programs: number;
  readonly evaluationMs: number;
  /** Durations differ by at most this part of their mean. */
  readonly spread: number;
};
type Made = { readonly generations: number; readonly seconds: number };

const lasts = (mean: number, spread: number, kind: string, program: number): number =>
  mean * (1 + spread * (2 * rng(1, kind, program).next() - 1));

/** What is to happen, by time; of equal times in the order in which it was said. */
class Clock {
  readonly #events: { readonly at: number; readonly happens: () => void }[] = [];
  now = 0;

  in(ms: number, happens: () => void): void {
    const at = this.now + ms;
    const after = this.#events.findIndex((one) => one.at > at);
    this.#events.splice(after < 0 ? this.#events.length : after, 0, { at, happens });
  }

  /** Lets all happen that happens next at one time. False where nothing is left. */
  next(): boolean {
    if (this.#events.length === 0) return false;
    this.now = this.#events[0]!.at;
    vi.setSystemTime(START + this.now);
    while (this.#events[0]?.at === this.now) this.#events.shift()!.happens();
    return true;
  }
}

const openEvolve = ({ places, programs, evaluationMs, spread }: Case): Made => {
  const clock = new Clock();
  let [asked, generations] = [0, 0];
  const work = (): void => {
    if (asked >= programs) return;
    const program = asked++;
    const parent = generations;
    const ms = lasts(ANSWER_MS, spread, 'answer', program) + lasts(evaluationMs, spread, 'evaluation', program);
    clock.in(ms, () => {
      generations = Math.max(generations, parent + 1);
      // The controller draws the next parent once it has entered all that have ended.
      clock.in(0, work);
    });
  };
  for (let place = 0; place < places; place++) work();
  while (clock.next());
  return { generations, seconds: clock.now / 1_000 };
};

const nothing = (): undefined => undefined;

type Streamed = Made & {
  readonly mostUnderWay: number;
  /** The fewest requests without an answer, after the first fifth of the programs and before the last. */
  readonly leastAsked: number;
};

const stream = ({ places, batch, programs, evaluationMs, spread }: Case): Streamed => {
  const clock = new Clock();
  const sizes = { batch, responses: 1, inFlight: places };
  const plan = {
    ...{ first: 1, pending: [], planned: 0, last: null, window: programs },
    ...{ batch, inFlight: places, steps: stepsInTurn(sizes) },
  };
  const groups = new OpenGroups(1, null, () => prefetch.ask());
  const at = {
    ...{ plan: { responses: 1, perRequest: 1, injected: 0 }, input: { window: { programs } } },
    ...{ ledger: { count: nothing, omit: nothing }, requests: { plain: { run: () => new Promise(nothing) } } },
  };
  const asks = { asksNothing: false, closing: false, step: 1, fail: nothing };
  const work = { at, unit: { ref: {} } } as never;
  const prefetch: Prefetch = new Prefetch({ plan: plan as never, groups, handed: null, work, stream: asks });
  const generationOf = new Map<number, number>();
  const begun = new Set<number>();
  let [generations, mostUnderWay, leastAsked] = [0, 0, Infinity];

  const begin = (): void => {
    for (const { group } of groups.all) {
      if (begun.has(group)) continue;
      begun.add(group);
      clock.in(lasts(ANSWER_MS, spread, 'answer', group), () => {
        prefetch.size.arrived(1);
        groups.answered([group]);
        clock.in(lasts(evaluationMs, spread, 'evaluation', group), () => {
          groups.evaluated([group]);
          groups.ended(group);
        });
      });
    }
    mostUnderWay = Math.max(mostUnderWay, groups.unfinished);
    if (begun.size > programs / 5 && begun.size < programs) leastAsked = Math.min(leastAsked, groups.inFlight);
  };
  /** As Turns does it: commits what is due, and plans from the population after it. */
  const turns = (): void => {
    for (;;) {
      const due = groups.finished.length >= batch || (groups.unfinished === 0 && prefetch.wanted === 0);
      const steps = due ? groups.stepsOf(plan) : [];
      const committed = steps.flat().map(({ group }) => group);
      const more = prefetch.toPlan(committed.length);
      if (committed.length === 0 && (prefetch.ready > 0 || more.count === 0)) return;
      for (const group of committed) generations = Math.max(generations, generationOf.get(group)!);
      for (let index = 0; index < more.count; index++) generationOf.set(more.from + index, generations + 1);
      prefetch.add(more, []);
      for (const step of steps) {
        const ms = step.map(({ group }) => lasts(evaluationMs, spread, 'evaluation', group));
        const its = step.map(({ group }) => group);
        groups.commit(its, ms.length === 0 ? null : ms.reduce((a, b) => a + b) / ms.length);
      }
      prefetch.ask();
    }
  };
  do {
    prefetch.ask();
    turns();
    begin();
  } while (clock.next());
  expect(begun.size).toBe(programs);
  return { generations, seconds: clock.now / 1_000, mostUnderWay, leastAsked };
};

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

describe('a stream of slow evaluations makes as many generations in as much time as OpenEvolve with as many workers', () => {
  const sizes = [
    { places: 4, programs: 12 },
    { places: 4, programs: 200 },
    { places: 32, programs: 640 },
  ];
  const cases = [1_000, 10_000, 100_000].flatMap((evaluationMs) =>
    [0, 0.5].flatMap((spread) => sizes.map((size) => ({ ...size, evaluationMs, spread }))),
  );

  it.each(cases)('$programs programs, $places places, evaluations of $evaluationMs ms, spread $spread', (one) => {
    const theirs = openEvolve({ ...one, batch: 1 });
    const ours = stream({ ...one, batch: 1 });
    expect(ours).toMatchObject({ generations: theirs.generations, mostUnderWay: one.places });
    expect(ours.seconds).toBeCloseTo(theirs.seconds, 6);
    // Programs that are finished wait for their step.
    const inPairs = stream({ ...one, batch: 2 });
    expect(inPairs.generations).toBeGreaterThan(0.9 * theirs.generations);
  });
});

it('leaves no place at the model empty where evaluations are quick', () => {
  for (const evaluationMs of [20, 300])
    for (const places of [4, 32])
      expect(
        stream({ places, batch: 4, programs: 40 * places, evaluationMs, spread: 0.5 }).leastAsked,
      ).toBeGreaterThanOrEqual(places);
});
