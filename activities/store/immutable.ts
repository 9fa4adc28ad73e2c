// Three things about stored documents in bulk: documents that never change (prompts, rollouts, deltas, evaluations),
// with a bounded memory so that a commit does not read its step's documents again; statements of many activities
// gathered into one; and every document of a run, for its export.
import type { BlobRef, ChangeSet, RunId } from '../../evolution/types.ts';
import { getByIds, insertOrGet, type PortableCollection, type Row } from './collection.ts';
import { COLLECTIONS, type Collections } from './stored.ts';
import type { Texts } from './texts.ts';
import { LRUCache } from 'lru-cache';

/** Enough for two steps of 512 programs and what they are looked up by. */
const MAX_DOCUMENTS = 2048;

type Immutable<T extends Row> = {
  /** The stored documents, in the order asked. */
  put(documents: readonly T[]): Promise<readonly T[]>;
  get(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
};

export const immutableIn = <T extends Row>(collection: PortableCollection<T>): Immutable<T> => {
  const kept = new LRUCache<string, T>({ max: MAX_DOCUMENTS });
  const known = (ids: readonly string[]): Map<string, T> =>
    new Map(
      ids.flatMap((id) => {
        const document = kept.get(id);
        return document === undefined ? [] : [[id, document] as const];
      }),
    );
  return {
    async put(documents) {
      const found = known(documents.map(({ _id }) => _id));
      for (const document of await insertOrGet(
        collection,
        documents.filter(({ _id }) => !found.has(_id)),
      )) {
        found.set(document._id, document);
        kept.set(document._id, document);
      }
      return documents.map((document) => found.get(document._id) ?? document);
    },
    async get(ids) {
      const found = known(ids);
      for (const document of (
        await getByIds(
          collection,
          ids.filter((id) => !found.has(id)),
        )
      ).values()) {
        found.set(document._id, document);
        kept.set(document._id, document);
      }
      return found;
    },
  };
};

/**
 * While an insert, a deletion or a read of a collection is under way, further ones wait and then go together in one
 * statement. Nothing waits for a timer, and a single call goes at once. On the embedded server a statement costs about
 * 1.5 ms of CPU and an fdatasync, beyond what its documents cost.
 */
export const gathered = (collections: Collections): Collections =>
  Object.fromEntries(
    COLLECTIONS.map((name) => [
      name,
      LARGE.has(name) ? collections[name] : gatheredCollection(collections[name] as unknown as PortableCollection<Row>),
    ]),
  ) as unknown as Collections;

/** Their documents are large and few: many together would be too much for one statement. */
const LARGE: ReadonlySet<string> = new Set(['samples', 'batches'] satisfies (keyof Collections)[]);

const gatheredCollection = (inner: PortableCollection<Row>): PortableCollection<Row> => ({
  name: inner.name,
  get: (id) => inner.get(id),
  find: (filter, fields) => inner.find(filter, fields),
  update: (id, guard, update) => inner.update(id, guard, update),
  upsert: (id, guard, document) => inner.upsert(id, guard, document),
  replaceAll: (documents, guard) => inner.replaceAll(documents, guard),
  deleteAll: gather(
    (ids: readonly string[]) => inner.deleteAll([...new Set(ids)]),
    () => undefined,
  ),
  insertAll: gather(
    (documents) => inner.insertAll(documents),
    (existing, from, count) =>
      existing.filter((position) => position >= from && position < from + count).map((position) => position - from),
  ),
  getMany: gather(
    (ids: readonly string[]) => inner.getMany([...new Set(ids)]),
    (found, from, count, ids) => {
      const asked = new Set(ids.slice(from, from + count));
      return found.filter(({ _id }) => asked.has(_id));
    },
  ),
});

type Waiting<I, O> = {
  readonly items: readonly I[];
  readonly done: (answer: O) => void;
  readonly failed: (error: unknown) => void;
};

/** `share` cuts one caller's part out of the answer to all. */
const gather = <I, O>(
  call: (items: readonly I[]) => Promise<O>,
  share: (answer: O, from: number, count: number, all: readonly I[]) => O,
): ((items: readonly I[]) => Promise<O>) => {
  let waiting: Waiting<I, O>[] = [];
  let busy = false;
  const drain = async (): Promise<void> => {
    busy = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await answerAll(group, call, share);
    }
    busy = false;
  };
  return (items) =>
    new Promise((done, failed) => {
      waiting.push({ items, done, failed });
      if (!busy) void drain();
    });
};

/**
 * Never rejects. One caller's bad document must not make the others fail, so after an error each call goes alone, which
 * every operation here allows.
 */
const answerAll = async <I, O>(
  group: readonly Waiting<I, O>[],
  call: (items: readonly I[]) => Promise<O>,
  share: (answer: O, from: number, count: number, all: readonly I[]) => O,
): Promise<void> => {
  const all = group.length === 1 ? group[0]!.items : group.flatMap(({ items }) => items);
  try {
    const answer = await call(all);
    let from = 0;
    for (const { items, done } of group) {
      done(group.length === 1 ? answer : share(answer, from, items.length, all));
      from += items.length;
    }
  } catch (error) {
    if (group.length === 1) group[0]!.failed(error);
    else await Promise.all(group.map((one) => answerAll([one], call, share)));
  }
};

