// Programs that people inject. Each is taken by one step and keeps its place there for ever.
//
// Places are given by one guarded update of one document (`places`), because two attempts at a step may look at
// different times and no two programs may get one slot. Only then are the injections told their places, and the next
// reader completes what was cut short.
import type { RunId } from '../../../evolution/types.ts';
import { insertOrGet } from '../documents/collection.ts';
import type { InjectionDocument } from '../documents/documents.ts';
import type { Collections, PlacesDocument } from '../documents/stored.ts';

type Place = NonNullable<InjectionDocument['place']>;

export const inject = async (collections: Collections, injection: InjectionDocument): Promise<InjectionDocument> =>
  (await insertOrGet(collections.injections, [injection]))[0]!;

/** It costs one small query where nothing waits. */
export const takeInjections = async (
  collections: Collections,
  run: RunId,
  step: number,
): Promise<readonly InjectionDocument[]> => {
  const all = await collections.injections.find({ run });
  const places = all.every(({ place }) => place !== null)
    ? new Map<string, Place>()
    : await givePlaces(collections, run, step, all);
  return all
    .map((injection) => ({ ...injection, place: injection.place ?? places.get(injection._id) ?? null }))
    .filter(({ place }) => place?.step === step)
    .sort((a, b) => a.place!.index - b.place!.index);
};

/** The steps that took injected programs. After a rewind each of them takes the same ones again. */
export const injectedSteps = async (collections: Collections, run: RunId): Promise<ReadonlySet<number>> => {
  const stored = await collections.places.get(placesId(run));
  return new Set(stored?.places.map(({ step }) => step));
};

/** The places of all injections that had none when they were read. */
const givePlaces = async (
  collections: Collections,
  run: RunId,
  step: number,
  all: readonly InjectionDocument[],
): Promise<ReadonlyMap<string, Place>> => {
  const untold = all.filter(({ place }) => place === null);
  for (;;) {
    const stored = await collections.places.get(placesId(run));
    const given = stored?.places ?? [];
    const placed = new Set(given.map(({ injection }) => injection));
    const taken = given.filter((place) => place.step === step).length;
    const waiting = untold.filter(({ _id }) => !placed.has(_id)).sort(byAge);
    const places = [...given, ...waiting.map(({ _id }, index) => ({ injection: _id, step, index: taken + index }))];
    if (waiting.length > 0 && !(await replacePlaces(collections, run, stored, places))) continue;
    const found = new Map(places.map(({ injection, ...place }) => [injection, place] as const));
    for (const { _id } of untold)
      await collections.injections.update(_id, { place: null }, { $set: { place: found.get(_id)! } });
    return found;
  }
};

/** False when another attempt gave places after they were read. */
const replacePlaces = async (
  collections: Collections,
  run: RunId,
  stored: PlacesDocument | null,
  places: PlacesDocument['places'],
): Promise<boolean> => {
  if (stored === null)
    return (await collections.places.insertAll([{ _id: placesId(run), run, revision: 1, places }])).length === 0;
  const { _id, revision } = stored;
  return collections.places.update(_id, { revision }, { $set: { revision: revision + 1, places } });
};

const placesId = (run: RunId): string => `${run}:places`;
const byAge = (a: InjectionDocument, b: InjectionDocument): number =>
  a.at.getTime() - b.at.getTime() || (a._id < b._id ? -1 : 1);
