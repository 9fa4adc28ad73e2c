// The policies of a run that learns: one comes of another without a gap, the run has the one that its steps say, and
// what was trained on is what the run's steps have stored.
import { policyFor } from '../../evolution/learning/policies.ts';
import { rebuiltHash } from '../learning/batch.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import type { PolicyDocument, UpdateDocument } from '../store/documents/learning-documents.ts';
import type { Store } from '../store/store.ts';
import type { Differences } from './differences.ts';

/** Returns how many policies the run has. */
export const comparePolicies = async (
  store: Store,
  { run, policy: head, learned = -1, committedStep }: RunDocument,
  differences: Differences,
): Promise<number> => {
  const chain = await store.policyChain(head?.id ?? null);
  const last = chain.at(-1);
  if (last !== undefined) {
    const of = { id: last._id, version: last.version };
    differences.compare(committedStep, 'policy of the run', of, head);
    const due = policyFor(committedStep + 1, 0, chain);
    differences.compare(committedStep, 'newest policy of the committed steps', due?._id ?? null, last._id);
    differences.compare(
      committedStep,
      'last step that is learned from, and is committed',
      learned,
      Math.min(learned, committedStep),
    );
  }
  let before: PolicyDocument | null = null;
  for (const policy of chain) {
    const { _id, step, version, parent, kind } = policy;
    if (kind !== 'start') differences.compare(step, `parent of policy ${_id}`, before?._id ?? null, parent);
    differences.compare(step, `version of policy ${_id}`, before === null ? 0 : before.version + 1, version);
    before = policy;
    await compareUpdate(store, run, policy, differences);
  }
  return chain.length;
};

const compareUpdate = async (
  store: Store,
  run: string,
  { _id, run: maker, step, kind, updateId, batchHash, weightsHash }: PolicyDocument,
  differences: Differences,
): Promise<void> => {
  const update = await store.readUpdate(maker, updateId);
  differences.compare(step, `update that made policy ${_id}`, updateId, update?.updateId ?? null);
  if (update === null) return;
  differences.compare(step, `weights of policy ${_id}`, weightsHash, update.result?.weightsHash ?? null);
  if (update.batch !== null)
    differences.compare(step, `stored batch of policy ${_id}`, 'whole', await stateOf(store, update.batch));
  if (kind !== 'policy') return;
  // The steps that a fork began with are its own as they were then, whatever the other run has done since.
  differences.compare(step, `batch of policy ${_id}`, await rebuiltHash(store, run, update), batchHash);
};

const stateOf = async (store: Store, batch: NonNullable<UpdateDocument['batch']>): Promise<string> => {
  try {
    for await (const _ of store.readBatch(batch));
    return 'whole';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
