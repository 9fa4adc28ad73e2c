// The populations of the runs at hand. They are kept under (run, view, generation, committedStep), and each commit
// brings them forward, so that a step costs no scan of the database. An entry is dropped when the run document
// disagrees; then the population is loaded from its latest snapshot.
import { applyChangeSet, loadPopulation, type Population } from '../../../evolution/population/population.ts';
import type { ChangeSet, RunId } from '../../../evolution/types.ts';
import { getByIds } from '../documents/collection.ts';
import type { RunDocument } from '../documents/documents.ts';
import { changeSets, committedMarker, rebuildPopulation } from '../steps/markers.ts';
import { Rows } from '../documents/rows.ts';
import { asRead, requireRun } from '../documents/run-documents.ts';
import type { Collections, Snapshot, StoredRun, StoredStep } from '../documents/stored.ts';
import { RESTORE, type Texts } from '../content/texts.ts';
import { LRUCache } from 'lru-cache';

/** So many steps are caught up with; the population of more is loaded anew. */
const MOST_STEPS = 50;

/** With the fingerprint, because an entry may be of commits that never were stored. */
type At = Pick<StoredRun, 'view' | 'generation' | 'committedStep' | 'fingerprint'>;
type Entry = {
  readonly at: At;
  readonly rows: Rows;
  readonly population: Population | null;
  /** The marker of the committed step, where this process committed it. */
  readonly marker: StoredStep | null;
};

export class PopulationCache {
  readonly #collections: Collections;
  readonly #texts: Texts;
  readonly #entries: LRUCache<RunId, Entry>;

  constructor(collections: Collections, texts: Texts, mostRuns: number) {
    this.#collections = collections;
    this.#texts = texts;
    this.#entries = new LRUCache({ max: mostRuns });
  }

