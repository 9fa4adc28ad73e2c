// The rows of the runs that somebody looks at. However many look, a run is read once; a run that nobody asked for in a
// while leaves the memory, and its files stay.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { Columns, ColumnSet } from '../../api/rows/columns.ts';
import { ROWS_PER_ANSWER } from '../../api/rows/columns.ts';
import type { ReadApart } from './reader.ts';
import { forgetOldRows, type PackedColumns } from './row-files.ts';
import { isLate, type LateSet } from './late-rows.ts';
import { lineageOf, RunRows } from './run-rows.ts';
import { RowsLost } from './chunks.ts';

/** The keys of 100,000 rows take 3 MB. */
const MOST_RUNS = 6;
/** More rows than this are read by a thread. */
const MOST_HERE = 2_000;
const IDLE_MS = 60_000;
/** How long an answer waits for the first of its rows, and for all of them. */
const PATIENCE_MS = { any: 5_000, all: 1_000 };

type Known = {
  readonly run: string;
  /** Opened again when a thread has read more into the files. */
  rows: RunRows;
  readonly open: (run: RunDocument) => RunRows;
  usedMs: number;
  /** The number of programs of the run when a thread read them: some of them may have no row. */
  readApart: number;
  /** While it is brought forward: resolves when that is done. */
  busy: Promise<void> | null;
  /** While a late set is read. */
  filling: Promise<void> | null;
  /** Called when there is more. */
  readonly waiting: Set<() => void>;
};

export class RowsOfRuns {
  readonly #store: () => Promise<Store>;
  /** Where files are kept. */
  readonly #root: string;
  /** Null where all is read here. */
  readonly #apart: ReadApart | null;
  readonly #known = new Map<string, Promise<Known>>();
  #timer: NodeJS.Timeout | null = null;

  constructor(store: () => Promise<Store>, root: string, apart: ReadApart | null = null) {
    this.#store = store;
    this.#root = root;
    this.#apart = apart;
    forgetOldRows(root);
  }

  /** Where somebody has the rows of the run, the new ones are read, so that they are there when they are asked for. */
  readInPassing(run: RunDocument): void {
    this.#known
      .get(run.run)
      ?.then((known) => this.#bring(known, run))
      .catch(() => undefined);
  }

  /** Resolves to the rows that there are now, when the commits that this document names are read. */
  async bringForward(run: RunDocument): Promise<{ readonly rows: number; readonly lineage: string }> {
    const known = await this.#of(run);
    await this.#bring(known, run);
    const { rows, lineage } = known.rows;
    return { rows, lineage };
  }

  /**
   * What there is of the chunk that begins with this row. Where all of it must be read first, it waits a little and
   * gives what came. `lineage` is what the caller holds, null for nothing yet.
   */
  async columns(run: RunDocument, set: ColumnSet, from: number, lineage: string | null): Promise<Columns> {
    return this.#answer(run, set, from, lineage, (rows, first) => rows.columns(set, first));
  }

  /** The same, of a whole chunk as it lies in its file. */
  async columnsToSend(
    run: RunDocument,
    set: ColumnSet,
    from: number,
    lineage: string | null,
  ): Promise<Columns | PackedColumns> {
    return this.#answer(run, set, from, lineage, (rows, first) => rows.packed(set, first) ?? rows.columns(set, first));
  }

  async #answer<T>(
    run: RunDocument,
    set: ColumnSet,
    from: number,
    lineage: string | null,
    answer: (rows: RunRows, first: number) => T,
  ): Promise<T> {
    const known = await this.#of(run);
    const first = lineage === null || lineage === lineageOf(run) ? from : 0;
    const all = (Math.floor(first / ROWS_PER_ANSWER) + 1) * ROWS_PER_ANSWER;
    const failed = { error: null as unknown };
    const fail = (error: unknown): void => {
      failed.error = error;
    };
    const read = this.#bring(known, run).then(() => (isLate(set) ? this.#fill(known, run, set, all) : undefined));
    if (isLate(set) && known.rows.rows > 0) this.#fill(known, run, set, all).catch(fail);
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
      return answer(known.rows, first);
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
    const open = (now: RunDocument): RunRows => new RunRows(this.#store, now, this.#root, id);
    return {
      run: run.run,
      rows: open(run),
      open,
      usedMs: performance.now(),
      readApart: 0,
      busy: null,
      filling: null,
      waiting: new Set(),
    };
  }

  /** One at a time; who comes meanwhile goes after it. */
  async #bring(known: Known, run: RunDocument): Promise<void> {
    if (known.busy !== null) await known.busy.catch(() => undefined);
    const going = (known.busy ??= this.#read(known, run).finally(() => {
      known.busy = null;
      this.#tell(known);
    }));
    await going;
  }

  async #read(known: Known, run: RunDocument): Promise<void> {
    const { programs } = run.totals;
    if (programs - Math.max(known.rows.rows, known.readApart) > MOST_HERE) {
      known.readApart = programs;
      await this.#readApart(known, run, 'base');
    }
    await known.rows.bringForward(run, () => this.#tell(known));
  }

  async #fill(known: Known, run: RunDocument, set: LateSet, row: number): Promise<void> {
    while (known.filling !== null) await known.filling.catch(() => undefined);
    known.filling = this.#fillUntil(known, run, set, row).finally(() => {
      known.filling = null;
    });
    await known.filling;
  }

  async #fillUntil(known: Known, run: RunDocument, set: LateSet, row: number): Promise<void> {
    // While rows are read, a thread may write the files.
    const missing = Math.min(row, known.rows.rows) - known.rows.rowsOf(set);
    if (known.busy === null && missing > MOST_HERE) await this.#readApart(known, run, set);
    // Others may be there when these are read.
    for (let rows: RunRows | null = null; rows !== known.rows;) {
      rows = known.rows;
      await rows.fillUntil(set, row, () => this.#tell(known));
    }
  }

  /** What cannot be read so is read here. */
  async #readApart(known: Known, run: RunDocument, set: ColumnSet): Promise<void> {
    if (this.#apart === null) return;
    known.rows.save();
    const again = (): void => {
      // Who reads now keeps what it has, and comes here when it is done.
      if (isLate(set) && known.busy !== null) return;
      known.rows = known.open(run);
      this.#tell(known);
    };
    await this.#apart(known.run, set, again).catch(() => undefined);
    while (isLate(set) && known.busy !== null) await known.busy.catch(() => undefined);
    again();
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
      if (known === null || !spare || known.busy !== null || known.filling !== null) continue;
      known.rows.save();
      this.#known.delete(run);
    }
  }
}
