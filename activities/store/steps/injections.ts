// Programs that people inject. Each is taken by one step and keeps its place there for ever.
//
// Places are given by one guarded update of one document (`places`), because two attempts at a step may look at
// different times and no two programs may get one slot. Only then are the injections told their places, and the next
// reader completes what was cut short.
import type { RunId } from '../../../evolution/types.ts';
import { insertOrGet, revise } from '../documents/collection.ts';
import type { InjectionDocument } from '../documents/documents.ts';
import type { Collections } from '../documents/stored.ts';

export interface InjectionStore {
  /** Insert-or-get. */
  inject(injection: InjectionDocument): Promise<InjectionDocument>;
  /**
   * The injected programs of a step, in their places: those that it took before, and the waiting ones, which get places
   * now.
   */
  takeInjections(run: RunId, step: number): Promise<readonly InjectionDocument[]>;
  /** The steps that took injected programs, each the first of its window or stream. After a rewind they do so again. */
  injectedSteps(run: RunId): Promise<ReadonlySet<number>>;
}

type Injections = Pick<Collections, 'injections' | 'places'>;
type Place = NonNullable<InjectionDocument['place']>;

export const injectionStore = ({ injections, places }: Injections): InjectionStore => ({
  inject: async (injection) => (await insertOrGet(injections, [injection]))[0]!,
  async takeInjections(run, step) {
    const all = await injections.find({ run });
    const waiting = all.filter(({ place }) => place === null);
    const fresh =
      waiting.length === 0 ? new Map<string, Place>() : await givePlaces({ injections, places }, run, step, waiting);
    return all
      .map((injection) => ({ ...injection, place: injection.place ?? fresh.get(injection._id) ?? null }))
      .filter(({ place }) => place?.step === step)
      .sort((a, b) => a.place!.index - b.place!.index);
  },
  async injectedSteps(run) {
    const stored = await places.get(placesId(run));
    return new Set(stored?.places.map(({ step }) => step));
  },
});

/** `untold` are the injections that had no place when they were read; another attempt may have given them one. */
const givePlaces = async (
  { injections, places }: Injections,
  run: RunId,
  step: number,
  untold: readonly InjectionDocument[],
): Promise<ReadonlyMap<string, Place>> => {
  const stored = await revise(places, placesId(run), (before) => {
    const taken = before?.places ?? [];
    const placed = new Set(taken.map(({ injection }) => injection));
    const waiting = untold.filter(({ _id }) => !placed.has(_id)).sort(byAge);
    const first = taken.filter((place) => place.step === step).length;
    const added = waiting.map(({ _id }, index) => ({ injection: _id, step, index: first + index }));
    return added.length === 0 ? null : { run, places: [...taken, ...added] };
  });
  const placeOf = new Map(stored!.places.map(({ injection, ...place }) => [injection, place] as const));
  for (const { _id } of untold) await injections.update(_id, { place: null }, { $set: { place: placeOf.get(_id)! } });
  return placeOf;
};

const placesId = (run: RunId): string => `${run}:places`;
const byAge = (a: InjectionDocument, b: InjectionDocument): number =>
  a.at.getTime() - b.at.getTime() || (a._id < b._id ? -1 : 1);
