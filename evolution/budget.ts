// When a run ends: the first limit that is reached. Called by the run workflow before each step.
import type { Limits } from './config/run-config.ts';
import type { Direction } from './types.ts';

export type Spent = {
  readonly steps: number;
  /** Candidates made. */
  readonly programs: number;
  /** In and out together. */
  readonly tokens: number;
  readonly costUsd: number;
  readonly wallSeconds: number;
  /** Best ranking score, in the task's direction. */
  readonly best: number | null;
};

/** The setting under `limits` that ended the run. */
export type StopReason = keyof Limits;

/** Null: the next step may start. A step that would exceed the limit on programs is not started. */
export const firstReached = (limits: Limits, spent: Spent, next: { readonly programs: number }, direction: Direction): StopReason | null => {
  if (hitsTarget(limits.targetScore, spent.best, direction)) return 'targetScore';
  if (limits.steps !== null && spent.steps >= limits.steps) return 'steps';
  if (limits.programs !== null && spent.programs + next.programs > limits.programs) return 'programs';
  if (limits.tokens !== null && spent.tokens >= limits.tokens) return 'tokens';
  if (limits.costUsd !== null && spent.costUsd >= limits.costUsd) return 'costUsd';
  if (limits.wallSeconds !== null && spent.wallSeconds >= limits.wallSeconds) return 'wallSeconds';
  return null;
};

const hitsTarget = (target: number | null, best: number | null, direction: Direction): boolean =>
  target !== null && best !== null && (direction === 'maximise' ? best >= target : best <= target);