  /** The rows after the run's committed step, for use before the next await: commits change them in place. */
  async rows(run: StoredRun): Promise<Rows> {
    return (await this.#entry(run)).rows;
  }

  /** `read` is called with no await after the cache was checked, so no commit can come in between. */
  async read<T>(runId: RunId, read: (population: Population, step: number) => T): Promise<T> {
    for (;;) {
      const run = await requireRun(this.#collections, runId);
      const entry = this.#entries.get(runId);
      if (entry !== undefined && entry.population !== null && sameAt(entry.at, run))
        return read(entry.population, entry.at.committedStep);
      await this.population(runId);
    }
  }

  /** The marker of the run's committed step, where this process committed it. Only its `state` ever changes. */
  knownMarker(run: StoredRun): StoredStep | null {
    const entry = this.#entries.get(run._id);
    return entry !== undefined && sameAt(entry.at, run) ? entry.marker : null;
  }

  async population(idOrRun: RunId | RunDocument): Promise<Population> {
    const run = await asRead(this.#collections, idOrRun);
    const { rows, population, marker } = await this.#entry(run);
    if (population !== null) return population;
    const loaded = loadPopulation(
      run.config.population,
      rows.memberships.values(),
      rows.cells.values(),
      run.population,
      rows.tallies.values(),
      rows.prompts.values(),
    );
    this.#keep(run, { rows, population: loaded, marker });
    return loaded;
  }

  advance(before: StoredRun, after: StoredRun, change: ChangeSet, marker: StoredStep): void {
    const entry = this.#entries.get(before._id);
    if (entry === undefined || !sameAt(entry.at, before)) return;
    // The entry changes in place, so it leaves the cache until it is whole again.
    this.#entries.delete(before._id);
    entry.rows.apply(change);
    if (entry.population !== null) applyChangeSet(entry.population, change);
    this.#keep(after, { ...entry, marker });
  }

  async #entry(run: StoredRun): Promise<Entry> {
    const cached = this.#entries.get(run._id);
    if (cached !== undefined && sameAt(cached.at, run)) return cached;
    const brought = cached === undefined ? null : await this.#bringForward(cached, run);
    if (brought !== null) return brought;
    return this.#keep(run, {
      rows: await loadRows(this.#collections, this.#texts, run),
      population: null,
      marker: null,
    });
  }

  /**
   * Applies the change sets of steps that another process has committed since. Null where the two are not of one
   * lineage, where others are at it, or where the rows do not come out as the run says.
   */
  async #bringForward(cached: Entry, run: StoredRun): Promise<Entry | null> {
    const { at, rows, population } = cached;
    if (at.view !== run.view || at.generation !== run.generation || at.committedStep >= run.committedStep) return null;
    if (run.committedStep - at.committedStep > MOST_STEPS) return null;
    const changes: ChangeSet[] = [];
    const { committedStep: last } = run;
    for await (const change of changeSets(this.#collections, this.#texts, run, at.committedStep + 1, last))
      changes.push(change);
    if (this.#entries.get(run._id) !== cached) return null;
    // It changes in place, so it leaves the cache until it is whole again.
    this.#entries.delete(run._id);
    for (const change of changes) {
      rows.apply(change);
      if (population !== null) applyChangeSet(population, change);
    }
    return rows.fingerprint === run.fingerprint ? this.#keep(run, { rows, population, marker: null }) : null;
  }

  #keep(run: StoredRun, { rows, population, marker }: Omit<Entry, 'at'>): Entry {
    const { view, generation, committedStep, fingerprint } = run;
    const entry: Entry = { at: { view, generation, committedStep, fingerprint }, rows, population, marker };
    this.#entries.set(run._id, entry);
    return entry;
  }
}

const sameAt = (a: At, b: At): boolean =>
  a.view === b.view &&
  a.generation === b.generation &&
  a.committedStep === b.committedStep &&
  a.fingerprint === b.fingerprint;

const ROWS_PER_PAGE = 10_000;
const MIN_CHANGES = 2000;

/**
 * A load reads the latest snapshot (collections `population` and `cells`) and folds the change sets since then. A
 * snapshot is due when the changes since the last outnumber the rows, so a load folds about one population at most, and
 * a snapshot costs next to nothing per program. Rows kept one by one, inserted and deleted with every commit, would
 * cost each candidate 0.4 ms of CPU on the embedded server, 1.2 ms once programs are evicted, and as much again for an
 * index to load them by.
 */
const loadRows = async (collections: Collections, texts: Texts, run: StoredRun): Promise<Rows> => {
  if (run.committedStep < 0) return new Rows();
  const { snapshot } = await committedMarker(collections, run, run.committedStep);
  const rows = snapshot === null ? new Rows() : await readSnapshot(collections, snapshot);
  const from = snapshot === null ? 0 : snapshot.step + 1;
  for await (const change of changeSets(collections, texts, run, from, run.committedStep)) rows.apply(change);
  if (rows.fingerprint === run.fingerprint) return rows;
  const rebuilt = await rebuildPopulation(collections, texts, run);
  if (rebuilt.fingerprint === run.fingerprint) return rebuilt;
  throw new Error(
    `expected the stored change sets of run '${run._id}' to give the rows of step ${run.committedStep} (${run.fingerprint}), got ${rebuilt.fingerprint}: the database is damaged. ${RESTORE}`,
  );
};

/** The snapshot that the next marker names, given the marker before it and the rows between the two. */
export const nextSnapshot = async (
  collections: Collections,
  run: StoredRun,
  previous: StoredStep | null,
  rows: Rows,
  changes: number,
): Promise<Pick<StoredStep, 'snapshot' | 'changesSince'>> => {
  if (previous === null) return { snapshot: null, changesSince: changes };
  if (previous.changesSince < Math.max(MIN_CHANGES, rows.size))
    return { snapshot: previous.snapshot, changesSince: previous.changesSince + changes };
  return { snapshot: await writeSnapshot(collections, run, previous.step, rows), changesSince: changes };
};

/** The rows of a view after a step never change, so pages are inserted only, and those of another attempt are the same. */
const writeSnapshot = async (
  { population, cells }: Collections,
  { _id: run, view }: StoredRun,
  step: number,
  rows: Rows,
): Promise<Snapshot> => {
  const members = [...rows.memberships.values()];
  const owned = [...rows.cells.values()];
  const tallies = [...rows.tallies.values()];
  const prompts = [...rows.prompts.values()];
  const most = Math.max(members.length, owned.length, tallies.length, prompts.length);
  const snapshot: Snapshot = { run, view, step, pages: Math.ceil(most / ROWS_PER_PAGE) };
  const pages = pageIds(snapshot).map((_id, page) => ({ _id, run, view, step, page, from: page * ROWS_PER_PAGE }));
  await population.insertAll(
    pages.map(({ from, ...page }) => ({ ...page, members: members.slice(from, from + ROWS_PER_PAGE) })),
  );
  await cells.insertAll(
    pages.map(({ from, ...page }) => ({
      ...page,
      cells: owned.slice(from, from + ROWS_PER_PAGE),
      ...(tallies.length === 0 ? {} : { tallies: tallies.slice(from, from + ROWS_PER_PAGE) }),
      ...(prompts.length === 0 ? {} : { prompts: prompts.slice(from, from + ROWS_PER_PAGE) }),
    })),
  );
  return snapshot;
};

/** A missing page is noticed by the fingerprint. */
const readSnapshot = async ({ population, cells }: Collections, snapshot: Snapshot): Promise<Rows> => {
  const ids = pageIds(snapshot);
  const [members, owned] = [await getByIds(population, ids), await getByIds(cells, ids)];
  const pages = [...owned.values()];
  return Rows.of(
    [...members.values()].flatMap((page) => page.members),
    pages.flatMap((page) => page.cells),
    pages.flatMap((page) => page.tallies ?? []),
    pages.flatMap((page) => page.prompts ?? []),
  );
};

const pageIds = ({ run, view, step, pages }: Snapshot): string[] =>
  Array.from(
    { length: pages },
    (_, page) => `${run}:${view}:${String(step).padStart(6, '0')}:${String(page).padStart(4, '0')}`,
  );
