// The committed steps of a run as lines over time: what plots of a run are made of. Markers of steps hold sums since
// the start, so that steps between two points can be left out and nothing is lost but resolution. All functions are
// pure.
import { isLongEnough, type Rate, rateBetween, workedMs } from '../../../evolution/budget/pace.ts';
import type { RunStatus } from '../../../evolution/run-states.ts';
import { type Outcome, OUTCOMES } from '../../../evolution/types.ts';

export type { Rate } from '../../../evolution/budget/pace.ts';

export type Failure = Exclude<Outcome, 'valid'>;
export const FAILURES = OUTCOMES.filter((outcome): outcome is Failure => outcome !== 'valid');

/** Sums after a committed step. `atMs` is when it was prepared, `seconds` the time since step 0 was. */
export type StepPoint = {
  readonly step: number;
  readonly programs: number;
  readonly valid: number;
  readonly failures: { readonly [outcome in Failure]?: number };
  readonly tokens: number;
  readonly costUsd: number;
  readonly atMs: number;
  /** The length of all pauses until then. */
  readonly pausedMs: number;
  readonly seconds: number;
  readonly alive: number;
  /** Steps so far at which programs migrated. */
  readonly migrations: number;
};

/** A program that became the best of the run, with the sums after its step. Of several in a step, the last. */
export type StepRecord = Pick<StepPoint, 'step' | 'programs' | 'tokens' | 'costUsd' | 'atMs' | 'seconds'> & {
  readonly program: string;
  readonly score: number;
  readonly strict: number | null;
  /** The one of the two that ranks. */
  readonly ranking: number;
};

/** From `step` on this version of the settings holds. */
export type SettingsMark = {
  readonly step: number;
  readonly programs: number;
  readonly version: number;
  readonly atMs: number;
};

/** GET runs/<run>/progress */
export type Steps = {
  readonly run: string;
  /** Changes when a rewind sets steps aside. */
  readonly lineage: string;
  readonly points: readonly StepPoint[];
  readonly records: readonly StepRecord[];
  readonly settings: readonly SettingsMark[];
  /** The first step that the run made itself: 0, or for a fork the one after those that it has of another run. */
  readonly firstOwn: number;
  /** Steps that scored the programs again by a new version of the task; left out where there are none. */
  readonly rescored?: readonly number[];
  /** The step in which a failure was first seen. */
  readonly firstSeen: { readonly [outcome in Failure]?: number };
};

/** Beyond so many points every second one is left out. */
export const MOST_POINTS = 600;

/** Grows by one step at a time, in order; two curves that were given the same steps are the same. */
export class Curve {
  readonly #most: number;
  #kept: StepPoint[] = [];
  #stride = 1;
  #steps = 0;
  #last: StepPoint | null = null;

  constructor(most = MOST_POINTS) {
    this.#most = most;
  }

