// The policies of a run: how they are named, which one a step samples with, and which model of the run is one.
import { hideCredentials } from '../config/layers.ts';
import type { LearningSettings, ModelSettings, RunConfig } from '../config/run-config.ts';
import { modelPool } from '../models/ensemble.ts';
import type { Role, RunId } from '../types.ts';

/** The model that learns; null in a run that does not. */
export const trainableOf = (config: RunConfig): ModelSettings | null =>
  config.learning.trainer === 'none' ? null : (modelPool(config).find(({ trainable }) => trainable) ?? null);

/** The policy before its first update, in the trainer's words. */
export const baseOf = ({ learning: { base } }: Pick<RunConfig, 'learning'>, { name }: ModelSettings): string =>
  base ?? name;

/** `<run>-v0007-<first 8 of updateId>`: the policy's id, its folder, and its name at the server. */
export const policyId = (run: RunId, version: number, updateId: string): string =>
  `${run}-v${String(version).padStart(4, '0')}-${updateId.slice(0, 8)}`;

/** `<run>@<version>`; null where it is none. */
export const parsePolicyName = (name: string): { readonly run: RunId; readonly version: number } | null => {
  const [, run, version] = /^([a-z0-9-]{1,60})@(0|[1-9][0-9]{0,3})$/.exec(name) ?? [];
  return run === undefined ? null : { run, version: Number(version) };
};

/**
 * The reason why learning cannot begin with this policy (other trainer or base model); null where it can. `at` is the
 * model's place in the settings.
 */
export const notABeginning = (
  from: { readonly trainer: string; readonly base: string },
  { learning: { trainer, base } }: Pick<RunConfig, 'learning'>,
  { policy }: Pick<ModelSettings, 'policy'>,
  at: string,
): string | null => {
  if (from.trainer !== trainer)
    return `${at}.policy: expected a policy of the trainer ${trainer} (learning.trainer), got ${policy}, which ${from.trainer} trained: set learning.trainer to ${from.trainer}, or name another policy`;
  if (from.base !== (base ?? from.base))
    return `${at}.policy: expected a policy that descends from ${base} (learning.base), got ${policy}, which descends from ${from.base}: set learning.base to ${from.base}, or name another policy`;
  return null;
};

type InChain = { readonly step: number; readonly kind: 'start' | 'supervised' | 'policy' };

/**
 * The policy of a step: the newest that was trained on a step before it or, with a lag, on the one before that. What
 * precedes the first rollouts counts whatever the lag. Null where there is none.
 */
export const policyFor = <P extends InChain>(
  step: number,
  lag: LearningSettings['lag'],
  chain: readonly P[],
): P | null => chain.findLast((policy) => policy.step <= step - 1 - (policy.kind === 'policy' ? lag : 0)) ?? null;

/** Every hyperparameter of an update, as the trainer reads it. `temperature` is that of sampling. */
export const hyperOf = (
  config: RunConfig,
  { roles, temperature }: { readonly roles: readonly Role[]; readonly temperature: number },
): object => {
  const { clip, truncatedIs, icepop, optimizer, lora, maxMismatch, microBatchTokens } = config.learning;
  const judges = roles.includes('judge') && config.ideation.kind !== 'none';
  return {
    temperature: judges ? config.ideation.judgeTemperature : temperature,
    clip,
    truncatedIs,
    icepop,
    // The trainer's 0 is no bound.
    optimizer: { ...optimizer, gradNorm: optimizer.gradNorm ?? 0 },
    lora,
    maxMismatch,
    microBatchTokens,
  };
};

/** A model and who answers for it, as people are told: `bytes, trained by reference`, `m at https://host/v1`. */
export const modelText = ({ learning }: Pick<RunConfig, 'learning'>, model: ModelSettings, nowhere: string): string => {
  const { name, baseUrl, trainable, policy } = model;
  const learns = trainable && learning.trainer !== 'none';
  const from = policy === null ? '' : `${learns ? ', from' : ' as'} policy ${policy}`;
  if (learns) return `${name}, trained by ${learning.trainer}${from}`;
  return `${name}${from}${baseUrl === null ? (policy === null ? ` at ${nowhere}` : '') : ` at ${hideCredentials(baseUrl)}`}`;
};
