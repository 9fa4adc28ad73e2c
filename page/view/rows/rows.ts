// The rows of a run, shared by all views that look at them: asked for set by set when a view first needs one, followed
// while the run grows, and let go when no view looks any more.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type ColumnSet, decodeColumns } from '../../api/rows/columns.ts';
import type { LiveEvent } from '../../api/site/live.ts';
import { appended, beside, columnsPath, type Rows } from '../../api/rows/rows.ts';
import { Asker } from '../base/asker.ts';
import type { SourceError } from '../base/source.ts';
import { theSource } from '../base/state.ts';

export type RunRows = {
  /** Null until the first of them are there. The same object until there are others. */
  readonly rows: Rows | null;
  /** The reason why nothing new came; the rows before stay. */
  readonly error: SourceError | null;
  readonly busy: boolean;
};

/** A view that comes within this time after the last one left finds the rows still here. */
const KEPT_MS = 30_000;
/** A lineage that changes while it is read is read anew, this often in one go. */
const ANEW = 3;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

type Shown = { readonly sets: readonly ColumnSet[]; readonly rows: Signal<RunRows>; of: readonly (Rows | null)[] };

export class HeldRows {
  /** The number of views that look at each set. */
  readonly #looking = new Map<ColumnSet, number>();
  readonly #sets = new Map<ColumnSet, Rows>();
  readonly #shown = new Map<string, Shown>();
  /** For each set that is looked at, the end of its news. */
  readonly #follows = new Map<ColumnSet, () => void>();
  readonly #asker = new Asker<null>(
    (signal) => this.#readAll(signal),
    ({ error, busy }) => {
      [this.#error, this.#busy] = [error, busy];
      this.#show();
    },
  );
  #leaving: ReturnType<typeof setTimeout> | undefined;
  #busy = false;
  #isToShow = false;
  #error: SourceError | null = null;

  constructor(run: string) {
    this.run = run;
  }
  readonly run: string;

  shown(sets: readonly ColumnSet[]): Signal<RunRows> {
    clearTimeout(this.#leaving);
    const key = [...sets].sort().join(' ');
    let one = this.#shown.get(key);
    if (one === undefined) {
      one = { sets, rows: signal<RunRows>({ rows: null, error: null, busy: true }), of: [] };
      this.#shown.set(key, one);
      this.#show();
    }
    return one.rows;
  }

  /** Asks for what these sets lack, and follows them until the returned function is called. */
  look(sets: readonly ColumnSet[]): () => void {
    clearTimeout(this.#leaving);
    const count = (set: ColumnSet, by: number): number => {
      const now = (this.#looking.get(set) ?? 0) + by;
      this.#looking.set(set, now);
      return now;
    };
    const more = sets.filter((set) => count(set, 1) === 1);
    for (const set of more)
      this.#follows.set(
        set,
        theSource().follow(this.run, (event) => this.#take(set, event), [set]),
      );
    if (more.length > 0) void this.#asker.ask();
    return () => {
      for (const set of sets)
        if (count(set, -1) === 0) {
          this.#follows.get(set)?.();
          this.#follows.delete(set);
        }
      if ([...this.#looking.values()].some((views) => views > 0)) return;
      this.#leaving = setTimeout(() => {
        this.#asker.end();
        held.delete(this.run);
      }, KEPT_MS);
    };
  }

  /** Puts the rows of the news behind those that are there, and asks for missing ones. */
  #take(set: ColumnSet, event: LiveEvent): void {
    if (event.kind === 'again' || event.kind === 'back') return this.#asker.news();
    if (event.kind !== 'rows') return;
    const columns = event.columns?.[set];
    const before = this.#sets.get(set) ?? null;
    const after = columns === undefined ? before : appended(before, decodeColumns(bytesOf(columns)));
    const total = columns === undefined ? event.rows : (after?.total ?? 0);
    if (after === null || after.lineage !== event.lineage || after.rows < total) return this.#asker.news();
    if (after === before) return;
    this.#sets.set(set, after);
    this.#showTogether();
  }

  /** Shows the rows once all sets have taken theirs from the same news. */
  #showTogether(): void {
    if (!this.#isToShow) queueMicrotask(() => this.#show());
    this.#isToShow = true;
  }

  #show(): void {
    this.#isToShow = false;
    for (const one of this.#shown.values()) {
      const of = one.sets.map((set) => this.#sets.get(set) ?? null);
      const same = of.length === one.of.length && of.every((set, at) => set === one.of[at]);
      // While another lineage is read set by set, the rows of the one before stay.
      const rows = same ? one.rows.value.rows : (beside(of) ?? one.rows.value.rows);
      one.of = of;
      const busy = this.#busy || rows === null;
      const before = one.rows.value;
      if (rows !== before.rows || busy !== before.busy || this.#error !== before.error)
        one.rows.value = { rows, error: this.#error, busy: busy && this.#error === null };
    }
  }

  /** Reads one set up to its present end; a big one comes in several answers. */
  async #read(set: ColumnSet, signal: AbortSignal): Promise<void> {
    for (let anew = 0; anew < ANEW;) {
      const path = columnsPath(this.run, set, this.#sets.get(set));
      const answer = decodeColumns(await theSource().bytes(path, signal));
      // More may have come with the news meanwhile.
      const after = appended(this.#sets.get(set) ?? null, answer);
      if (after === null) {
        this.#sets.delete(set);
        anew++;
        continue;
      }
      this.#sets.set(set, after);
      if (after.rows >= after.total || answer.header.rows === 0) return;
      this.#show();
    }
  }

  /** The sets at the same time, because a view that needs two of them shows nothing before it has both. */
  async #readAll(signal: AbortSignal): Promise<null> {
    const sets = [...this.#looking].filter(([, views]) => views > 0).map(([set]) => set);
    await Promise.all(sets.map((set) => this.#read(set, signal)));
    // The server answers with the rows that it has read. Where more are to come, it is asked again.
    if (sets.map((set) => this.#sets.get(set)).some((rows) => rows !== undefined && rows.rows < rows.total))
      this.#asker.news();
    return null;
  }
}

const held = new Map<string, HeldRows>();
const holding = (run: string): HeldRows => {
  const one = held.get(run) ?? new HeldRows(run);
  held.set(run, one);
  return one;
};

/** The rows of a run with the columns of these sets, as they grow. */
export const useRows = (run: string, sets: readonly ColumnSet[] = ['base']): ReadonlySignal<RunRows> => {
  const key = sets.join(' ');
  const rows = useMemo(() => holding(run).shown(sets), [run, key]);
  useEffect(() => holding(run).look(sets), [run, key]);
  return rows;
};
