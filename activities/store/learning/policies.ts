// The policies of runs that learn: chains by `parent`, and which policy a run has. A policy never changes and is never
// deleted. Going back moves the run to an earlier one of its chain, and the same stored responses lead to the same
// policies again.
import { LRUCache } from 'lru-cache';
import type { RunId } from '../../../evolution/types.ts';
import { sumOf } from '../../../evolution/statistics.ts';
import { Immutable } from '../content/immutable.ts';
import { insertOrGet } from '../documents/collection.ts';
import type { PolicyHead } from '../documents/documents.ts';
import { SupersededError } from '../documents/errors.ts';
import type { PolicyDocument } from '../documents/learning-documents.ts';
import { requireRun } from '../documents/run-documents.ts';
import type { Collections, StoredRun } from '../documents/stored.ts';
import { ancestors, headOf, policyChain, type ReadPolicy, stillAt } from '../steps/policy-head.ts';
import { updateKey } from './updates.ts';

export interface PolicyStore {
  readPolicy(id: string): Promise<PolicyDocument | null>;
  /**
   * The policies from the start to this one, oldest first; those of another run with which the start began are not
   * among them. Empty for null. Throws where one is gone.
   */
  policyChain(policy: string | null): Promise<readonly PolicyDocument[]>;
  /** All that the run itself ever made, those behind a rewind too; by step, then version. */
  listPolicies(run: RunId): Promise<readonly PolicyDocument[]>;
  /**
   * Stores the policy and moves the run to it in one guarded update: the run has its parent and is of this generation.
   * A start does not settle its step, because a warm-up may follow; every other update does. Answers the same again. A
   * training without a run document only gets the policy. Throws SupersededError where the run has gone on otherwise.
   */
  commitPolicy(policy: PolicyDocument, generation: number): Promise<PolicyHead>;
  /**
   * Notes that nothing is left to be learned up to this committed step, once. Throws SupersededError where the run is
   * of another generation.
   */
  settleStep(run: RunId, step: number, generation: number): Promise<PolicyHead>;
}

export const policyStore = (collections: Collections, remembered: number): PolicyStore => {
  const policies = new Immutable(collections.policies, new LRUCache({ max: remembered }));
  const readPolicy = async (id: string) => (await policies.get([id])).get(id) ?? null;
  return {
    readPolicy,
    policyChain: (policy) => policyChain(readPolicy, policy),
    listPolicies: async (run) =>
      (await collections.policies.find({ run })).toSorted(
        (a, b) => a.step - b.step || a.version - b.version || (a._id < b._id ? -1 : 1),
      ),
    commitPolicy: (policy, generation) => commitPolicy(collections, readPolicy, policy, generation),
    settleStep: (run, step, generation) => settleStep(collections, run, step, generation),
  };
};

const commitPolicy = async (
  collections: Collections,
  read: ReadPolicy,
  policy: PolicyDocument,
  generation: number,
): Promise<PolicyHead> => {
  const { _id: id, run, version, step, kind } = policy;
  const before = await collections.runs.get(run);
  if (before === null) {
    await storePolicy(collections, policy);
    return { policy: { id, version }, learned: step };
  }
  if (await isCommitted(read, before, id)) return done(collections, before, policy);
  if (!isTurn(before, policy, generation)) throw superseded(before, policy, generation);
  await storePolicy(collections, policy);
  const own = await collections.policies.find({ run }, ['result', 'costUsd']);
  const { learned } = headOf(before);
  const moved = await collections.runs.update(
    run,
    { generation, ...stillAt(before) },
    {
      $set: {
        policy: { id, version },
        learned: kind === 'start' ? learned : Math.max(learned, step),
        training: {
          tokens: sumOf(own.map(({ result }) => result.tokens)),
          costUsd: sumOf(own.map((one) => one.costUsd)),
        },
      },
    },
  );
  const now = await requireRun(collections, run);
  if (moved || (await isCommitted(read, now, id))) return done(collections, now, policy);
  throw superseded(now, policy, generation);
};

const storePolicy = async ({ policies }: Collections, policy: PolicyDocument): Promise<void> => {
  await insertOrGet(policies, [policy]);
};

/** The mark is for people and for the trainer's worker. The store itself decides by the run's chain. */
const done = async (
  { updates }: Collections,
  run: StoredRun,
  { updateId }: Pick<PolicyDocument, 'updateId'>,
): Promise<PolicyHead> => {
  await updates.update(updateKey(run._id, updateId), {}, { $set: { state: 'committed' } });
  return headOf(run);
};

const isCommitted = async (read: ReadPolicy, { policy }: StoredRun, id: string): Promise<boolean> => {
  for await (const { _id } of ancestors(read, policy?.id ?? null)) if (_id === id) return true;
  return false;
};

const isTurn = (run: StoredRun, { parent, kind, step }: PolicyDocument, generation: number): boolean => {
  const { policy, learned } = headOf(run);
  if (run.generation !== generation || step > run.committedStep) return false;
  if (kind === 'start') return policy === null;
  return policy?.id === parent && (kind === 'policy' ? step > learned : step >= learned);
};

const superseded = (run: StoredRun, { _id, parent, step }: PolicyDocument, generation: number): SupersededError => {
  const { policy, learned } = headOf(run);
  return new SupersededError(
    `policy ${_id}, of step ${step} and parent ${parent ?? 'none'}, may not be committed by generation ${generation}: run '${run._id}' is at generation ${run.generation}, committed step ${run.committedStep}, policy ${policy?.id ?? 'none'}, learned up to step ${learned}; another execution goes on with it`,
  );
};

const settleStep = async (
  collections: Collections,
  run: RunId,
  step: number,
  generation: number,
): Promise<PolicyHead> => {
  for (;;) {
    const document = await requireRun(collections, run);
    const head = headOf(document);
    if (document.generation !== generation || step > document.committedStep)
      throw new SupersededError(
        `step ${step} may not be settled by generation ${generation}: run '${run}' is at generation ${document.generation}, committed step ${document.committedStep}; another execution goes on with it`,
      );
    if (head.learned >= step) return head;
    const fields = { policy: head.policy, learned: step };
    if (await collections.runs.update(run, { generation, ...stillAt(document) }, { $set: fields })) return fields;
  }
};
