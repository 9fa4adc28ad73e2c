// The settings of a fork: those of the run from which it goes on, with changes.
import { ConfigError } from '../../evolution/config/config-error.ts';
import type { Layer } from '../../evolution/config/problems.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { changedKeys } from '../../evolution/config/layers.ts';
import { isFixed } from '../../evolution/methods/change.ts';
import { resolveConfig } from '../../evolution/methods/resolve.ts';
import type { RunDocument } from '../store/documents/documents.ts';

/** `key` is the place where the person wrote the step. Throws ConfigError unless the run can be forked after it. */
export const requireForkStep = ({ run, committedStep }: RunDocument, step: number, key: string): void => {
  if (Number.isInteger(step) && step >= 0 && step <= committedStep) return;
  throw new ConfigError([
    committedStep < 0
      ? `${key}: cannot fork run ${run}: it has committed no step yet, got ${step}`
      : `${key}: expected 0 to ${committedStep}, the last committed step of run ${run}, got ${step}`,
  ]);
};

/** Throws ConfigError where the changed settings cannot go on from the other run's population. */
export const forkedConfig = (
  parent: Pick<RunDocument, 'run' | 'config'>,
  step: number,
  layers: readonly Layer[],
  resolve: (layers: readonly Layer[]) => RunConfig = (all) => resolveConfig(all).config,
): RunConfig => {
  const config = resolve([{ settings: parent.config, where: () => `settings of run ${parent.run}` }, ...layers]);
  const fixed = changedKeys(parent.config, config).filter((key) => isFixed(key, parent.config) && key !== 'seed');
  if (fixed.length > 0)
    throw new ConfigError([
      `${fixed.join(', ')}: a fork goes on with the population of run ${parent.run}, which was made with other settings: start a new run instead`,
    ]);
  const { steps } = config.limits;
  if (steps !== null && steps <= step)
    throw new ConfigError([
      `limits.steps: the fork begins after step ${step} and would end at once with ${steps} steps in all: give more, e.g. ${step + 10}`,
    ]);
  return config;
};