const PAGE = 200;
const TEXTS_PER_PAGE = 50;

export type ExportedCollection = Exclude<(typeof COLLECTIONS)[number], 'sweeps' | 'identity'>;
/**
 * Without sweeps, because a run only names the sweep that made it, and without the identity, which is the database's
 * own.
 */
export const EXPORTED: readonly ExportedCollection[] = COLLECTIONS.filter(
  (name) => name !== 'sweeps' && name !== 'identity',
);
/** In `blobs` the document is an ExportedText. */
export type Exported = { readonly collection: ExportedCollection; readonly document: Record<string, unknown> };
/** `text` is null where the database has lost it. */
export type ExportedText = { readonly _id: BlobRef; readonly text: string | null };

/**
 * An export has the documents of a run collection by collection, in the order of `_id`, then its task and the texts
 * that they refer to. A fork refers to steps, programs and settings of the runs that it was forked off, so these runs
 * are part of it as a whole.
 */
export async function* everyDocument(collections: Collections, texts: Texts, run: RunId): AsyncGenerator<Exported> {
  const family = await familyOf(collections, run);
  const refs = new Set<BlobRef>();
  const changeSets: BlobRef[] = [];
  const tasks = new Set<string>();
  for (const collection of EXPORTED) {
    if (collection === 'tasks' || collection === 'blobs') continue;
    for await (const document of inIdOrder(collections[collection] as unknown as PortableCollection<RunRow>, family)) {
      if (HOLDING_TEXTS.has(collection)) addRefs(refs, document);
      if (collection === 'steps') changeSets.push(document['changeSet'] as BlobRef);
      if (collection === 'runs' && typeof document['taskSnapshot'] === 'string') tasks.add(document['taskSnapshot']);
      yield { collection, document };
    }
  }
  for await (const document of byId(collections.tasks, [...tasks].sort())) {
    for (const { blob } of document.files) refs.add(blob);
    yield { collection: 'tasks', document };
  }
  for await (const { text } of textsOf(texts, changeSets))
    if (text !== null) addRefs(refs, (JSON.parse(text) as Partial<ChangeSet>).prompts ?? []);
  for await (const document of textsOf(texts, [...refs].sort())) yield { collection: 'blobs', document };
}

/** The run, and all runs that it and they were forked off. */
const familyOf = async ({ runs }: Collections, run: RunId): Promise<readonly RunId[]> => {
  const family = new Set([run]);
  for (const one of family) {
    const document = await runs.get(one);
    for (const era of document?.lineage ?? []) family.add(era.run);
    if (document?.origin) family.add(document.origin.run);
  }
  return [...family];
};

const HOLDING_TEXTS: ReadonlySet<string> = new Set([
  'steps',
  'injections',
  'prompts',
  'requests',
  'calls',
  'bookings',
  'rollouts',
  'deltas',
  'evaluations',
  'programs',
  'cells',
]);
/** Fields that hold references to blobs, at any depth. Some of them hold other things elsewhere. */
const REF_FIELDS: ReadonlySet<string> = new Set([
  'system',
  'user',
  'content',
  'text',
  'response',
  'reasoning',
  'code',
  'solution',
  'changeSet',
]);
const REF = /^[0-9a-f]{64}$/;

const addRefs = (refs: Set<BlobRef>, value: unknown): void => {
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') addRefs(refs, inner);
    else if (REF_FIELDS.has(key) && REF.test(inner)) refs.add(inner);
  }
};

async function* textsOf(texts: Texts, refs: readonly BlobRef[]): AsyncGenerator<ExportedText> {
  for (let i = 0; i < refs.length; i += TEXTS_PER_PAGE) {
    const page = refs.slice(i, i + TEXTS_PER_PAGE);
    const found = await texts.get(page);
    for (const _id of page) yield { _id, text: found.get(_id) ?? null };
  }
}

type RunRow = Row & { readonly run: RunId } & Record<string, unknown>;

/**
 * Reads the small ids first and then the documents in pages, so that memory stays bounded and the server need not sort.
 */
const inIdOrder = async function* (
  collection: PortableCollection<RunRow>,
  runs: readonly RunId[],
): AsyncGenerator<RunRow> {
  const ids = [];
  for (const run of runs) ids.push(...(await collection.find({ run }, ['_id'])).map(({ _id }) => _id));
  yield* byId(collection, ids.sort());
};

const byId = async function* <T extends Row>(
  collection: PortableCollection<T>,
  ids: readonly string[],
): AsyncGenerator<T> {
  for (let i = 0; i < ids.length; i += PAGE) {
    const page = ids.slice(i, i + PAGE);
    const found = await getByIds(collection, page);
    for (const id of page) {
      const document = found.get(id);
      if (document !== undefined) yield document;
    }
  }
};
