// Vectors of programs that are alive, kept in memory so that a step does not read the whole population's each time. Called by embed.ts.
import { setImmediate as turn } from 'node:timers/promises';
import type { ProgramId } from '../../evolution/types.ts';
import type { Store } from '../store/store.ts';
import { unpackVector } from './embedding-vectors.ts';

/** 20,000 vectors of 1,536 dimensions. */
const MAX_BYTES = 128e6;
/** Programs compared before others get a turn: some milliseconds a child. */
const PAGE = 500;

export type Named = { readonly id: ProgramId; readonly vector: Float32Array };
export type VectorCache = {
  /** The vectors that this model made of these programs, in pages, in the order asked. A program without one is left out. */
  pages(model: string, ids: readonly ProgramId[]): AsyncIterable<readonly Named[]>;
};

/** Null: the program has no vector, and never will. An embedding is stored before its program is committed. */
type Kept = { readonly model: string; readonly vector: Float32Array } | null;

/** Least recently used first out. What does not fit is read again each time: slower, and right. */
export const createVectorCache = (store: Pick<Store, 'getEmbeddings'>, maxBytes = MAX_BYTES): VectorCache => {
  const kept = new Map<ProgramId, Kept>();
  let bytes = 0;
  const touch = (id: ProgramId, value: Kept): void => {
    if (kept.delete(id)) bytes -= sizeBytes(value);
    kept.set(id, value);
    bytes += sizeBytes(value);
    for (const [oldest, old] of kept) {
      if (bytes <= maxBytes) break;
      kept.delete(oldest);
      bytes -= sizeBytes(old);
    }
  };
  const read = async (ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, Kept>> => {
    const found = new Map(ids.flatMap((id) => {
      const value = kept.get(id);
      return value === undefined ? [] : [[id, value] as const];
    }));
    const unknown = ids.filter((id) => !found.has(id));
    const documents = unknown.length === 0 ? null : await store.getEmbeddings(unknown);
    for (const id of unknown) {
      const document = documents!.get(id);
      found.set(id, document === undefined || document.vector.byteLength === 0 ? null : { model: document.model, vector: unpackVector(document.vector) });
    }
    for (const [id, value] of found) touch(id, value);
    return found;
  };
  return {
    async* pages(model, ids) {
      for (let from = 0; from < ids.length; from += PAGE) {
        const asked = ids.slice(from, from + PAGE);
        const found = await read(asked);
        yield asked.flatMap((id): Named[] => {
          const value = found.get(id);
          return value?.model === model ? [{ id, vector: value.vector }] : [];
        });
        await turn();
      }
    },
  };
};

/** The vector, and what an entry of a map takes. */
const sizeBytes = (value: Kept): number => (value?.vector.byteLength ?? 0) + 200;
