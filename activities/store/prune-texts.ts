// Texts that nothing refers to any more, found by reading everything that refers to texts. A run that is under way
// cannot lose one: what it puts, be it new or there already, has a new time, and only texts go that nobody has put for
// hours, which is longer than anybody takes from putting a text to storing what refers to it.
import type { BlobRef } from '../../evolution/types.ts';
import type { PortableCollection, Row } from './collection.ts';
import { addRefs, HOLDING_TEXTS, promptsIn } from './every-document.ts';
import { COLLECTIONS, type Collections } from './stored.ts';
import { TEXT_REST_MS, type Texts } from './texts.ts';

const IDS_PER_DELETE = 500;
const CHANGE_SETS_PER_READ = 50;

/** A part of an id, so that millions fit into memory. Two texts that share it are both kept where one of them is. */
const keyOf = (ref: BlobRef): number => Number.parseInt(ref.slice(0, 13), 16);

/** Gives the ids and packed sizes of texts that nothing refers to and that were last put before `before`. */
export const unreferencedTexts = async (
  collections: Collections,
  texts: Texts,
  before: Date,
): Promise<ReadonlyMap<BlobRef, number>> => {
  const old = new Map<BlobRef, number>();
  for await (const { _id, at, rawLen } of collections.blobs.each(['at', 'rawLen']))
    if (at === undefined || at < before) old.set(_id, rawLen);
  if (old.size === 0) return old;
  const named = await referencedIn(collections, texts);
  for (const ref of old.keys()) if (named.has(keyOf(ref))) old.delete(ref);
  return old;
};

const referencedIn = async (collections: Collections, texts: Texts): Promise<ReadonlySet<number>> => {
  const named = new Set<number>();
  const changeSets: BlobRef[] = [];
  const refs = new Set<BlobRef>();
  const settle = (): void => {
    for (const ref of refs) named.add(keyOf(ref));
    refs.clear();
  };
  for (const name of COLLECTIONS) {
    if (!HOLDING_TEXTS.has(name)) continue;
    const documents = collections[name] as unknown as PortableCollection<Row & { readonly changeSet?: BlobRef }>;
    for await (const document of documents.each()) {
      addRefs(refs, document);
      if (name === 'steps' && document.changeSet !== undefined) changeSets.push(document.changeSet);
      settle();
    }
  }
  for await (const { files } of collections.tasks.each()) for (const { blob } of files) refs.add(blob);
  for (let from = 0; from < changeSets.length; from += CHANGE_SETS_PER_READ)
    for (const text of (await texts.get(changeSets.slice(from, from + CHANGE_SETS_PER_READ))).values())
      addRefs(refs, promptsIn(text));
  settle();
  return named;
};

/** Removes those that nobody has put again since they were found. */
export const removeTexts = async (
  { blobs }: Pick<Collections, 'blobs'>,
  refs: readonly BlobRef[],
  before: Date,
): Promise<void> => {
  for (let from = 0; from < refs.length; from += IDS_PER_DELETE) {
    const ids = refs.slice(from, from + IDS_PER_DELETE);
    await blobs.deleteAll(ids, { at: { $lt: before } });
    await blobs.deleteAll(ids, { at: { $exists: false } });
  }
};

/** Texts that were put after this time are left alone. */
export const textsBefore = (now: Date): Date => new Date(now.getTime() - TEXT_REST_MS);
