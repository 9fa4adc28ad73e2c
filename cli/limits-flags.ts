// The flags of `evolve extend` as a request to the run, and the limits that follow from it. Pure.
import type { RunDocument } from '../activities/store/documents.ts';
import { firstReached, type StopReason } from '../evolution/budget.ts';
import type { Limits, RunConfig } from '../evolution/config/run-config.ts';
import { checkRunConfig } from '../evolution/config/schema.ts';
import type { ExtendRequest } from '../workflows/messages.ts';
import { UsageError } from './exit.ts';

export type LimitFlags = {
  readonly steps?: string; readonly programs?: string; readonly tokens?: string; readonly costUsd?: string;
  readonly wallSeconds?: string; readonly targetScore?: string; readonly add?: boolean;
};

const FLAGS = { steps: '--steps', programs: '--programs', tokens: '--tokens', costUsd: '--cost-usd', wallSeconds: '--wall-seconds', targetScore: '--target-score' } as const;

export const extendRequest = (flags: LimitFlags): ExtendRequest => {
  const given = (Object.keys(FLAGS) as (keyof Limits)[]).filter((key) => flags[key] !== undefined);
  if (given.length === 0) throw new UsageError(`extend: expected at least one of ${Object.values(FLAGS).join(', ')}`);
  const numbers = given.map((key) => {
    const text = flags[key] ?? '';
    const value = Number(text);
    const wrong = text.trim() === '' || !Number.isFinite(value) || (key !== 'targetScore' && value <= 0);
    if (wrong) throw new UsageError(`${FLAGS[key]}: expected a ${key === 'targetScore' ? '' : 'positive '}number, got ${JSON.stringify(text)}`);
    return [key, value] as const;
  });
  return { ...Object.fromEntries(numbers), ...(flags.add ? { add: true } : {}) };
};

/** The settings with new limits; throws ConfigError where they cannot be. */
export const extended = (config: RunConfig, { add, ...wanted }: ExtendRequest): RunConfig => {
  const changed = Object.fromEntries(Object.entries(wanted).map(([key, value]) =>
    [key, add ? (config.limits[key as keyof Limits] ?? 0) + (value as number) : value]));
  return checkRunConfig({ ...config, limits: { ...config.limits, ...changed } });
};

/** The limit that would end the run again at once, if any. The target score is left out: it depends on the task's direction. */
export const alreadyReached = ({ config, committedStep, totals, createdAt }: RunDocument, limits: Limits, now: Date): StopReason | null =>
  firstReached(limits, {
    steps: Math.max(0, committedStep), programs: totals.programs, tokens: totals.tokens.in + totals.tokens.out, costUsd: totals.costUsd,
    wallSeconds: (now.getTime() - createdAt.getTime()) / 1000, best: null,
  }, { programs: config.batch * config.responses }, 'maximise');
