// Activity `commitPolicy` makes a policy of what a trainer made, and the run moves to it.
import { ApplicationFailure } from '@temporalio/activity';
import type { StoreLearning } from '../interface/learning.ts';
import { learningBrief, policyLine } from '../run/learning-brief.ts';
import { missing } from '../run/step-summary.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import type { PolicyDocument, UpdateDocument, UpdateResult } from '../store/documents/learning-documents.ts';
import type { Store } from '../store/store.ts';
import { count } from '../telemetry/metrics.ts';
import { prunePolicies } from './prune-policies.ts';

export type CommitPolicyDeps = {
  readonly store: Store;
  /** The folder of the weights of policies on this machine. */
  readonly policies: string;
};

export const createCommitPolicy = ({ store, policies }: CommitPolicyDeps): Pick<StoreLearning, 'commitPolicy'> => ({
  async commitPolicy({ run, updateId, generation }) {
    const update = await store.readUpdate(run, updateId);
    if (update === null) throw missing(`update ${updateId} of ${run}`);
    const document = await store.readRun(run);
    const policy = policyOf(update, document);
    const { learned } = await store.commitPolicy(policy, generation);
    count('policyUpdates', { run });
    count('trainedTokens', { run }, policy.result.tokens);
    const after = document === null ? null : await store.readRun(run);
    // Weights that cannot be removed now are removed after the next commit; a run does not wait for it.
    if (after !== null) await prunePolicies(store, after, policies).catch(() => []);
    const brief = after === null ? null : await learningBrief(store, after);
    // A judge that is trained by itself belongs to no run.
    return (
      brief ?? {
        ...{ on: true, trainer: update.trainer, lag: 0, learned },
        policy: { id: policy._id, version: policy.version },
        last: policyLine(policy),
      }
    );
  },
});

const policyOf = (update: UpdateDocument, document: RunDocument | null): PolicyDocument => {
  const { run, version, parent, step, updateId, kind, trainer, base, policy, served, servedAt, batch, stats } = update;
  const result = finite(update);
  const { weightsHash, trainingState, samplerState, tokens } = result;
  return {
    _id: policy,
    ...{ run, version, parent, step, updateId, kind, trainer, base },
    model: served?.model ?? policy,
    baseUrl: served?.baseUrl ?? null,
    ...{ trainingState, samplerState, weightsHash },
    batchHash: batch?.hash ?? null,
    result,
    reward: stats.reward,
    zeroVariance: stats.zeroVariance,
    costUsd: (tokens * (document?.config.learning.price?.train ?? 0)) / 1e6,
    servedAt: servedAt ?? new Date(),
    createdAt: new Date(),
  };
};

/** Its numbers are shown and added up, so a trainer that says nonsense is told here. */
const finite = ({ run, updateId, result, trainer }: UpdateDocument): UpdateResult => {
  if (result === null) throw missing(`the result of update ${updateId} of ${run}`);
  const wrong = Object.entries(result).find(([, value]) => typeof value === 'number' && !Number.isFinite(value));
  if (wrong === undefined) return result;
  throw ApplicationFailure.nonRetryable(
    `expected finite numbers in the result of update ${updateId}, got ${wrong[0]} = ${wrong[1]} from trainer ${trainer}: lower learning.optimizer.learningRate, or look at that trainer`,
    'NotFinite',
  );
};
