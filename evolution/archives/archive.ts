// The interface of all archives (grid, tessellation, queue, elites) and their laws (archive-laws.test.ts): without
// moving cells the result does not depend on the order of insertion; a second insertion changes nothing; the better
// program keeps a place, and of equals the earlier one.
import type { Member, ProgramId } from '../types.ts';

/** The result of an insertion: whether the program is kept now, and which member it replaced. */
export type Inserted = { readonly kept: boolean; readonly displaced: Member | null };

export interface Archive {
  insert(member: Member): Inserted;
  has(id: ProgramId): boolean;
  /** For a program that leaves the population. */
  remove(id: ProgramId): void;
  /** The members in order of merit, best first. */
  members(): readonly Member[];
}

/** A cell whose elite has changed; `elite: null` means that the cell is empty now. */
export type CellChange = { readonly cell: string; readonly elite: Member | null };

/** An archive whose places have names, under which they are stored. A program has at most one place. */
export interface CellArchive extends Archive {
  cellOf(id: ProgramId): string | null;
  /** Sorts elites and candidates into cells anew, oldest first, after cells have moved. The better one keeps a cell. */
  rebin(candidates?: readonly Member[]): void;
  /** The cells whose elite differs from what it was when the step began. */
  changes(): readonly CellChange[];
}

/** The order of merit, best first: the higher fit, and of equals the earlier program. */
export const merit = (a: Member, b: Member): number => (a.fit > b.fit ? -1 : a.fit < b.fit ? 1 : a.bornSeq - b.bornSeq);

/** The elite of each cell of an archive of cells. A program is the elite of at most one cell. */
export type CellElites = {
  readonly cells: ReadonlyMap<string, Member>;
  readonly cellOf: ReadonlyMap<ProgramId, string>;
};
