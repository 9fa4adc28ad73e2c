// A MAP-Elites grid being changed by a step. A program owns at most one cell of a grid. Called by islands.ts, eviction.ts and insertion.ts.
import type { Grid } from './population.ts';
import { birth } from './roster.ts';
import type { Member, ProgramId } from './types.ts';

export type CellChange = { readonly cell: string; readonly owner: Member | null };

export class GridDraft {
  readonly #base: Grid;
  readonly #cells = new Map<string, Member | null>();
  readonly #cellOf = new Map<ProgramId, string | null>();

  constructor(base: Grid) { this.#base = base; }

  owner(cell: string): Member | null {
    const changed = this.#cells.get(cell);
    return changed === undefined ? this.#base.cells.get(cell) ?? null : changed;
  }

  cellOf(id: ProgramId): string | null {
    const changed = this.#cellOf.get(id);
    return changed === undefined ? this.#base.cellOf.get(id) ?? null : changed;
  }

  /** An empty cell is taken; an owner gives way to strictly higher fit only. Returns the owner that gave way. */
  compete(cell: string, member: Member): Member | null {
    if (this.cellOf(member.id) !== null) return null;
    const owner = this.owner(cell);
    if (owner !== null && !(member.fit > owner.fit)) return null;
    if (owner !== null) this.#cellOf.set(owner.id, null);
    this.#set(cell, member);
    return owner;
  }

  /** Empties the cell of a program that leaves the population. */
  leave(id: ProgramId): void {
    const cell = this.cellOf(id);
    if (cell === null) return;
    this.#cells.set(cell, null);
    this.#cellOf.set(id, null);
  }

  /** Puts every owner, oldest first, into the cell where it belongs now; those who meet a better or older equal lose theirs. */
  rebin(cellNow: (member: Member) => string): void {
    const owners = this.#owners().sort(birth);
    for (const owner of owners) this.leave(owner.id);
    for (const owner of owners) this.compete(cellNow(owner), owner);
  }

  /** Cells whose owner differs from the base, by name. */
  changes(): readonly CellChange[] {
    return [...this.#cells]
      .filter(([cell, owner]) => (this.#base.cells.get(cell)?.id ?? null) !== (owner?.id ?? null))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([cell, owner]) => ({ cell, owner }));
  }

  #owners(): Member[] {
    const kept = [...this.#base.cells].filter(([cell]) => !this.#cells.has(cell)).map(([, owner]) => owner);
    return [...kept, ...[...this.#cells.values()].filter((owner) => owner !== null)];
  }

  #set(cell: string, member: Member): void {
    this.#cells.set(cell, member);
    this.#cellOf.set(member.id, cell);
  }
}
