// Activity `planUpdate` plans the update that a run makes of a committed step, and stores the plan with its batch before
// anybody acts on it. Asked again, it finds the plan that it made.
import { ApplicationFailure } from '@temporalio/activity';
import { canonicalJson } from '../../evolution/canonical-json.ts';
import type { ModelSettings } from '../../evolution/config/run-config.ts';
import { baseOf, hyperOf, notABeginning, policyId, trainableOf } from '../../evolution/learning/policies.ts';
import { seedOf } from '../../evolution/rng.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { LearningBrief, StoreLearning, UpdateOrder } from '../interface/learning.ts';
import { learningBrief } from '../run/learning-brief.ts';
import { requiredRun } from '../run/step-summary.ts';
import { sha256 } from '../sha256.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import type {
  BatchOfUpdate,
  PolicyDocument,
  UpdateDocument,
  UpdateStats,
} from '../store/documents/learning-documents.ts';
import type { Store } from '../store/store.ts';
import { taskRef } from '../task/kept-task.ts';
import { assembled, storedExamples, storedRollouts } from './batch.ts';
import { NOT_BEGUN, NOTHING_REWARDED, orderOf } from './training.ts';
import { namedPolicy } from '../store/learning/named-policy.ts';
import { type OfflineAnswers, warmUpExamples } from './warm-up.ts';

export type PlanUpdateDeps = {
  readonly store: Store;
  readonly loadTask: (ref: string) => Promise<Task>;
  /** The offline model, whose answers a warm-up is made of. */
  readonly answers: OfflineAnswers;
};

type Plan = { readonly settled: LearningBrief } | { readonly order: UpdateOrder };

export const createPlanUpdate = (deps: PlanUpdateDeps): Pick<StoreLearning, 'planUpdate'> => ({
  async planUpdate({ run, step }): Promise<Plan> {
    const { store } = deps;
    const document = await requiredRun(store, run);
    if (step > document.committedStep)
      throw ApplicationFailure.nonRetryable(
        `the update of step ${step} of run ${run} is superseded: the run went back to step ${document.committedStep}`,
        'SupersededError',
      );
    const { config, generation } = document;
    const model = trainableOf(config);
    const head = document.policy == null ? null : await store.readPolicy(document.policy.id);
    const briefOf = async (now: RunDocument, note?: string): Promise<LearningBrief> => {
      const brief = (await learningBrief(store, now)) ?? NEVER;
      return note === undefined ? brief : { ...brief, last: note };
    };
    const settled = async (note?: string): Promise<Plan> => {
      const { learned } = await store.settleStep(run, step, generation);
      return { settled: await briefOf({ ...document, learned }, note) };
    };
    if ((document.learned ?? -1) >= step) return { settled: await briefOf(document) };
    if (model === null) return settled();
    const of: Of = { deps, document, step, model };
    if (head === null) return startOf(of);
    if (head.step === step && head.kind === 'start')
      return head.parent === null && config.learning.warmup !== null ? warmUpOf(of, head) : settled();
    if (!config.learning.on) return settled(`step ${step} was not learned from: learning.on is false`);
    return policyUpdateOf(of, head, settled);
  },
});

const NEVER: LearningBrief = { on: false, trainer: 'none', lag: 0, learned: -1, policy: null, last: null };

type Of = {
  readonly deps: PlanUpdateDeps;
  readonly document: RunDocument;
  readonly step: number;
  readonly model: ModelSettings;
};

/** Version 0: the base model, or the policy of another run with which this one begins. */
const startOf = async (of: Of): Promise<Plan> => {
  const { document, model, deps } = of;
  const from = model.policy === null ? null : await namedPolicy(deps.store, model.policy, 'model.policy');
  const problem = from === null ? null : notABeginning(from, document.config, model, 'model');
  if (problem !== null) throw wrong(problem);
  return planned(of, {
    kind: 'start',
    parent: from,
    version: 0,
    hyper: hyperJson(of),
    batch: null,
    stats: NOTHING_REWARDED,
  });
};

