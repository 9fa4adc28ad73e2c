// What is summed up over the steps of a run: read from its beginning when somebody first looks, and from there on only
// what is new, so that a page that follows a run costs one small read for each commit.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';

type Given<T> = {
  /** So many runs are kept, those that were read last. */
  readonly most: number;
  readonly begin: (run: RunDocument) => T;
  /** Adds what was committed since. */
  readonly readOn: (sum: T, store: Store, run: RunDocument) => Promise<void>;
};

export class ReadOn<T> {
  readonly #given: Given<T>;
  readonly #all = new WeakMap<Store, Map<string, Promise<T>>>();

  constructor(given: Given<T>) {
    this.#given = given;
  }

  of(store: Store, run: RunDocument): Promise<T> {
    const sums = this.#all.get(store) ?? new Map<string, Promise<T>>();
    this.#all.set(store, sums);
    // A rewind, or a step that is begun again, makes another one of a run. A name may be given again after a removal.
    const name = `${run.run} ${run.createdAt.getTime()} ${run.generation} ${run.epochs.length}`;
    const sum = this.#next(store, run, sums.get(name));
    sums.delete(name);
    sums.set(name, sum);
    for (const old of [...sums.keys()].slice(0, -this.#given.most)) sums.delete(old);
    return sum;
  }

  /** One read after the other, so that nothing is counted twice; after one that failed it begins anew. */
  async #next(store: Store, run: RunDocument, before: Promise<T> | undefined): Promise<T> {
    const sum = (await before?.catch(() => undefined)) ?? this.#given.begin(run);
    await this.#given.readOn(sum, store, run);
    return sum;
  }
}
