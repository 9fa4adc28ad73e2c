// The part of the store that keeps what never changes: texts and tasks by their content, and what a step makes by its
// place in the run.
import { LRUCache } from 'lru-cache';
import type { BlobRef, ProgramId } from '../../../evolution/types.ts';
import type { PortableCollection, Row } from '../documents/collection.ts';
import type { TaskDocument } from '../documents/documents.ts';
import type {
  CallDocument,
  DeltaDocument,
  EmbeddingDocument,
  EvaluationDocument,
  PromptDocument,
  RequestDocument,
  RolloutDocument,
} from '../documents/step-documents.ts';
import type { Collections } from '../documents/stored.ts';
import { Immutable } from './immutable.ts';
import type { Texts } from './texts.ts';

export interface ContentStore {
  // texts, content-addressed; compressed when that makes them smaller
  putTexts(texts: readonly string[]): Promise<readonly BlobRef[]>;
  getTexts(refs: readonly BlobRef[]): Promise<ReadonlyMap<BlobRef, string>>;

  // tasks, content-addressed; see kept-task.ts
  /** Insert-or-get. */
  putTask(task: TaskDocument): Promise<TaskDocument>;
  readTask(digest: string): Promise<TaskDocument | null>;

  // what a step makes, all insert-or-get by id: the stored document wins and is returned, in the order asked
  putPrompts(documents: readonly PromptDocument[]): Promise<readonly PromptDocument[]>;
  getPrompts(ids: readonly string[]): Promise<ReadonlyMap<string, PromptDocument>>;
  putRequests(documents: readonly RequestDocument[]): Promise<readonly RequestDocument[]>;
  getRequests(ids: readonly string[]): Promise<ReadonlyMap<string, RequestDocument>>;
  putCalls(documents: readonly CallDocument[]): Promise<readonly CallDocument[]>;
  getCalls(ids: readonly string[]): Promise<ReadonlyMap<string, CallDocument>>;
  putRollouts(documents: readonly RolloutDocument[]): Promise<readonly RolloutDocument[]>;
  getRollouts(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, RolloutDocument>>;
  putDeltas(documents: readonly DeltaDocument[]): Promise<readonly DeltaDocument[]>;
  getDeltas(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, DeltaDocument>>;
  /** Documents that are put stay in memory until a commit has read them; those that are read do not. */
  putEmbeddings(documents: readonly EmbeddingDocument[]): Promise<readonly EmbeddingDocument[]>;
  getEmbeddings(ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, EmbeddingDocument>>;
  putEvaluations(documents: readonly EvaluationDocument[]): Promise<readonly EvaluationDocument[]>;
  getEvaluations(ids: readonly string[]): Promise<ReadonlyMap<string, EvaluationDocument>>;
}

/** `remembered` is the number of documents of each kind, but for vectors, whose memory is bounded by bytes. */
export const contentStore = (
  collections: Collections,
  texts: Texts,
  remembered: number,
  embeddingBytes: number,
): ContentStore => {
  const immutable = <T extends Row>(collection: PortableCollection<T>) =>
    new Immutable(collection, new LRUCache({ max: remembered }));
  const prompts = immutable(collections.prompts);
  const requests = immutable(collections.requests);
  const calls = immutable(collections.calls);
  const rollouts = immutable(collections.rollouts);
  const deltas = immutable(collections.deltas);
  const evaluations = immutable(collections.evaluations);
  const tasks = immutable(collections.tasks);
  const embeddings = embeddingsIn(collections.embeddings, embeddingBytes);
  return {
    putTexts: texts.put,
    getTexts: texts.get,
    putTask: async (task) => (await tasks.put([task]))[0]!,
    readTask: async (digest) => (await tasks.get([digest])).get(digest) ?? null,
    putPrompts: prompts.put,
    getPrompts: prompts.get,
    putRequests: requests.put,
    getRequests: requests.get,
    putCalls: calls.put,
    getCalls: calls.get,
    putRollouts: rollouts.put,
    getRollouts: rollouts.get,
    putDeltas: deltas.put,
    getDeltas: deltas.get,
    putEmbeddings: embeddings.put,
    getEmbeddings: embeddings.get,
    putEvaluations: evaluations.put,
    getEvaluations: evaluations.get,
  };
};

/** A vector has up to 64 KB; the rest of its document takes about 400 bytes. */
export const embeddingsIn = (
  collection: PortableCollection<EmbeddingDocument>,
  maxSize: number,
): Immutable<EmbeddingDocument> => {
  const sizeCalculation = ({ vector }: EmbeddingDocument): number => vector.byteLength + 400;
  return new Immutable(collection, new LRUCache<string, EmbeddingDocument>({ maxSize, sizeCalculation }), false);
};
