// The model that is asked for the programs of a group: drawn by weight or, with `modelChoice: bandit`, by what the
// models' programs were worth before the step. The choice is the same on every attempt; where the chosen model is down,
// the failover asks another one.
import { LRUCache } from 'lru-cache';
import { priceOf } from '../../../evolution/budget/money.ts';
import type { ModelSettings, RunConfig } from '../../../evolution/config/run-config.ts';
import { promptId } from '../../../evolution/ids.ts';
import {
  type BanditState,
  chooseModel,
  type ModelResult,
  NO_RESULTS,
  withResult,
  withSubmission,
} from '../../../evolution/models/bandit.ts';
import { drawModel, modelId, modelPool, modelsFor } from '../../../evolution/models/ensemble.ts';
import { rng } from '../../../evolution/rng.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import type { ProgramId, Role, RunId } from '../../../evolution/types.ts';
import type { StepRef } from '../../interface/step.ts';
import { requiredRun } from '../../run/step-summary.ts';
import type { ProgramDocument, RolloutDocument } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';

/**
 * The state of the bandit is folded from the programs of committed steps, as the run has them in this generation. It
 * depends only on what is stored, so a step that is planned or retried anywhere draws the same models.
 */
type ResultsOf = { readonly run: RunId; readonly generation: number; readonly step: number };

/** `step` is the last folded step, or -1 where there is none. */
type Folded = {
  readonly generation: number;
  readonly step: number;
  readonly state: BanditState;
  readonly baseline: number | null;
};

const KEPT_RUNS = 100;

/** Each step is read once while the run goes on. After a rewind everything is read again. */
const modelResults = (store: Store): ((of: ResultsOf) => Promise<BanditState>) => {
  const cache = new LRUCache<RunId, Promise<Folded>>({ max: KEPT_RUNS });
  return async ({ run, generation, step }) => {
    const known = await cache.get(run)?.catch(() => null);
    const usable = known?.generation === generation && known.step < step ? known : null;
    if (usable?.step === step - 1) return usable.state;
    const folding = foldFrom(store, run, usable ?? { generation, step: -1, state: NO_RESULTS, baseline: null }, step);
    cache.set(run, folding);
    return (await folding).state;
  };
};

const foldFrom = async (store: Store, run: RunId, from: Folded, before: number): Promise<Folded> => {
  const priced = await pricedByStep(store, run, from.step + 1);
  let folded = from;
  let programs: ProgramDocument[] = [];
  const flush = async (): Promise<void> => {
    if (programs.length > 0)
      folded = await foldStep(store, folded, programs, priced.get(programs[0]!.step) ?? new Set());
    programs = [];
  };
  for await (const program of store.eachProgram(run, { fromStep: from.step + 1 })) {
    if (program.step >= before) break;
    if (programs.length > 0 && programs[0]!.step !== program.step) await flush();
    programs.push(program);
  }
  await flush();
  return { ...folded, step: before - 1 };
};

