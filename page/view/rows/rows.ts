// The rows of a run, shared by all views that look at them: asked for set by set when a view first needs one, followed
// while the run grows, and let go when no view looks any more.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type ColumnSet, decodeColumns } from '../../api/rows/columns.ts';
import type { LiveEvent } from '../../api/site/live.ts';
import { appended, beside, columnsPath, type Rows } from '../../api/rows/rows.ts';
import { SourceError } from '../base/source.ts';
import { theSource } from '../base/state.ts';

export type RunRows = {
  /** Null until the first of them are there. The same object until there are others. */
  readonly rows: Rows | null;
  /** Why nothing new came; what was there stays. */
  readonly error: SourceError | null;
  readonly busy: boolean;
};

/** At most so often, however fast a run commits. */
const LEAST_MS = 500;
/** The server answers with what it has read. Where more is to come, so long until it is asked again. */
const MORE_MS = 1_000;
/** After a failure, so long until the next try, unless there is news before. */
const RETRY_MS = 5_000;
/** A view that comes within this time after the last one left finds the rows still here. */
const KEPT_MS = 30_000;
/** A lineage that changes while it is read is read anew, this often in one go. */
const ANEW = 3;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

type Shown = { readonly sets: readonly ColumnSet[]; readonly rows: Signal<RunRows>; of: readonly (Rows | null)[] };

export class HeldRows {
  /** How many views look at each set. */
  readonly #looking = new Map<ColumnSet, number>();
  readonly #sets = new Map<ColumnSet, Rows>();
  readonly #shown = new Map<string, Shown>();
  readonly #control = new AbortController();
  /** For each set that is looked at, what ends that it comes with the news. */
  readonly #follows = new Map<ColumnSet, () => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leaving: ReturnType<typeof setTimeout> | undefined;
  #asking = false;
  #isToShow = false;
  #wanted = false;
  #askedMs = Number.NEGATIVE_INFINITY;
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

  /** Asks for what these sets lack, and follows them until what it returns is called. */
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
    if (more.length > 0) {
      this.#askedMs = Number.NEGATIVE_INFINITY;
      void this.#ask();
    }
    return () => {
      for (const set of sets)
        if (count(set, -1) === 0) {
          this.#follows.get(set)?.();
          this.#follows.delete(set);
        }
      if ([...this.#looking.values()].some((views) => views > 0)) return;
      this.#leaving = setTimeout(() => {
        this.#control.abort();
        clearTimeout(this.#timer);
        held.delete(this.run);
      }, KEPT_MS);
    };
  }

  /** Rows that came with the news are put behind those that are there. What is missing then is asked for. */
  #take(set: ColumnSet, event: LiveEvent): void {
    if (event.kind === 'again' || event.kind === 'back') return void this.#ask();
    if (event.kind !== 'rows') return;
    const told = event.columns?.[set];
    const before = this.#sets.get(set) ?? null;
    const after = told === undefined ? before : appended(before, decodeColumns(bytesOf(told)));
    const total = told === undefined ? event.rows : (after?.total ?? 0);
    if (after === null || after.lineage !== event.lineage || after.rows < total) return void this.#ask();
    if (after === before) return;
    this.#sets.set(set, after);
    this.#showTogether();
  }

  /** When all sets have taken what came with the same news. */
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
      const busy = this.#asking || rows === null;
      const before = one.rows.value;
      if (rows !== before.rows || busy !== before.busy || this.#error !== before.error)
        one.rows.value = { rows, error: this.#error, busy: busy && this.#error === null };
    }
  }

  /** Reads one set up to its present end; a big one comes in several answers. */
  async #read(set: ColumnSet): Promise<void> {
    for (let anew = 0; anew < ANEW;) {
      const path = columnsPath(this.run, set, this.#sets.get(set));
      const answer = decodeColumns(await theSource().bytes(path, this.#control.signal));
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

  async #ask(): Promise<void> {
    if (this.#asking) {
      this.#wanted = true;
      return;
    }
    clearTimeout(this.#timer);
    const waitMs = this.#askedMs + LEAST_MS - performance.now();
    if (waitMs > 0) {
      this.#timer = setTimeout(() => void this.#ask(), waitMs);
      return;
    }
    [this.#asking, this.#wanted, this.#askedMs] = [true, false, performance.now()];
    this.#show();
    try {
      // At the same time, because a view that needs two of them shows nothing before it has both.
      const looked = [...this.#looking].filter(([, views]) => views > 0);
      await Promise.all(looked.map(([set]) => this.#read(set)));
      this.#error = null;
      const lacks = looked.some(([set]) => {
        const held = this.#sets.get(set);
        return held !== undefined && held.rows < held.total;
      });
      if (lacks) this.#timer = setTimeout(() => void this.#ask(), MORE_MS);
    } catch (error) {
      if (this.#control.signal.aborted) return;
      this.#error = error instanceof SourceError ? error : new SourceError('away', String(error));
      this.#timer = setTimeout(() => void this.#ask(), RETRY_MS);
    }
    this.#asking = false;
    this.#show();
    if (this.#wanted) void this.#ask();
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
  const shown = useMemo(() => holding(run).shown(sets), [run, key]);
  useEffect(() => holding(run).look(sets), [run, key]);
  return shown;
};
