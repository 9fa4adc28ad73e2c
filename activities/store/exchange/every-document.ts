// Every document of a run, for its export: collection by collection, then the texts that they refer to.
import type { BlobRef, ChangeSet, RunId } from '../../../evolution/types.ts';
import { getByIds, type PortableCollection, type Row } from '../documents/collection.ts';
import type { RunDocument } from '../documents/documents.ts';
import type { UpdateDocument } from '../documents/learning-documents.ts';
import { COLLECTIONS, type Collections, LARGE_DOCUMENTS } from '../documents/stored.ts';
import type { Texts } from '../content/texts.ts';
import { chunkIds } from '../learning/updates.ts';

const PAGE = 200;
const LARGE_PAGE = 4;
const TEXTS_PER_PAGE = 50;

/** A run only names the sweep that made it. The others are the database's own: its id, secrets, hosts, rates, notices, trackers. */
const NOT_OF_RUNS = ['sweeps', 'identity', 'installation', 'hosts', 'rates', 'notices', 'tracking'] as const;
export type ExportedCollection = Exclude<(typeof COLLECTIONS)[number], (typeof NOT_OF_RUNS)[number]>;
export const EXPORTED: readonly ExportedCollection[] = COLLECTIONS.filter(
  (name): name is ExportedCollection => !(NOT_OF_RUNS as readonly string[]).includes(name),
);
/** In `blobs` the document is an ExportedText. */
export type Exported = { readonly collection: ExportedCollection; readonly document: Record<string, unknown> };
/** `text` is null where the database has lost it. */
export type ExportedText = { readonly _id: BlobRef; readonly text: string | null };

/**
 * The documents of a run collection by collection, in the order of `_id`, then its task and the texts that they refer
 * to. The runs that a fork came from are part of it as a whole, because it refers to them.
 */
export async function* everyDocument(collections: Collections, texts: Texts, run: RunId): AsyncGenerator<Exported> {
  const family = await familyOf(collections, run);
  const refs = new Set<BlobRef>();
  const changeSets: BlobRef[] = [];
  const tasks = new Set<string>();
  const chunks = new Map<string, RunId>();
  for (const collection of EXPORTED) {
    if (collection === 'tasks' || collection === 'blobs') continue;
    if (collection === 'batches') {
      // Equal batches are stored once, under whichever run came first. An export has them as those of its own runs.
      for await (const document of byId(collections.batches, [...chunks.keys()].sort()))
        yield { collection, document: { ...document, run: chunks.get(document._id)! } };
      continue;
    }
    for await (const document of inIdOrder(collections[collection] as unknown as PortableCollection<RunRow>, family)) {
      if (collection === 'updates')
        for (const id of chunkIds(document as unknown as UpdateDocument)) chunks.set(id, document.run);
      if (HOLDING_TEXTS.has(collection)) addRefs(refs, document);
      if (collection === 'steps') changeSets.push(document['changeSet'] as BlobRef);
      if (collection === 'runs') for (const digest of versionsOf(document as unknown as RunDocument)) tasks.add(digest);
      yield { collection, document };
    }
  }
  for await (const document of byId(collections.tasks, [...tasks].sort())) {
    for (const { blob } of document.files) refs.add(blob);
    yield { collection: 'tasks', document };
  }
  for await (const { text } of textsOf(texts, changeSets)) if (text !== null) addRefs(refs, promptsIn(text));
  for await (const document of textsOf(texts, [...refs].sort())) yield { collection: 'blobs', document };
}

/** The tasks that a run has, and has had. */
const versionsOf = ({ taskSnapshot, rescorings = [] }: RunDocument): readonly string[] =>
  [taskSnapshot, ...rescorings.flatMap(({ before, after }) => [before.taskSnapshot, after.taskSnapshot])].filter(
    (digest) => digest !== undefined,
  );

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

/** Collections whose documents refer to texts, beside the files of tasks and the prompts in change sets. */
export const HOLDING_TEXTS: ReadonlySet<string> = new Set([
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
  'samples',
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
  'promptRef',
  'notes',
  'recommended',
]);
const REF = /^[0-9a-f]{64}$/;

export const addRefs = (refs: Set<BlobRef>, value: unknown): void => {
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') addRefs(refs, inner);
    else if (REF_FIELDS.has(key) && REF.test(inner)) refs.add(inner);
  }
};

/** The evolved prompts of a change set, which is given as it is stored. */
export const promptsIn = (changeSet: string): NonNullable<ChangeSet['prompts']> =>
  (JSON.parse(changeSet) as Partial<ChangeSet>).prompts ?? [];

async function* textsOf(texts: Texts, refs: readonly BlobRef[]): AsyncGenerator<ExportedText> {
  for (let i = 0; i < refs.length; i += TEXTS_PER_PAGE) {
    const page = refs.slice(i, i + TEXTS_PER_PAGE);
    const stored = await texts.get(page);
    for (const _id of page) yield { _id, text: stored.get(_id) ?? null };
  }
}

type RunRow = Row & { readonly run: RunId } & Record<string, unknown>;

/** Reads the small ids first and then pages of documents, to bound memory and spare the server a sort. */
const inIdOrder = async function* (
  collection: PortableCollection<RunRow>,
  runs: readonly RunId[],
): AsyncGenerator<RunRow> {
  const ids: string[] = [];
  // One by one: there may be millions, and a call takes some hundred thousand arguments at most.
  for (const run of runs) for (const { _id } of await collection.find({ run }, ['_id'])) ids.push(_id);
  yield* byId(collection, ids.sort());
};

const byId = async function* <T extends Row>(
  collection: PortableCollection<T>,
  ids: readonly string[],
): AsyncGenerator<T> {
  const size = LARGE_DOCUMENTS.has(collection.name) ? LARGE_PAGE : PAGE;
  for (let i = 0; i < ids.length; i += size) {
    const page = ids.slice(i, i + size);
    const documents = await getByIds(collection, page);
    for (const id of page) {
      const document = documents.get(id);
      if (document !== undefined) yield document;
    }
  }
};
