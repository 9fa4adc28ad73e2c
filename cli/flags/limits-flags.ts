// The flags of `evolve extend` as a request to the run. All functions are pure.
import { UsageError } from '../../client/errors.ts';
import { LIMIT_FLAGS } from '../../evolution/budget/limits.ts';
import type { Limits } from '../../evolution/config/run-config.ts';
import type { ExtendRequest } from '../../workflows/messages/messages.ts';

export type LimitFlags = {
  readonly steps?: string;
  readonly programs?: string;
  readonly tokens?: string;
  readonly costUsd?: string;
  readonly wallSeconds?: string;
  readonly targetScore?: string;
  readonly noImprovementPrograms?: string;
  readonly stagnantEpochs?: string;
  readonly add?: boolean;
};

/** Throws UsageError that names the flag, what was expected and what came. */
export const extendRequest = (flags: LimitFlags): ExtendRequest => {
  const given = (Object.keys(LIMIT_FLAGS) as (keyof Limits)[]).filter((key) => flags[key] !== undefined);
  if (given.length === 0)
    throw new UsageError(`extend: expected at least one of ${Object.values(LIMIT_FLAGS).join(', ')}`);
  return {
    ...Object.fromEntries(given.map((key) => [key, limitOf(key, flags[key] ?? '', flags.add === true)])),
    ...(flags.add ? { add: true } : {}),
  };
};

const limitOf = (key: keyof Limits, text: string, add: boolean): number | null => {
  if (text.trim() === 'none' && !add) return null;
  const value = Number(text);
  const wrong = text.trim() === '' || !Number.isFinite(value) || (key !== 'targetScore' && value <= 0);
  if (wrong)
    throw new UsageError(
      `${LIMIT_FLAGS[key]}: expected a ${key === 'targetScore' ? '' : 'positive '}number${add ? '' : ', or none'}, got ${JSON.stringify(text)}`,
    );
  return value;
};
