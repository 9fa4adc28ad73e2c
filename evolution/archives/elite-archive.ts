// The elite archive being changed by a step: so many members, the best of the run (ThetaEvolve C.4.1).
import type { Member, ProgramId } from '../types.ts';
import { type Archive, merit, type Inserted } from './archive.ts';
import type { RosterDraft } from './roster.ts';

export class EliteDraft implements Archive {
  readonly #roster: RosterDraft;
  readonly #size: number;

  constructor(roster: RosterDraft, size: number) {
    this.#roster = roster;
    this.#size = size;
  }

  has(id: ProgramId): boolean {
    return this.#roster.has(id);
  }

  /** A free place is taken; the worst member is replaced by a better program only. */
  insert(member: Member): Inserted {
    if (this.#roster.has(member.id)) return { kept: true, displaced: null };
    const worst = this.#roster.size < this.#size ? null : this.#roster.last()!;
    if (worst !== null && merit(worst, member) < 0) return { kept: false, displaced: null };
    if (worst !== null) this.#roster.remove(worst.id);
    this.#roster.add(member);
    return { kept: true, displaced: worst };
  }

  /** A newcomer replaces the cell elite that it displaced in this archive too, where that one was a member. */
  inherit(newcomer: Member, displaced: Member | null): void {
    if (displaced !== null && this.#roster.has(displaced.id)) {
      this.#roster.remove(displaced.id);
      this.#roster.add(newcomer);
    } else this.insert(newcomer);
  }

  remove(id: ProgramId): void {
    this.#roster.remove(id);
  }

  /** Settings may have become smaller since the last step: the worst members leave. */
  trim(): void {
    while (this.#roster.size > this.#size) this.#roster.remove(this.#roster.last()!.id);
  }

  members(): readonly Member[] {
    return this.#roster.best(this.#roster.size);
  }
}
