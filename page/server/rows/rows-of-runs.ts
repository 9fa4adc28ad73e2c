// The rows of the runs that somebody looks at. However many look, a run is read once; a run that nobody asked for in a
// while leaves the memory, and its files stay.
import type { RunDocument } from '../../../activities/store/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { Columns, ColumnSet } from '../../data/columns.ts';
import { ROWS_PER_ANSWER } from '../../data/columns.ts';
import { forgetOldRows } from './row-files.ts';
import { lineageOf, RunRows } from './run-rows.ts';
import { RowsLost } from './stretches.ts';

/** The keys of 100,000 rows take 3 MB. */
const MOST_RUNS = 6;
const IDLE_MS = 60_000;
/** How long an answer waits for the first of its rows, and for all of them. */
const PATIENCE_MS = { any: 5_000, all: 1_000 };

type Known = {
  readonly rows: RunRows;
  usedMs: number;
  /** While it is brought forward: resolves when that is done. */
  busy: Promise<void> | null;
  paying: Promise<void> | null;
  /** Called when there is more. */
  readonly waiting: Set<() => void>;
};

export class RowsOfRuns {
  readonly #store: () => Promise<Store>;
  /** Where files are kept. */
  readonly #root: string;
  readonly #known = new Map<string, Promise<Known>>();
  #timer: NodeJS.Timeout | null = null;

  constructor(store: () => Promise<Store>, root: string) {
    this.#store = store;
    this.#root = root;
    forgetOldRows(root);
  }

  /**
   * The number of rows of the run by its document. Where somebody has its rows, the new ones are read in passing, so
   * that they are there when they are asked for.
   */
  known(run: RunDocument): number {
    this.#known
      .get(run.run)
      ?.then((known) => this.#bring(known, run))
      .catch(() => undefined);
    return run.committedStep < 0 ? 0 : run.totals.programs + 1;
  }

  /** Resolves to the rows that there are now, when the commits that this document names are read. */
  async bringForward(run: RunDocument): Promise<{ readonly rows: number; readonly lineage: string }> {
    const known = await this.#of(run);
    await this.#bring(known, run);
    const { rows, lineage } = known.rows;
    return { rows, lineage };
  }

  /**
   * What there is of the stretch that begins with this row. Where all of it must be read first, it waits a little and
   * gives what came. `lineage` is what the caller holds, null for nothing yet.
   */
  async columns(run: RunDocument, set: ColumnSet, from: number, lineage: string | null): Promise<Columns> {
    const known = await this.#of(run);
    const first = lineage === null || lineage === lineageOf(run) ? from : 0;
    const all = (Math.floor(first / ROWS_PER_ANSWER) + 1) * ROWS_PER_ANSWER;
    const failed = { error: null as unknown };
    const fail = (error: unknown): void => {
      failed.error = error;
    };
    const read = this.#bring(known, run).then(() => (set === 'paid' ? this.#pay(known, all) : undefined));
    if (set === 'paid' && known.rows.rows > 0) this.#pay(known, all).catch(fail);
    const begunMs = performance.now();
    const enough = (): boolean => {
      const waitedMs = performance.now() - begunMs;
      const rows = known.rows.rowsOf(set);
      return rows >= all || waitedMs > PATIENCE_MS.any || (rows > first && waitedMs > PATIENCE_MS.all);
    };
    let done = false;
    read.then(() => (done = true), fail).finally(() => this.#tell(known));
    while (!done && failed.error === null && !enough()) await this.#more(known);
    if (failed.error !== null) {
      if (failed.error instanceof RowsLost) this.#known.delete(run.run);
      // What is known is better than nothing, where the database has gone away.
      if (known.rows.rowsOf(set) <= first) throw failed.error;
    }
    try {
      return known.rows.columns(set, first);
    } catch (error) {
      if (error instanceof RowsLost) this.#known.delete(run.run);
      throw error;
    }
  }

  /** Keeps in files what is not there yet. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    for (const known of this.#known.values()) (await known.catch(() => null))?.rows.save();
    this.#known.clear();
  }

  async #of(run: RunDocument): Promise<Known> {
    let opening = this.#known.get(run.run);
    if (opening === undefined) {
      opening = this.#open(run);
      opening.catch(() => this.#known.delete(run.run));
    }
    // The last one asked for is the last one to go.
    this.#known.delete(run.run);
    this.#known.set(run.run, opening);
    const known = await opening;
    known.usedMs = performance.now();
    this.#timer ??= setInterval(() => void this.#release(), IDLE_MS / 4).unref();
    return known;
  }

  async #open(run: RunDocument): Promise<Known> {
    const { id } = await (await this.#store()).identity();
    const rows = new RunRows(this.#store, run, this.#root, id);
    return { rows, usedMs: performance.now(), busy: null, paying: null, waiting: new Set() };
  }

  /** One at a time; who comes meanwhile goes after it. */
  async #bring(known: Known, run: RunDocument): Promise<void> {
    if (known.busy !== null) await known.busy.catch(() => undefined);
    const going = (known.busy ??= known.rows
      .bringForward(run, () => this.#tell(known))
      .finally(() => {
        known.busy = null;
        this.#tell(known);
      }));
    await going;
  }

  async #pay(known: Known, row: number): Promise<void> {
    while (known.paying !== null) await known.paying.catch(() => undefined);
    known.paying = known.rows
      .payUntil(row, () => this.#tell(known))
      .finally(() => {
        known.paying = null;
      });
    await known.paying;
  }

  #tell({ waiting }: Known): void {
    for (const wake of waiting) wake();
    waiting.clear();
  }

  #more({ waiting }: Known): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, PATIENCE_MS.all);
      waiting.add(() => {
        clearTimeout(timer);
        done();
      });
    });
  }

  async #release(): Promise<void> {
    const now = performance.now();
    for (const [run, opening] of [...this.#known]) {
      const known = await opening.catch(() => null);
      const spare = this.#known.size > MOST_RUNS || (known !== null && now - known.usedMs > IDLE_MS);
      if (known === null || !spare || known.busy !== null || known.paying !== null) continue;
      known.rows.save();
      this.#known.delete(run);
    }
  }
}
