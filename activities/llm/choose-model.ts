// The model that a group of programs is asked of: drawn by weight, or (`modelChoice: bandit`) by what the models' programs were worth before the
// step. The same on every attempt; failover.ts goes to another where this one is down. Called by generate.ts.
import { drawModel, modelPool, modelsFor } from '../../evolution/config/models.ts';
import type { ModelSettings, RunConfig } from '../../evolution/config/run-config.ts';
import { promptId } from '../../evolution/ids.ts';
import { chooseModel, withSubmission } from '../../evolution/models/bandit.ts';
import { rng } from '../../evolution/rng.ts';
import type { Role } from '../../evolution/types.ts';
import type { StepRef } from '../interface.ts';
import type { Store } from '../store/store.ts';
import { missing } from '../step-summary.ts';
import { modelResults } from './model-results.ts';

export type GroupRef = StepRef & {
  readonly group: number; readonly role: Role;
  /** The newest settings: a change of models cures a parked step. */
  readonly config: RunConfig;
};

export const createChooseModel = (store: Store): ((of: GroupRef) => Promise<ModelSettings>) => {
  const picksOf = bandit(store);
  return async (of) => {
    const { config, role, step, epoch, group } = of;
    if (config.modelChoice === 'weighted' || modelsFor(config, role).length < 2) return drawModel(config, role, rng(config.seed, 'model', step, epoch, group));
    const name = (await picksOf(of))[group];
    return modelPool(config).find((model) => model.name === name) ?? drawModel(config, role, rng(config.seed, 'model', step, epoch, group));
  };
};

type Picks = readonly string[];

/** Names of the models of a step's groups, kept for the steps at hand. */
const bandit = (store: Store): ((of: GroupRef) => Promise<Picks>) => {
  const resultsOf = modelResults(store);
  const kept = new Map<string, Promise<Picks>>();
  return async (of) => {
    const { run, step, epoch, version, config } = of;
    const document = await store.readRun(run);
    if (document === null) throw missing(`run ${run}`);
    const { generation } = document;
    const key = JSON.stringify([run, generation, step, epoch, version, modelPool(config).map(({ name, roles }) => [name, ...roles])]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = pick(store, of, generation, resultsOf);
    made.catch(() => kept.delete(key));
    if (kept.size >= KEPT_STEPS) kept.delete(kept.keys().next().value!);
    kept.set(key, made);
    return made;
  };
};

const KEPT_STEPS = 50;

/** Group by group: each one's responses count as submitted for the groups after it. */
const pick = async (store: Store, { run, step, epoch, version, config }: GroupRef, generation: number, resultsOf: ReturnType<typeof modelResults>): Promise<Picks> => {
  const planned = await store.readConfig(run, version);
  const ids = Array.from({ length: planned.batch }, (_, group) => promptId(run, step, epoch, group));
  const prompts = await store.getPrompts(ids);
  let state = await resultsOf({ run, generation, step });
  return ids.map((id, group) => {
    const pool = modelsFor(config, prompts.get(id)?.operator ?? 'exploit').map(({ name }) => name);
    const chosen = chooseModel(state, pool, { rng: rng(config.seed, 'bandit', step, epoch, group) });
    for (let response = 0; response < planned.responses; response += 1) state = withSubmission(state, chosen);
    return chosen;
  });
};