/** The models whose price was known, by step. */
const pricedByStep = async (
  store: Store,
  run: RunId,
  fromStep: number,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> => {
  const priced = new Map<number, ReadonlySet<string>>();
  for await (const marker of store.eachStep(run, fromStep)) {
    const config = await store.readConfig(marker.run, marker.configVersion);
    priced.set(
      marker.step,
      new Set(modelPool(config).flatMap((model) => (priceOf(model) === null ? [] : [modelId(model)]))),
    );
  }
  return priced;
};

/** Submissions come before results, as they were sent. Results come in slot order. */
const foldStep = async (
  store: Store,
  { generation, state, baseline }: Folded,
  programs: readonly ProgramDocument[],
  priced: ReadonlySet<string>,
): Promise<Folded> => {
  const { step, fit: firstFit = null, rescored } = programs[0]!;
  // Gains by an earlier version of the task say nothing of those to come.
  if (rescored !== undefined) return { generation, step, state: NO_RESULTS, baseline: firstFit };
  const first = baseline ?? programs.find(({ bornSeq }) => bornSeq === 0)?.fit ?? null;
  const rollouts = await store.getRollouts(programs.map(({ _id }) => _id));
  const parents = await store.getPrograms([...new Set(programs.flatMap((program) => program.parents))]);
  const costs = meanCosts([...rollouts.values()]);
  const results = programs.flatMap((program): readonly ModelResult[] => {
    const rollout = rollouts.get(program._id);
    if (rollout === undefined) return [];
    const model = rollout.asked ?? rollout.model;
    return [
      {
        model,
        fit: program.fit ?? null,
        parentFit: parentFit(program, parents),
        baseline: first,
        costUsd: priced.has(model) ? (costs.get(rollout.group) ?? null) : null,
      },
    ];
  });
  const submitted = results.reduce((sum, { model }) => withSubmission(sum, model), state);
  return {
    generation,
    step,
    state: results.reduce((sum, result) => withResult(sum, result), submitted),
    baseline: first,
  };
};

const parentFit = ({ parents }: ProgramDocument, known: ReadonlyMap<ProgramId, ProgramDocument>): number | null =>
  parents[0] === undefined ? null : (known.get(parents[0])?.fit ?? null);

/**
 * Mean cost by group. A call's cost is shared equally among its responses, because the prompt is counted with the first
 * of them.
 */
const meanCosts = (rollouts: readonly RolloutDocument[]): ReadonlyMap<number, number> => {
  const sums = new Map<number, { count: number; costUsd: number }>();
  for (const { group, costUsd } of rollouts) {
    const sum = sums.get(group) ?? { count: 0, costUsd: 0 };
    sums.set(group, { count: sum.count + 1, costUsd: sum.costUsd + costUsd });
  }
  return new Map([...sums].map(([group, { count, costUsd }]) => [group, costUsd / count]));
};

type GroupRef = StepRef & {
  readonly group: number;
  readonly role: Role;
  /** The newest settings, so that a change of models cures a parked step. */
  readonly config: RunConfig;
};

export const createChooseModel = (store: Store): ((of: GroupRef) => Promise<ModelSettings>) => {
  const picksOf = bandit(store);
  return async (of) => {
    const { config, role, step, epoch, group } = of;
    if (config.modelChoice === 'weighted' || modelsFor(config, role).length < 2)
      return drawModel(config, role, rng(config.seed, 'model', step, epoch, group));
    const name = (await picksOf(of))[group];
    return (
      modelPool(config).find((model) => modelId(model) === name) ??
      drawModel(config, role, rng(config.seed, 'model', step, epoch, group))
    );
  };
};

type Picks = readonly string[];

/** The names of the models of a step's groups, kept for the steps at hand. */
const bandit = (store: Store): ((of: GroupRef) => Promise<Picks>) => {
  const resultsOf = modelResults(store);
  const kept = new LRUCache<string, Promise<Picks>>({ max: KEPT_STEPS });
  return async (of) => {
    const { run, step, epoch, version, config } = of;
    const { generation } = await requiredRun(store, run);
    const key = JSON.stringify([
      run,
      generation,
      step,
      epoch,
      version,
      modelPool(config).map((model) => [modelId(model), ...model.roles]),
    ]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = pick(store, of, generation, resultsOf);
    made.catch(() => kept.delete(key));
    kept.set(key, made);
    return made;
  };
};

const KEPT_STEPS = 50;

/** Chooses group by group. The responses of each group count as submitted for the groups after it. */
const pick = async (
  store: Store,
  { run, step, epoch, version, config }: GroupRef,
  generation: number,
  resultsOf: ReturnType<typeof modelResults>,
): Promise<Picks> => {
  const planned = await store.readConfig(run, version);
  const ids = range(0, planned.batch).map((group) => promptId(run, step, epoch, group));
  const prompts = await store.getPrompts(ids);
  let state = await resultsOf({ run, generation, step });
  return ids.map((id, group) => {
    const pool = modelsFor(config, prompts.get(id)?.operator ?? 'exploit').map(modelId);
    const chosen = chooseModel(state, pool, rng(config.seed, 'bandit', step, epoch, group));
    for (let response = 0; response < planned.responses; response += 1) state = withSubmission(state, chosen);
    return chosen;
  });
};
