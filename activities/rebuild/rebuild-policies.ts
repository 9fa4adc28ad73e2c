// The policies of a run that learns: one comes of another without a gap, and what was trained on is what the run's steps
// have stored.
import { rebuiltHash } from '../learning/batch.ts';
import type { RunDocument } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import type { Differences } from './differences.ts';

export const comparePolicies = async (
  store: Store,
  { run, policy: head }: RunDocument,
  differences: Differences,
): Promise<void> => {
  let before: string | null = null;
  for (const policy of await store.policyChain(head?.id ?? null)) {
    const { _id, step, parent, kind, updateId, batchHash } = policy;
    if (kind !== 'start') differences.compare(step, `parent of policy ${_id}`, before, parent);
    before = _id;
    const update = await store.readUpdate(policy.run, updateId);
    differences.compare(step, `update that made policy ${_id}`, updateId, update?.updateId ?? null);
    if (update === null || kind !== 'policy') continue;
    // The steps that a fork began with are its own as they were then, whatever the other run has done since.
    const found = await rebuiltHash(store, run, update);
    differences.compare(step, `batch of policy ${_id}`, found, batchHash);
  }
};
