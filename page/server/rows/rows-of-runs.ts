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
/** The patience of an answer for the first of its rows, and for all of them. */
const PATIENCE_MS = { any: 5_000, all: 1_000 };

type Held = {
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
  /** The folder of the files. */
  readonly #root: string;
  /** Null where all is read here. */
  readonly #apart: ReadApart | null;
  readonly #held = new Map<string, Promise<Held>>();
  #timer: NodeJS.Timeout | null = null;

  constructor(store: () => Promise<Store>, root: string, apart: ReadApart | null = null) {
    this.#store = store;
    this.#root = root;
    this.#apart = apart;
    forgetOldRows(root);
  }

  /** Reads the new rows of a run whose rows are held, so that they are there when they are asked for. */
  readInPassing(run: RunDocument): void {
    this.#held
      .get(run.run)
      ?.then((held) => this.#bring(held, run))
      .catch(() => undefined);
  }

  /** Resolves to the rows that there are now, when the commits that this document names are read. */
  async bringForward(run: RunDocument): Promise<{ readonly rows: number; readonly lineage: string }> {
    const held = await this.#of(run);
    await this.#bring(held, run);
    const { rows, lineage } = held.rows;
    return { rows, lineage };
  }

  /**
   * The rows there are of the chunk that begins with this row. Where all of it must be read first, it waits a little
   * and gives what came. `lineage` is what the caller holds, null for nothing yet.
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
    const held = await this.#of(run);
    const first = lineage === null || lineage === lineageOf(run) ? from : 0;
    const all = (Math.floor(first / ROWS_PER_ANSWER) + 1) * ROWS_PER_ANSWER;
    const failed = { error: null as unknown };
    const fail = (error: unknown): void => {
      failed.error = error;
    };
    const read = this.#bring(held, run).then(() => (isLate(set) ? this.#fill(held, run, set, all) : undefined));
    if (isLate(set) && held.rows.rows > 0) this.#fill(held, run, set, all).catch(fail);
    const begunMs = performance.now();
    const enough = (): boolean => {
      const waitedMs = performance.now() - begunMs;
      const rows = held.rows.rowsOf(set);
      return rows >= all || waitedMs > PATIENCE_MS.any || (rows > first && waitedMs > PATIENCE_MS.all);
    };
    let done = false;
    read.then(() => (done = true), fail).finally(() => this.#tell(held));
    while (!done && failed.error === null && !enough()) await this.#more(held);
    if (failed.error !== null) {
      if (failed.error instanceof RowsLost) this.#held.delete(run.run);
      // Old rows are better than none, where the database has gone away.
      if (held.rows.rowsOf(set) <= first) throw failed.error;
    }
    try {
      return answer(held.rows, first);
    } catch (error) {
      if (error instanceof RowsLost) this.#held.delete(run.run);
      throw error;
    }
  }

  /** Keeps in files what is not there yet. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    for (const held of this.#held.values()) (await held.catch(() => null))?.rows.save();
    this.#held.clear();
  }

  async #of(run: RunDocument): Promise<Held> {
    let opening = this.#held.get(run.run);
    if (opening === undefined) {
      opening = this.#open(run);
      opening.catch(() => this.#held.delete(run.run));
    }
    // The last one asked for is the last one to go.
    this.#held.delete(run.run);
    this.#held.set(run.run, opening);
    const held = await opening;
    held.usedMs = performance.now();
    this.#timer ??= setInterval(() => void this.#release(), IDLE_MS / 4).unref();
    return held;
  }

  async #open(run: RunDocument): Promise<Held> {
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
  async #bring(held: Held, run: RunDocument): Promise<void> {
    if (held.busy !== null) await held.busy.catch(() => undefined);
    const going = (held.busy ??= this.#read(held, run).finally(() => {
      held.busy = null;
      this.#tell(held);
    }));
    await going;
  }

  async #read(held: Held, run: RunDocument): Promise<void> {
    const { programs } = run.totals;
    if (programs - Math.max(held.rows.rows, held.readApart) > MOST_HERE) {
      held.readApart = programs;
      await this.#readApart(held, run, 'base');
    }
    await held.rows.bringForward(run, () => this.#tell(held));
  }

  async #fill(held: Held, run: RunDocument, set: LateSet, row: number): Promise<void> {
    while (held.filling !== null) await held.filling.catch(() => undefined);
    held.filling = this.#fillUntil(held, run, set, row).finally(() => {
      held.filling = null;
    });
    await held.filling;
  }

  async #fillUntil(held: Held, run: RunDocument, set: LateSet, row: number): Promise<void> {
    // While rows are read, a thread may write the files.
    const missing = Math.min(row, held.rows.rows) - held.rows.rowsOf(set);
    if (held.busy === null && missing > MOST_HERE) await this.#readApart(held, run, set);
    // Others may be there when these are read.
    for (let rows: RunRows | null = null; rows !== held.rows;) {
      rows = held.rows;
      await rows.fillUntil(set, row, () => this.#tell(held));
    }
  }

  /** Rows that a thread cannot read are read here. */
  async #readApart(held: Held, run: RunDocument, set: ColumnSet): Promise<void> {
    if (this.#apart === null) return;
    held.rows.save();
    const again = (): void => {
      // A read that is under way keeps its rows, and comes here when it is done.
      if (isLate(set) && held.busy !== null) return;
      held.rows = held.open(run);
      this.#tell(held);
    };
    await this.#apart(held.run, set, again).catch(() => undefined);
    while (isLate(set) && held.busy !== null) await held.busy.catch(() => undefined);
    again();
  }

  #tell({ waiting }: Held): void {
    for (const wake of waiting) wake();
    waiting.clear();
  }

  #more({ waiting }: Held): Promise<void> {
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
    for (const [run, opening] of [...this.#held]) {
      const held = await opening.catch(() => null);
      const spare = this.#held.size > MOST_RUNS || (held !== null && now - held.usedMs > IDLE_MS);
      if (held === null || !spare || held.busy !== null || held.filling !== null) continue;
      held.rows.save();
      this.#held.delete(run);
    }
  }
}
