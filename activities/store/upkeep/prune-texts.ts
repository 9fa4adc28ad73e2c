// Texts that nothing refers to any more, found by reading everything that refers to texts. A run that is under way
// cannot lose one: what it puts, be it new or there already, has a new time, and only texts go that nobody has put for
// hours, which is longer than anybody takes from putting a text to storing what refers to it.
import type { BlobRef, RunId } from '../../../evolution/types.ts';
import type { PortableCollection, Row } from '../documents/collection.ts';
import { addRefs, HOLDING_TEXTS, promptsIn } from '../exchange/every-document.ts';
import { COLLECTIONS, type Collections } from '../documents/stored.ts';
import { TEXT_REST_MS, type Texts } from '../content/texts.ts';

const IDS_PER_DELETE = 500;
const CHANGE_SETS_PER_READ = 50;

/** A part of an id, so that millions fit into memory. Two texts that share it are both kept where one of them is. */
const keyOf = (ref: BlobRef): number => Number.parseInt(ref.slice(0, 13), 16);

/** The sizes before packing, by id, of texts that may go now and of those that were put too lately for that. */
export type Unreferenced = { readonly now: ReadonlyMap<BlobRef, number>; readonly later: ReadonlyMap<BlobRef, number> };

/** Texts that nothing refers to but the runs in `without`. Those that were put since `before` go later. */
export const unreferencedTexts = async (
  collections: Collections,
  texts: Texts,
  { before, without }: { readonly before: Date; readonly without: ReadonlySet<RunId> },
): Promise<Unreferenced> => {
  const [now, later] = [new Map<BlobRef, number>(), new Map<BlobRef, number>()];
  for await (const { _id, at, rawLen } of collections.blobs.each(['at', 'rawLen']))
    (at < before ? now : later).set(_id, rawLen);
  if (now.size + later.size === 0) return { now, later };
  const named = await referencedIn(collections, texts, without);
  for (const sizes of [now, later]) for (const ref of sizes.keys()) if (named.has(keyOf(ref))) sizes.delete(ref);
  return { now, later };
};

type Holding = Row & { readonly run?: RunId; readonly changeSet?: BlobRef };

const referencedIn = async (
  collections: Collections,
  texts: Texts,
  without: ReadonlySet<RunId>,
): Promise<ReadonlySet<number>> => {
  const named = new Set<number>();
  const refs = new Set<BlobRef>();
  const settle = (): void => {
    for (const ref of refs) named.add(keyOf(ref));
    refs.clear();
  };
  const changeSets: BlobRef[] = [];
  const readChangeSets = async (): Promise<void> => {
    for (const text of (await texts.get(changeSets.splice(0))).values()) addRefs(refs, promptsIn(text));
  };
  for (const name of COLLECTIONS) {
    if (!HOLDING_TEXTS.has(name)) continue;
    for await (const document of (collections[name] as unknown as PortableCollection<Holding>).each()) {
      if (document.run !== undefined && without.has(document.run)) continue;
      addRefs(refs, document);
      if (name === 'steps' && document.changeSet !== undefined) changeSets.push(document.changeSet);
      if (changeSets.length >= CHANGE_SETS_PER_READ) await readChangeSets();
      settle();
    }
  }
  for await (const { files } of collections.tasks.each()) for (const { blob } of files) refs.add(blob);
  await readChangeSets();
  settle();
  return named;
};

/** Removes those that nobody has put again since they were found. */
export const removeTexts = async (
  { blobs }: Pick<Collections, 'blobs'>,
  refs: readonly BlobRef[],
  before: Date,
): Promise<void> => {
  for (let from = 0; from < refs.length; from += IDS_PER_DELETE)
    await blobs.deleteAll(refs.slice(from, from + IDS_PER_DELETE), { at: { $lt: before } });
};

/** The time after which a text that was put is left alone. */
export const textsBefore = (now: Date): Date => new Date(now.getTime() - TEXT_REST_MS);
