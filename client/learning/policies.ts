// The policies of a run, or of the training of a judge: what `evolve policies` shows, and their export as a folder.
import type { PolicyDocument } from '../../activities/store/documents/learning-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { UsageError } from '../connect/errors.ts';
import { findRun } from '../read/run-id.ts';

/** A row of `evolve policies --json` and of the page. Numbers that there are none of are null. */
export type PolicyLine = ReturnType<typeof policyLine>;

export const policyLine = (policy: PolicyDocument) => {
  const { _id, version, kind, parent, step, updateId, batchHash, weightsHash, reward, zeroVariance, costUsd } = policy;
  const { loss, gradNorm, clipFraction, isClipFraction, mismatch, used, dropped, tokens, seconds } = policy.result;
  return {
    policy: _id,
    ...{ version, kind, parent, step, updateId, batchHash, weightsHash },
    reward: { mean: reward?.mean ?? null, max: reward?.max ?? null },
    ...{
      loss,
      gradNorm,
      clipFraction,
      isClipFraction,
      mismatch,
      used,
      dropped,
      zeroVariance,
      tokens,
      seconds,
      costUsd,
    },
    ...{ trainer: policy.trainer, servedAt: policy.servedAt.toISOString() },
  };
};

export type PoliciesReport = {
  readonly run: string;
  /** From the start to the one that the run has now, those that a fork inherited among them. */
  readonly chain: readonly PolicyDocument[];
  /** Those that a rewind, a reset or a resampling left behind, by step. They can be exported and started from. */
  readonly behind: readonly PolicyDocument[];
  readonly learns: boolean;
};

/** `name` is a run, `latest`, or a training that belongs to no run. Throws UsageError where it is none of them. */
export const policiesOf = async (store: Store, name: string): Promise<PoliciesReport> => {
  const training = await trained(store, name);
  if (training.length > 0) return { run: name, chain: training, behind: [], learns: true };
  const { run } = await findRun(store, name);
  // Listed before the run is read again, so that a policy that is committed meanwhile is not taken for one left behind.
  const listed = await store.listPolicies(run);
  const { policy = null, config } = await findRun(store, run);
  const chain = await store.policyChain(policy?.id ?? null);
  const live = new Set(chain.map(({ _id }) => _id));
  const behind = listed.filter(({ _id }) => !live.has(_id));
  return { run, chain, behind, learns: config.learning.trainer !== 'none' };
};

/** The policies of a name that no run has. */
const trained = async (store: Store, name: string): Promise<readonly PolicyDocument[]> =>
  name === 'latest' || !/^[a-z0-9-]{1,60}$/.test(name) || (await store.readRun(name)) !== null
    ? []
    : store.listPolicies(name);

/** Throws UsageError, with the versions there are, where there is no such policy. */
export const requirePolicy = async (store: Store, name: string): Promise<PolicyDocument> => {
  const { findPolicy } = await import('../../activities/store/learning/named-policy.ts');
  const { parsePolicyName } = await import('../../evolution/learning/policies.ts');
  const parsed = parsePolicyName(name);
  if (parsed === null)
    throw new UsageError(
      `expected a policy as <run>@<version>, for example first@12, got ${JSON.stringify(name)}: \`npx evolve policies <run>\` lists the versions`,
    );
  const policy = await findPolicy(store, name);
  if (policy !== null) return policy;
  const { run, chain, behind } = await policiesOf(store, parsed.run);
  const versions = [...new Set([...chain, ...behind].map(({ version }) => version))].sort((a, b) => a - b);
  throw new UsageError(
    versions.length === 0
      ? `${run} has no policies: it does not learn, or its first update is not made yet`
      : `${run} has no policy of version ${parsed.version}: it has ${versions.length === 1 ? 'version' : 'versions'} ${versions.join(', ')}`,
  );
};
