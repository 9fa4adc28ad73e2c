// How fast a run goes: what it makes in an hour of the time in which it was not paused. All functions are pure.

/** The totals of a run when a step was committed. */
export type PacePoint = {
  readonly step: number;
  readonly programs: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly atMs: number;
  /** The pauses until then. */
  readonly pausedMs: number;
};

/** Per hour, over the last `overSeconds` of work. */
export type Rate = {
  readonly programs: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly steps: number;
  readonly overSeconds: number;
};

export const LEAST_STEPS = 10;
const LEAST_MS = 600_000;

type Moment = Pick<PacePoint, 'atMs' | 'pausedMs'>;

/** Milliseconds between two moments, without pauses. */
export const workedMs = (from: Moment, to: Moment): number => {
  const paused = Math.max(0, to.pausedMs - from.pausedMs);
  return Math.max(0, to.atMs - from.atMs - paused);
};

/** A rate is that of the last ten steps or ten minutes of work, whichever is longer. */
export const isLongEnough = (from: PacePoint, to: PacePoint): boolean =>
  to.step - from.step >= LEAST_STEPS && workedMs(from, to) >= LEAST_MS;

/** The rate between two committed steps. `now` of a run at work lets it sink while nothing comes. Null without time. */
export const rateBetween = (from: PacePoint, to: PacePoint, now: Moment | null): Rate | null => {
  const spanMs = workedMs(from, to);
  const stepMs = spanMs / Math.max(1, to.step - from.step);
  const idleMs = now === null ? 0 : workedMs(to, now) - 2 * stepMs;
  const hours = (spanMs + Math.max(0, idleMs)) / 3_600_000;
  if (!(hours > 0)) return null;
  return {
    programs: (to.programs - from.programs) / hours,
    tokens: (to.tokens - from.tokens) / hours,
    costUsd: (to.costUsd - from.costUsd) / hours,
    steps: (to.step - from.step) / hours,
    overSeconds: hours * 3600,
  };
};
