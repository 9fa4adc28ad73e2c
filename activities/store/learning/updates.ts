// Planned updates and the batches that they are trained on. A batch is bytes under their SHA-256, in chunks, because a
// document of the database has at most 16 MB.
import { createHash } from 'node:crypto';
import type { RunId } from '../../../evolution/types.ts';
import { sha256 } from '../../sha256.ts';
import { RESTORE } from '../content/texts.ts';
import { insertOrGet } from '../documents/collection.ts';
import type { BatchOfUpdate, UpdateDocument, UpdateState } from '../documents/learning-documents.ts';
import type { Collections } from '../documents/stored.ts';

export interface UpdateStore {
  /** Stores the bytes under their SHA-256, in chunks. The same bytes again change nothing. */
  putBatch(run: RunId, bytes: Uint8Array): Promise<Pick<BatchOfUpdate, 'file' | 'chunks' | 'bytes'>>;
  /** Throws where a chunk is gone. */
  readBatch(batch: Pick<BatchOfUpdate, 'file' | 'chunks'>): AsyncIterable<Uint8Array>;
  /**
   * Insert-or-get: the first stored plan wins, but for who trains and who serves, which are no part of its id: a change
   * of the settings reaches an update that waits. Until it is committed, a new trainer begins it anew.
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
}

const CHUNK_BYTES = 4 * 2 ** 20;

const chunkId = (file: string, chunk: number): string => `${file}:${String(chunk).padStart(4, '0')}`;

/** The ids of all chunks of an update's batch; none where it has no batch. */
export const chunkIds = ({ batch }: Pick<UpdateDocument, 'batch'>): readonly string[] =>
  Array.from({ length: batch?.chunks ?? 0 }, (_, chunk) => chunkId(batch!.file, chunk));

export const updateKey = (run: RunId, updateId: string): string => `${run}:${updateId}`;

export const updateStore = ({ batches, updates }: Pick<Collections, 'batches' | 'updates'>): UpdateStore => ({
  async putBatch(run, bytes) {
    const file = sha256(bytes);
    const chunks = Math.ceil(bytes.length / CHUNK_BYTES);
    for (let chunk = 0; chunk < chunks; chunk++) {
      const data = bytes.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
      await batches.insertAll([{ _id: chunkId(file, chunk), run, data: Buffer.from(data) }]);
    }
    return { file, chunks, bytes: bytes.length };
  },
  async *readBatch({ file, chunks }) {
    const hash = createHash('sha256');
    for (let chunk = 0; chunk < chunks; chunk++) {
      const document = await batches.get(chunkId(file, chunk));
      if (document === null)
        throw new Error(
          `expected chunk ${chunk} of ${chunks} of batch ${file}, but there is none: the database has lost it. ${RESTORE}`,
        );
      hash.update(document.data);
      yield document.data;
    }
    const sum = hash.digest('hex');
    if (sum !== file)
      throw new Error(
        `expected a batch with the SHA-256 ${file}, got one with ${sum}: the database has damaged it. ${RESTORE}`,
      );
  },
  async putUpdate(update) {
    const stored = (await insertOrGet(updates, [update]))[0]!;
    const fields = elsewhere(stored, update);
    if (fields === null) return stored;
    await updates.update(stored._id, { state: stored.state }, { $set: fields });
    return (await updates.get(stored._id)) ?? stored;
  },
  readUpdate: (run, updateId) => updates.get(updateKey(run, updateId)),
  moveUpdate: (run, updateId, from, fields) =>
    updates.update(updateKey(run, updateId), { state: { $in: from } }, { $set: fields }),
});

/** The changes of a stored plan where the settings name another trainer or server by now; null where there are none. */
const elsewhere = (
  stored: UpdateDocument,
  { trainer, server, serve, serveUrl }: UpdateDocument,
): Partial<UpdateDocument> | null => {
  const isTrainers = stored.trainer === trainer && stored.server === server;
  const isServers = stored.serve === serve && stored.serveUrl === serveUrl;
  if (stored.state === 'committed' || (isTrainers && isServers)) return null;
  const result = isTrainers ? stored.result : null;
  const state = result === null ? 'planned' : 'applied';
  return { trainer, server, serve, serveUrl, result, state, served: null, servedAt: null };
};
