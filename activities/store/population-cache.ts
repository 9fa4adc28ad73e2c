// The populations of the runs at hand, kept under (run, view, generation, committedStep) and brought forward by each commit, so
// that a step costs no scan of the database. An entry is dropped when the run document disagrees. Called by commit.ts and open-store.ts.
import { applyChangeSet, loadPopulation, type Population } from '../../evolution/population.ts';
import type { ChangeSet, RunId } from '../../evolution/types.ts';
import { requireRun } from './run-documents.ts';
import type { Rows } from './rows.ts';
import { loadRows } from './snapshots.ts';
import type { Collections, StoredRun } from './stored.ts';
import type { Texts } from './texts.ts';

const MAX_RUNS = 8;

type At = Pick<StoredRun, 'view' | 'generation' | 'committedStep'>;
type Entry = { readonly at: At; readonly rows: Rows; readonly population: Population | null };

export class PopulationCache {
  readonly #collections: Collections;
  readonly #texts: Texts;
  readonly #entries = new Map<RunId, Entry>();

  constructor(collections: Collections, texts: Texts) { this.#collections = collections; this.#texts = texts; }

  /** The rows after the run's committed step, to be used before the next await: commits change them in place. */
  async rows(run: StoredRun): Promise<Rows> { return (await this.#entry(run)).rows; }

  /** `read` is called where nothing can come between it and the look at the cache. */
  async read<T>(runId: RunId, read: (population: Population, step: number) => T): Promise<T> {
    for (;;) {
      const run = await requireRun(this.#collections, runId);
      const entry = this.#entries.get(runId);
      if (entry !== undefined && entry.population !== null && sameAt(entry.at, run)) return read(entry.population, entry.at.committedStep);
      await this.population(runId);
    }
  }

  async population(runId: RunId): Promise<Population> {
    const run = await requireRun(this.#collections, runId);
    const { rows, population } = await this.#entry(run);
    if (population !== null) return population;
    const loaded = loadPopulation(run.config.population, rows.memberships.values(), rows.cells.values(), run.population, rows.tallies.values(), rows.prompts.values());
    this.#keep(run, { rows, population: loaded });
    return loaded;
  }

  /** Called with the run before and after a commit. */
  advance(before: StoredRun, after: StoredRun, change: ChangeSet): void {
    const entry = this.#entries.get(before._id);
    if (entry === undefined || !sameAt(entry.at, before)) return;
    // Changed in place: gone from the cache while it is neither the one nor the other.
    this.#entries.delete(before._id);
    entry.rows.apply(change);
    if (entry.population !== null) applyChangeSet(entry.population, change);
    this.#keep(after, entry);
  }

  async #entry(run: StoredRun): Promise<Entry> {
    const cached = this.#entries.get(run._id);
    if (cached !== undefined && sameAt(cached.at, run)) return cached;
    return this.#keep(run, { rows: await loadRows(this.#collections, this.#texts, run), population: null });
  }

  #keep(run: StoredRun, { rows, population }: Omit<Entry, 'at'>): Entry {
    this.#entries.delete(run._id);
    const { view, generation, committedStep } = run;
    const entry: Entry = { at: { view, generation, committedStep }, rows, population };
    this.#entries.set(run._id, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_RUNS) break;
      this.#entries.delete(oldest);
    }
    return entry;
  }
}

const sameAt = (a: At, b: At): boolean => a.view === b.view && a.generation === b.generation && a.committedStep === b.committedStep;
