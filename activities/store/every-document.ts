// Every document of a run for export, collection by collection, in `_id` order. Called by open-store.ts.
import type { BlobRef, RunId } from '../../evolution/types.ts';
import type { PortableCollection, Row } from './collection.ts';
import { getByIds } from './insert-or-get.ts';
import { COLLECTIONS, type Collections } from './stored.ts';

const PAGE = 200;
/** Fields that hold references to blobs. */
const REFS = ['system', 'user', 'response', 'reasoning', 'code', 'solution', 'changeSet'] as const;

export type Exported = { readonly collection: string; readonly document: Record<string, unknown> };

export async function* everyDocument(collections: Collections, run: RunId): AsyncGenerator<Exported> {
  const refs = new Set<BlobRef>();
  for (const collection of COLLECTIONS) {
    if (collection === 'blobs') continue;
    for await (const document of inIdOrder(collections[collection] as unknown as PortableCollection<RunRow>, run)) {
      for (const field of REFS) {
        const ref = document[field];
        if (typeof ref === 'string') refs.add(ref);
      }
      yield { collection, document };
    }
  }
  for await (const document of byIds(collections.blobs, [...refs].sort())) yield { collection: 'blobs', document };
}

type RunRow = Row & { readonly run: RunId } & Record<string, unknown>;

/** Ids first (small), then the documents in pages: memory stays bounded without asking the server to sort. */
const inIdOrder = async function* (collection: PortableCollection<RunRow>, run: RunId): AsyncGenerator<RunRow> {
  const ids = (await collection.find({ run }, ['_id'])).map(({ _id }) => _id).sort();
  yield* byIds(collection, ids);
};

const byIds = async function* <T extends Row>(collection: PortableCollection<T>, ids: readonly string[]): AsyncGenerator<T> {
  for (let i = 0; i < ids.length; i += PAGE) {
    const page = ids.slice(i, i + PAGE);
    const found = await getByIds(collection, page);
    for (const id of page) {
      const document = found.get(id);
      if (document !== undefined) yield document;
    }
  }
};
