// Removes the weights of a run's older policies from this machine (`learning.keep`). Their documents stay. A version
// whose weights are gone can neither answer nor be trained on, so what anybody may still use is left alone.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { modelPool } from '../../evolution/models/ensemble.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import type { PolicyDocument } from '../store/documents/learning-documents.ts';
import { findPolicy } from '../store/learning/named-policy.ts';
import type { Store } from '../store/store.ts';

/** A step samples with the newest policy or, with `learning.lag` 1, with the one before it. */
const LEAST = 2;

/** Returns the policies whose weights it removed. `folder` has a folder for each policy, under its id. */
export const prunePolicies = async (
  store: Store,
  { run, config, policy = null }: RunDocument,
  folder: string,
): Promise<readonly string[]> => {
  const { keep } = config.learning;
  if (keep === 0 || policy === null) return [];
  const chain = await store.policyChain(policy.id);
  const kept = new Set(chain.slice(-Math.max(keep, LEAST)).map(({ _id }) => _id));
  const best = bestOf(chain);
  if (best !== null) kept.add(best);
  for (const id of await usedElsewhere(store, run)) kept.add(id);
  const gone: string[] = [];
  for (const { _id } of await store.listPolicies(run)) {
    // Others may write to the database, and a name that leads elsewhere would be removed there.
    if (kept.has(_id) || !/^[a-z0-9-]+$/.test(_id) || !existsSync(join(folder, _id))) continue;
    const away = join(folder, `${_id}.${process.pid}-${randomUUID().slice(0, 8)}.part`);
    await rename(join(folder, _id), away);
    await rm(away, { recursive: true, force: true });
    gone.push(_id);
  }
  return gone;
};

/** The policy whose answers had the highest mean reward: the parent of the one that was trained on them. */
const bestOf = (chain: readonly PolicyDocument[]): string | null =>
  chain.filter(({ reward }) => reward !== null).toSorted((a, b) => b.reward!.mean - a.reward!.mean)[0]?.parent ?? null;

/** The policies that other runs have now (a fork has this run's), and those that any run's settings name. */
const usedElsewhere = async (store: Store, run: string): Promise<readonly string[]> => {
  const used: string[] = [];
  const named = new Set<string>();
  for (const other of await store.listRuns()) {
    if (other.run !== run && other.policy) used.push(other.policy.id);
    for (const model of modelPool(other.config)) if (model.policy !== null) named.add(model.policy);
  }
  for (const name of named) {
    const policy = await findPolicy(store, name);
    if (policy !== null) used.push(policy._id);
  }
  return used;
};
