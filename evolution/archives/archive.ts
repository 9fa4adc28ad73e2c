// What every archive does, whatever it keeps: a grid of cells, the cells of a tessellation, a priority queue, the
// elite archive. All obey one table of laws (test/evolution/archive-laws.test.ts): while cells stay where they are,
// what is kept depends on who was inserted and not on the order, a second insertion changes nothing, and of two programs
// for one place the better one stays, of equals the earlier.
import type { Member, ProgramId } from '../types.ts';

/** What came of an insertion: whether the program is kept now, and whom it replaced. */
export type Inserted = { readonly kept: boolean; readonly displaced: Member | null };

export interface Archive {
  insert(member: Member): Inserted;
  has(id: ProgramId): boolean;
  /** The program leaves the population. */
  remove(id: ProgramId): void;
  /** Best first. */
  members(): readonly Member[];
}

/** `elite: null`: the cell is empty now. */
export type CellChange = { readonly cell: string; readonly elite: Member | null };

/** An archive whose places have names, as they are stored. A program has at most one of them. */
export interface CellArchive extends Archive {
  cellOf(id: ProgramId): string | null;
  /**
   * Cells have moved: everyone goes, oldest first, where it belongs now; those who meet a better one lose their
   * place.
   */
  rebin(): void;
  /** Cells whose elite differs from what it was when the step began, by name. */
  changes(): readonly CellChange[];
}

/** Total order of merit: higher fit first, of equals the earlier program. No two programs are born at once. */
export const merit = (a: Member, b: Member): number => (a.fit > b.fit ? -1 : a.fit < b.fit ? 1 : a.bornSeq - b.bornSeq);

/** The elite of each cell of an archive of cells. A program is that of at most one. */
export type CellElites = {
  readonly cells: ReadonlyMap<string, Member>;
  readonly cellOf: ReadonlyMap<ProgramId, string>;
};
