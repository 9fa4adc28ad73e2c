// A MAP-Elites archive within a step: the cells of a grid or tessellation, each with its elite.
import type { Member, ProgramId } from '../types.ts';
import { type CellArchive, type CellChange, merit, type Inserted, type CellElites } from './archive.ts';
import { birth } from './roster.ts';

export class CellDraft implements CellArchive {
  readonly #base: CellElites;
  readonly #cellNow: (member: Member) => string | null;
  readonly #cells = new Map<string, Member | null>();
  readonly #cellOf = new Map<ProgramId, string | null>();

  /** `cellNow` tells in which cell a program belongs at this moment; null means in none. */
  constructor(base: CellElites, cellNow: (member: Member) => string | null) {
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

  /** An empty cell is taken; an elite is replaced by a better program only. */
  insert(member: Member): Inserted {
    if (this.has(member.id)) return { kept: true, displaced: null };
    const cell = this.#cellNow(member);
    const elite = cell === null ? null : this.#elite(cell);
    if (cell === null || (elite !== null && merit(elite, member) < 0)) return { kept: false, displaced: null };
    if (elite !== null) this.#cellOf.set(elite.id, null);
    this.#cells.set(cell, member);
    this.#cellOf.set(member.id, cell);
    return { kept: true, displaced: elite };
  }

  remove(id: ProgramId): void {
    const cell = this.cellOf(id);
    if (cell === null) return;
    this.#cells.set(cell, null);
    this.#cellOf.set(id, null);
  }

  rebin(candidates: readonly Member[] = []): void {
    const elites = this.#elites();
    for (const elite of elites) this.remove(elite.id);
    const competing = new Map([...elites, ...candidates].map((member) => [member.id, member]));
    for (const member of [...competing.values()].sort(birth)) this.insert(member);
  }

  members(): readonly Member[] {
    return this.#elites().sort(merit);
  }

  changes(): readonly CellChange[] {
    return [...this.#cells]
      .filter(([cell, elite]) => (this.#base.cells.get(cell)?.id ?? null) !== (elite?.id ?? null))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([cell, elite]) => ({ cell, elite }));
  }

  #elite(cell: string): Member | null {
    const changed = this.#cells.get(cell);
    return changed === undefined ? (this.#base.cells.get(cell) ?? null) : changed;
  }

  #elites(): Member[] {
    const unchanged = [...this.#base.cells].filter(([cell]) => !this.#cells.has(cell)).map(([, elite]) => elite);
    return [...unchanged, ...[...this.#cells.values()].filter((elite) => elite !== null)];
  }
}