  add(point: StepPoint): void {
    this.#last = point;
    if (this.#steps % this.#stride === 0) this.#kept.push(point);
    this.#steps += 1;
    if (this.#kept.length <= this.#most) return;
    this.#stride *= 2;
    this.#kept = this.#kept.filter((_, place) => place % 2 === 0);
  }

  /** The kept points, and the last one. */
  points(): readonly StepPoint[] {
    return this.#last === null || this.#kept.at(-1) === this.#last ? this.#kept : [...this.#kept, this.#last];
  }

  last(): StepPoint | null {
    return this.#last;
  }
}

export type AxisName = 'programs' | 'tokens' | 'costUsd' | 'seconds';
export const AXIS_TITLES: { readonly [axis in AxisName]: string } = {
  programs: 'programs',
  tokens: 'tokens',
  costUsd: 'US dollars',
  seconds: 'time',
};

/** The place of a step on an axis: that of the last point before it. */
export const placeOf = (points: readonly StepPoint[], step: number, axis: AxisName): number =>
  points.findLast((point) => point.step < step)?.[axis] ?? 0;

export type BestLine = {
  readonly x: readonly number[];
  /** Null before there is a valid program. */
  readonly best: readonly (number | null)[];
  /** The same where the program became the best, and null everywhere else. */
  readonly improved: readonly (number | null)[];
  /** The record that holds at each place; -1 before the first. */
  readonly record: readonly number[];
};

/** Best so far along an axis: the kept points, and every record at its own place. */
export const bestLine = ({ points, records }: Pick<Steps, 'points' | 'records'>, axis: AxisName): BestLine => {
  const places = [
    ...points.map((point) => ({ step: point.step, x: point[axis], record: -1 })),
    ...records.map((one, record) => ({ step: one.step, x: one[axis], record })),
  ].sort((a, b) => a.step - b.step || a.record - b.record);
  const x: number[] = [];
  const best: (number | null)[] = [];
  const improved: (number | null)[] = [];
  const record: number[] = [];
  let now = -1;
  for (const place of places) {
    if (place.record >= 0) now = place.record;
    const value = now < 0 ? null : records[now]!.ranking;
    // A record lies on the point of its step, and on an axis that stands still several lie on one place.
    if (x.length > 0 && place.x <= x.at(-1)!) {
      best[best.length - 1] = value;
      record[record.length - 1] = now;
      if (place.record >= 0) improved[improved.length - 1] = value;
      continue;
    }
    x.push(place.x);
    best.push(value);
    record.push(now);
    improved.push(place.record >= 0 ? value : null);
  }
  return { x, best, improved, record };
};

/**
 * The distance of each from a value that nothing is known to be better than; never less than `foot`, so that it has a
 * logarithm.
 */
export const distances = (values: readonly (number | null)[], goal: number): readonly (number | null)[] => {
  const far = values.map((value) => (value === null ? null : Math.abs(goal - value)));
  const least = far.reduce<number>((min, one) => (one !== null && one > 0 && one < min ? one : min), Infinity);
  const foot = Number.isFinite(least) ? least / 10 : Math.max(Math.abs(goal) * 1e-9, Number.MIN_VALUE);
  return far.map((one) => (one === null ? null : Math.max(one, foot)));
};

/** The programs made between one kept point and the next. */
export type ShareWindow = {
  readonly fromStep: number;
  readonly toStep: number;
  readonly programs: number;
  readonly total: number;
  readonly counts: { readonly [outcome: string]: number };
};

/** At most `windows` windows with about as many steps each. Programs of which nothing is known count in no outcome. */
export const outcomeWindows = (points: readonly StepPoint[], windows: number): readonly ShareWindow[] => {
  if (points.length < 2) return [];
  const size = Math.max(1, Math.ceil((points.length - 1) / windows));
  const found: ShareWindow[] = [];
  for (let from = 0; from < points.length - 1; from += size) {
    const a = points[from]!;
    const b = points[Math.min(points.length - 1, from + size)]!;
    const counts: { [outcome: string]: number } = { valid: b.valid - a.valid };
    for (const outcome of FAILURES) counts[outcome] = (b.failures[outcome] ?? 0) - (a.failures[outcome] ?? 0);
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (total > 0) found.push({ fromStep: a.step + 1, toStep: b.step, programs: b.programs, total, counts });
  }
  return found;
};

/** A moment, and how long the run had been paused until then. */
export type Now = { readonly atMs: number; readonly pausedMs: number };

/**
 * The rate over the last ten steps or ten minutes of work, whichever is longer. `now` of a run that is at work lets it
 * sink where nothing comes any more; null for any other. The steps that a fork has of another run do not count.
 */
export const recentRate = ({ points, firstOwn }: Pick<Steps, 'points' | 'firstOwn'>, now: Now | null): Rate | null => {
  const own = points.filter(({ step }) => step >= firstOwn);
  const last = own.at(-1);
  if (last === undefined || own.length < 2) return null;
  return rateBetween(own.findLast((point) => isLongEnough(point, last)) ?? own[0]!, last, now);
};

/** The rate of a run that is at work until now; of another one until its last commit. */
export const rateOf = (steps: Steps, state: RunStatus, now: Now): Rate | null =>
  recentRate(steps, state === 'running' ? now : null);

/** Programs and tokens an hour, window by window. `x` are sums of programs. */
export const throughput = (
  points: readonly StepPoint[],
  windows: number,
): {
  readonly x: readonly number[];
  readonly programs: readonly (number | null)[];
  readonly tokens: readonly (number | null)[];
} => {
  const size = Math.max(1, Math.ceil((points.length - 1) / windows));
  const x: number[] = [];
  const programs: (number | null)[] = [];
  const tokens: (number | null)[] = [];
  for (let from = 0; from < points.length - 1; from += size) {
    const a = points[from]!;
    const b = points[Math.min(points.length - 1, from + size)]!;
    if (b.programs <= a.programs) continue;
    const hours = workedMs(a, b) / 3_600_000;
    x.push(b.programs);
    programs.push(hours > 0 ? (b.programs - a.programs) / hours : null);
    tokens.push(hours > 0 ? (b.tokens - a.tokens) / hours : null);
  }
  return { x, programs, tokens };
};
