// Cells, each with its elite, being changed by a step: a MAP-Elites archive, on a grid or a tessellation.
import type { Member, ProgramId } from '../types.ts';
import { type CellArchive, type CellChange, merit, type Offer, type Owners } from './archive.ts';
import { birth } from './roster.ts';

export class CellDraft implements CellArchive {
  readonly #base: Owners;
  readonly #cellNow: (member: Member) => string | null;
  readonly #cells = new Map<string, Member | null>();
  readonly #cellOf = new Map<ProgramId, string | null>();

  /** `cellNow`: where a program belongs at this moment; null: nowhere. */
  constructor(base: Owners, cellNow: (member: Member) => string | null) {
    this.#base = base;
    this.#cellNow = cellNow;
  }

  cellOf(id: ProgramId): string | null {
    const changed = this.#cellOf.get(id);
    return changed === undefined ? (this.#base.cellOf.get(id) ?? null) : changed;
  }

  has(id: ProgramId): boolean {
    return this.cellOf(id) !== null;
  }

  /** An empty cell is taken; an owner gives way to a better program only. */
  offer(member: Member): Offer {
    if (this.has(member.id)) return { kept: true, displaced: null };
    const cell = this.#cellNow(member);
    const owner = cell === null ? null : this.#owner(cell);
    if (cell === null || (owner !== null && merit(owner, member) < 0)) return { kept: false, displaced: null };
    if (owner !== null) this.#cellOf.set(owner.id, null);
    this.#cells.set(cell, member);
    this.#cellOf.set(member.id, cell);
    return { kept: true, displaced: owner };
  }

  remove(id: ProgramId): void {
    const cell = this.cellOf(id);
    if (cell === null) return;
    this.#cells.set(cell, null);
    this.#cellOf.set(id, null);
  }

  settle(): void {
    const owners = this.#owners().sort(birth);
    for (const owner of owners) this.remove(owner.id);
    for (const owner of owners) this.offer(owner);
  }

  members(): readonly Member[] {
    return this.#owners().sort(merit);
  }

  changes(): readonly CellChange[] {
    return [...this.#cells]
      .filter(([cell, owner]) => (this.#base.cells.get(cell)?.id ?? null) !== (owner?.id ?? null))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([cell, owner]) => ({ cell, owner }));
  }

  #owner(cell: string): Member | null {
    const changed = this.#cells.get(cell);
    return changed === undefined ? (this.#base.cells.get(cell) ?? null) : changed;
  }

  #owners(): Member[] {
    const kept = [...this.#base.cells].filter(([cell]) => !this.#cells.has(cell)).map(([, owner]) => owner);
    return [...kept, ...[...this.#cells.values()].filter((owner) => owner !== null)];
  }
}
