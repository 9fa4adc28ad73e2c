// A run ends at the first limit that is reached.
import type { Limits, RunLimits } from '../config/run-config.ts';
import { reaches } from '../scoring/ranking.ts';
import type { Direction } from '../types.ts';

export type Spent = {
  readonly steps: number;
  /** The number of candidates made. */
  readonly programs: number;
  /** Tokens paid for, prompt and completion together. */
  readonly tokens: number;
  /** US dollars paid. */
  readonly costUsd: number;
  readonly wallSeconds: number;
  /** The number of programs made since the best score last improved. */
  readonly sinceBest: number;
  /** The number of steps one after the other in which no island's own child became that island's best. */
  readonly stagnantEpochs: number;
  /** The best ranking score, in the task's direction; null before there is one. */
  readonly best: number | null;
};

/** The next spending: the fewest programs of a step, tokens and US dollars of a response (0: unknown). */
export type Next = { readonly programs: number; readonly tokens: number; readonly costUsd: number };

/** The time since a run was made, and its pauses and ends. */
export type Lifetime = { readonly createdAtMs: number; readonly nowMs: number; readonly pausedMs: number };

/** The seconds that a limit on wall time counts. */
export const wallSeconds = (
  { createdAtMs, nowMs, pausedMs }: Lifetime,
  { countPauses = true }: Pick<RunLimits, 'countPauses'>,
): number => (nowMs - createdAtMs - (countPauses ? 0 : pausedMs)) / 1000;

/** The setting under `limits` that ended the run. */
export type StopReason = keyof Limits;

/** The limits that are set, in their order. */
export const setLimits = (limits: RunLimits): readonly (readonly [limit: StopReason, value: number])[] =>
  Object.entries(limits).flatMap(([limit, value]) =>
    typeof value === 'number' ? [[limit as StopReason, value] as const] : [],
  );

/** Why a run ends that has passed the best value by human hands. */
export const HUMAN_BEATEN = 'human best beaten';

/** Flags of `evolve extend`. */
export const LIMIT_FLAGS = {
  steps: '--steps',
  programs: '--programs',
  tokens: '--tokens',
  costUsd: '--cost-usd',
  wallSeconds: '--wall-seconds',
  targetScore: '--target-score',
  noImprovementPrograms: '--no-improvement-programs',
  stagnantEpochs: '--stagnant-epochs',
} as const satisfies { readonly [limit in StopReason]: string };

/** A run that ended by a limit records its setting alone. */
const WORDS: { readonly [reason in StopReason]: string } = {
  steps: 'its limit of steps',
  programs: 'its limit of programs',
  tokens: 'its limit of tokens',
  costUsd: 'its limit of cost',
  wallSeconds: 'its limit of time',
  targetScore: 'the score to reach',
  noImprovementPrograms: 'its limit of programs without a better one',
  stagnantEpochs: 'its limit of steps without progress',
};

export const limitWords = (stopReason: string): string | null =>
  Object.hasOwn(WORDS, stopReason) ? WORDS[stopReason as StopReason] : null;

/** The end of a run in words: `finished by its limit of steps`, `stopped: by a person: it is good enough`. */
export const endOf = (status: string, stopReason: string): string => {
  const limit = limitWords(stopReason);
  if (limit !== null) return `${status} by ${limit}`;
  return `${status}: ${stopReason.startsWith(`${status} `) ? stopReason.slice(status.length + 1) : stopReason}`;
};

/** Null where the next step may start: its fewest programs, and one more response, fit into the limits. */
export const firstReached = (limits: Limits, spent: Spent, next: Next, direction: Direction): StopReason | null => {
  const { targetScore } = limits;
  if (typeof targetScore === 'number' && spent.best !== null && reaches(direction, spent.best, targetScore))
    return 'targetScore';
  if (limits.steps !== null && spent.steps >= limits.steps) return 'steps';
  if (limits.programs !== null && spent.programs + next.programs > limits.programs) return 'programs';
  if (isUsedUp(limits.tokens, spent.tokens, next.tokens)) return 'tokens';
  if (isUsedUp(limits.costUsd, spent.costUsd, next.costUsd)) return 'costUsd';
  if (limits.wallSeconds !== null && spent.wallSeconds >= limits.wallSeconds) return 'wallSeconds';
  if (limits.noImprovementPrograms !== null && spent.sinceBest >= limits.noImprovementPrograms)
    return 'noImprovementPrograms';
  if (limits.stagnantEpochs !== null && spent.stagnantEpochs >= limits.stagnantEpochs) return 'stagnantEpochs';
  return null;
};

const isUsedUp = (limit: number | null, spent: number, next: number): boolean =>
  limit !== null && (spent >= limit || !fits(spent + next, limit));

/** The tolerance is there because sums of US dollars are not exact: ten times 0.1 must fit into 1. */
export const fits = (amount: number, limit: number): boolean => amount <= limit * (1 + 1e-9);
