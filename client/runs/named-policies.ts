// The policies that settings name are there, and learning can begin with them: checked before a run, a fork or a sweep
// begins.
import type { Store } from '../../activities/store/store.ts';
import { ConfigError } from '../../evolution/config/config-error.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { notABeginning, trainableOf } from '../../evolution/learning/policies.ts';
import { modelPool } from '../../evolution/models/ensemble.ts';

/** Throws ConfigError with every problem. */
export const checkNamedPolicies = async (store: Store, configs: readonly RunConfig[]): Promise<void> => {
  const problems = new Set<string>();
  for (const config of configs)
    for (const [index, model] of modelPool(config).entries()) {
      if (model.policy === null) continue;
      const at = index === 0 ? 'model' : `models.${index - 1}`;
      const { namedPolicy } = await import('../../activities/store/learning/named-policy.ts');
      try {
        const policy = await namedPolicy(store, model.policy, `${at}.policy`);
        const problem = trainableOf(config) === model ? notABeginning(policy, config, model, at) : null;
        if (problem !== null) problems.add(problem);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        for (const problem of error.problems) problems.add(problem);
      }
    }
  if (problems.size > 0) throw new ConfigError([...problems]);
};
