// A priority queue within a step: so many places, named by their programs, in place of cells where MAP-Elites is
// ablated.
import type { Member, ProgramId } from '../types.ts';
import { type CellArchive, type CellChange, merit, type Inserted, type CellElites } from './archive.ts';
import { insertSorted } from './roster.ts';

export class QueueDraft implements CellArchive {
  readonly #base: CellElites;
  readonly #places: number;
  /** In order of merit, best first. */
  readonly #queue: Member[];
  readonly #ids: Set<ProgramId>;

  constructor(base: CellElites, places: number) {
    this.#base = base;
    this.#places = places;
    this.#queue = [...base.cells.values()].sort(merit);
    this.#ids = new Set(base.cellOf.keys());
  }

  cellOf(id: ProgramId): string | null {
    return this.#ids.has(id) ? id : null;
  }

  has(id: ProgramId): boolean {
    return this.#ids.has(id);
  }

  /** A free place is taken; the last in the queue is replaced by a better program only. */
  insert(member: Member): Inserted {
    if (this.#ids.has(member.id)) return { kept: true, displaced: null };
    const last = this.#queue.length < this.#places ? null : this.#queue.at(-1)!;
    if (last !== null && merit(last, member) < 0) return { kept: false, displaced: null };
    if (last !== null) this.remove(last.id);
    insertSorted(this.#queue, member, merit);
    this.#ids.add(member.id);
    return { kept: true, displaced: last };
  }

  remove(id: ProgramId): void {
    if (!this.#ids.delete(id)) return;
    this.#queue.splice(
      this.#queue.findIndex((member) => member.id === id),
      1,
    );
  }

  rebin(): void {}

  members(): readonly Member[] {
    return [...this.#queue];
  }

  changes(): readonly CellChange[] {
    const left = [...this.#base.cellOf.keys()]
      .filter((id) => !this.#ids.has(id))
      .map((cell) => ({ cell, elite: null }));
    const entered = this.#queue
      .filter(({ id }) => !this.#base.cellOf.has(id))
      .map((elite) => ({ cell: elite.id, elite }));
    return [...left, ...entered].sort((a, b) => (a.cell < b.cell ? -1 : 1));
  }
}
