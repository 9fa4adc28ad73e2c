// The part of the store that keeps policies, their updates, and the tokens that these are trained on.
import type { RunId } from '../../../evolution/types.ts';
import { immutableIn } from '../content/immutable.ts';
import type { Texts } from '../content/texts.ts';
import type { PolicyHead } from '../documents/documents.ts';
import type {
  BatchOfUpdate,
  PolicyDocument,
  Sample,
  UpdateDocument,
  UpdateState,
} from '../documents/learning-documents.ts';
import type { ReadConfig } from '../documents/run-documents.ts';
import type { Collections } from '../documents/stored.ts';
import { policyChain } from '../steps/policy-head.ts';
import { commitPolicy, listPolicies, settleStep } from './policies.ts';
import { eachSample, getSamples, putSamples } from './samples.ts';
import { moveUpdate, putBatch, putUpdate, readBatch, updateKey } from './updates.ts';

export interface LearningStore {
  /** Insert-or-get by id: the first stored sample wins. Written before the rollout or the call that it belongs to. */
  putSamples(samples: readonly Sample[]): Promise<void>;
  /** Unknown ids are left out. */
  getSamples(ids: readonly string[]): Promise<ReadonlyMap<string, Sample>>;
  /**
   * The samples of a committed step: of its responses by slot, then of its other calls. A few are in memory at a time.
   */
  eachSample(run: RunId, step: number): AsyncIterable<Sample>;

  /** Stores the bytes under their SHA-256, in chunks. The same bytes again change nothing. */
  putBatch(run: RunId, bytes: Uint8Array): Promise<Pick<BatchOfUpdate, 'file' | 'chunks' | 'bytes'>>;
  /** Throws where a chunk is gone. */
  readBatch(batch: Pick<BatchOfUpdate, 'file' | 'chunks'>): AsyncIterable<Uint8Array>;

  /**
   * Insert-or-get: the first stored plan wins, but for who trains and who serves. Their addresses are no part of its id,
   * so where an update waits for a server that is not there, a change of the settings reaches it. Until it is committed,
   * another trainer begins it anew, and another server is asked anew.
   */
  putUpdate(update: UpdateDocument): Promise<UpdateDocument>;
  readUpdate(run: RunId, updateId: string): Promise<UpdateDocument | null>;
  /** Changes an update that is in one of these states. Returns false, with nothing changed, where it is in none. */
  moveUpdate(
    run: RunId,
    updateId: string,
    from: readonly UpdateState[],
    fields: Partial<Pick<UpdateDocument, 'state' | 'result' | 'served' | 'servedAt'>>,
  ): Promise<boolean>;

  readPolicy(id: string): Promise<PolicyDocument | null>;
  /**
   * The policies by which this one came about, from its start on, oldest first and itself last. A policy of another run
   * with which the start began is not among them. Empty for null. Throws where one is gone.
   */
  policyChain(policy: string | null): Promise<readonly PolicyDocument[]>;
  /** All that the run itself ever made, those behind a rewind too; by step, then version. */
  listPolicies(run: RunId): Promise<readonly PolicyDocument[]>;
  /**
   * Stores the policy and moves the run to it, in one guarded update: the run has its parent (a start replaces nothing)
   * and is of this generation. A start does not settle its step, because a warm-up may follow; every other update does.
   * Answers the same where it is done already. A training that has no run document only gets the policy. Throws
   * SupersededError where the run has gone on otherwise.
   */
  commitPolicy(policy: PolicyDocument, generation: number): Promise<PolicyHead>;
  /**
   * Nothing is, or is left, to be learned from the run's steps up to this committed one. Answers the same where they are
   * settled already. Throws SupersededError where the run is of another generation.
   */
  settleStep(run: RunId, step: number, generation: number): Promise<PolicyHead>;
}

export const learningStore = (
  collections: Collections,
  texts: Texts,
  readConfig: ReadConfig,
  remembered: number,
): LearningStore => {
  const policies = immutableIn(collections.policies, remembered);
  const readPolicy = async (id: string) => (await policies.get([id])).get(id) ?? null;
  return {
    putSamples: (samples) => putSamples({ collections, texts }, samples),
    getSamples: (ids) => getSamples({ collections, texts }, ids),
    eachSample: (run, step) => eachSample({ collections, texts }, readConfig, run, step),
    putBatch: (run, bytes) => putBatch(collections, run, bytes),
    readBatch: (batch) => readBatch(collections, batch),
    putUpdate: (update) => putUpdate(collections, update),
    readUpdate: (run, updateId) => collections.updates.get(updateKey(run, updateId)),
    moveUpdate: (run, updateId, from, fields) => moveUpdate(collections, run, updateId, from, fields),
    readPolicy,
    policyChain: (policy) => policyChain(readPolicy, policy),
    listPolicies: (run) => listPolicies(collections, run),
    commitPolicy: (policy, generation) => commitPolicy(collections, readPolicy, policy, generation),
    settleStep: (run, step, generation) => settleStep(collections, run, step, generation),
  };
};
