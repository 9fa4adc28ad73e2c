// A training that belongs to no run: a judge is fine-tuned on texts, a policy for each epoch (AlphaResearch 2.3.1). Its
// updates follow from the training alone, so whoever plans it, and however often, comes to the same ones.
import { canonicalJson } from '../../evolution/canonical-json.ts';
import { policyId } from '../../evolution/learning/policies.ts';
import { seedOf } from '../../evolution/rng.ts';
import type { StoreLearning, Training, UpdateOrder } from '../interface/learning.ts';
import { policyLine } from '../run/learning-brief.ts';
import { sha256 } from '../sha256.ts';
import type { PolicyDocument, UpdateDocument, UpdateKind, UpdateStats } from '../store/documents/learning-documents.ts';
import type { Store } from '../store/store.ts';

type Planning = Pick<StoreLearning, 'planUpdate'>;

/** A plan for an update of a training is made here, any other one by `ofRuns`. */
export const createPlanTraining = (store: Store, ofRuns: Planning): Planning => ({
  planUpdate: async (input) => {
    const { run, training } = input;
    if (training === undefined) return ofRuns.planUpdate(input);
    let parent: PolicyDocument | null = null;
    for (let epoch = 0; epoch <= training.epochs; epoch++) {
      const update = updateOf(run, training, epoch, parent?._id ?? null, parent?.trainingState ?? null);
      const policy: PolicyDocument | null = await store.readPolicy(update.policy);
      if (policy === null) return { order: orderOf(await store.putUpdate(update), 0) };
      parent = policy;
    }
    const { _id: id, version } = parent!;
    return {
      settled: {
        ...{ on: true, version: 0, trainer: training.trainer, lag: 0, learned: training.epochs },
        policy: { id, version },
        last: policyLine(parent!),
      },
    };
  },
});

/** The ids of the policies that the training makes: the base model's, then one for each epoch. */
export const trainingPolicies = (run: string, training: Training): readonly string[] => {
  const ids: string[] = [];
  for (let epoch = 0; epoch <= training.epochs; epoch++)
    ids.push(updateOf(run, training, epoch, ids.at(-1) ?? null, null).policy);
  return ids;
};

export const NOTHING_REWARDED: UpdateStats = { reward: null, groups: 0, zeroVariance: 0, missing: 0, truncated: 0 };

/** The state of an update that was just planned. */
export const NOT_BEGUN = { state: 'planned', operations: [], result: null, served: null, servedAt: null } as const;

/** Epoch 0 is the base model. */
const updateOf = (
  run: string,
  training: Training,
  epoch: number,
  parent: string | null,
  parentState: string | null,
): UpdateDocument => {
  const { trainer, base, server, serve, serveUrl, hyper, batch, epochs, steps, ...supervised } = training;
  const kind: UpdateKind = epoch === 0 ? 'start' : 'supervised';
  const seed = seedOf(training.seed, 'training', epoch);
  const allHyper = canonicalJson(
    epoch === 0 ? hyper : { ...hyper, supervised: supervisedOf(supervised, { steps, epoch, epochs }) },
  );
  const hash = sha256(canonicalJson([kind, base, seed, allHyper, epoch === 0 ? null : batch.hash]));
  const updateId = sha256(canonicalJson([run, epoch, parent, hash, kind]));
  return {
    _id: `${run}:${updateId}`,
    ...{ run, updateId, step: epoch, kind, version: epoch, parent },
    policy: policyId(run, epoch, updateId),
    ...{ trainer, base, seed, server, serve, serveUrl, parentState },
    batch: epoch === 0 ? null : { ...batch, hash },
    hyper: allHyper,
    ...NOT_BEGUN,
    stats: NOTHING_REWARDED,
    createdAt: new Date(),
  };
};

const supervisedOf = (
  { batchSize, learningRate, schedule, warmup }: Pick<Training, 'batchSize' | 'learningRate' | 'schedule' | 'warmup'>,
  { steps, epoch, epochs }: { readonly steps: number; readonly epoch: number; readonly epochs: number },
): object => ({
  ...{ steps, batch: batchSize, learningRate, schedule, warmup },
  ...{ first: (epoch - 1) * steps, total: epochs * steps },
});

export const orderOf = (
  { run, step, updateId, kind, trainer, policy, version, batch }: UpdateDocument,
  generation: number,
): UpdateOrder => ({
  ...{ run, step, generation, updateId, kind, trainer, policy, version },
  ...{ rollouts: batch?.rows ?? 0, tokens: batch?.tokens ?? 0 },
});