const wrong = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'ConfigError');

const warmUpOf = async (of: Of, parent: PolicyDocument): Promise<Plan> => {
  const { deps, document, step } = of;
  const { warmup } = document.config.learning;
  const { examples: _, ...supervised } = warmup!;
  const hyper = hyperJson(of, { supervised });
  const task = await deps.loadTask(taskRef(document));
  const examples = await warmUpExamples({ ...deps, task, run: document, step });
  if (examples.length === 0)
    throw wrong(
      'learning.warmup: expected prompts for programs to warm up on, got none: groups of this run begin with another stage (ideation.kind, exploration.metaPrompt); set learning.warmup to null',
    );
  const madeWith = { base: parent.base, seed: seedFor(of, 'supervised'), hyper };
  const batch = await storedExamples(deps.store, document.run, examples, madeWith);
  return planned(of, {
    kind: 'supervised',
    parent,
    version: parent.version + 1,
    hyper,
    batch,
    stats: NOTHING_REWARDED,
  });
};

const policyUpdateOf = async (
  of: Of,
  parent: PolicyDocument,
  settled: (note: string) => Promise<Plan>,
): Promise<Plan> => {
  const { deps, document, step } = of;
  const { advantage, sendConstant, whenConstant } = document.config.learning;
  const hyper = hyperJson(of, { advantage, sendConstant });
  const madeWith = { base: parent.base, seed: seedFor(of, 'policy'), hyper };
  const rows = await assembled(deps.store, { run: document.run, step }, madeWith);
  const { reward, groups, zeroVariance, missing: lost, truncated, total } = rows;
  if (total === 0) return settled(`step ${step} was not learned from: none of its answers is the policy's`);
  if (groups === 0)
    return settled(
      `step ${step} was not learned from: ${lost} of its ${total} answers have no token ids and logprobs, and no group is left`,
    );
  if (groups === zeroVariance && whenConstant === 'skip')
    return settled(
      `step ${step} was not learned from: the rewards of each of its ${groups} groups are all the same (learning.whenConstant skip)`,
    );
  const batch = await storedRollouts(deps.store, document.run, rows, hyper);
  const stats: UpdateStats = { reward, groups, zeroVariance, missing: lost, truncated };
  return planned(of, { kind: 'policy', parent, version: parent.version + 1, hyper, batch, stats });
};

const hyperJson = ({ document, model }: Of, more: object = {}): string =>
  canonicalJson({ ...hyperOf(document.config, model), ...more });

const seedFor = ({ document, step }: Of, kind: UpdateDocument['kind']): number =>
  seedOf(document.config.seed, 'learning', kind, step);

type Planned = Pick<UpdateDocument, 'kind' | 'version' | 'hyper' | 'stats'> & {
  readonly parent: PolicyDocument | null;
  readonly batch: BatchOfUpdate | null;
};

const planned = async (of: Of, { parent, batch, ...plan }: Planned): Promise<Plan> => {
  const { deps, document, step, model } = of;
  const { run, generation, config } = document;
  const { kind, version, hyper } = plan;
  const seed = seedFor(of, kind);
  const base = parent?.base ?? baseOf(config, model);
  const batchHash = batch?.hash ?? sha256(canonicalJson({ kind, base, seed, hyper: JSON.parse(hyper) as object }));
  const updateId = sha256(canonicalJson([run, step, parent?._id ?? null, batchHash, kind]));
  const { trainer, server, serve, serveUrl } = config.learning;
  const update = await deps.store.putUpdate({
    _id: `${run}:${updateId}`,
    ...{ run, updateId, step, ...plan },
    parent: parent?._id ?? null,
    policy: policyId(run, version, updateId),
    ...{ trainer, base, seed, server, serve, serveUrl },
    parentState: parent?.trainingState ?? null,
    batch,
    ...NOT_BEGUN,
    createdAt: new Date(),
  });
  return { order: orderOf({ ...update, trainer }, generation) };
};
