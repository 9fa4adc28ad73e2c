// The elite archive being changed by a step: so many seats for the best of the run (ThetaEvolve C.4.1).
import type { Member, ProgramId } from '../types.ts';
import { type Archive, merit, type Offer } from './archive.ts';
import type { RosterDraft } from './roster.ts';

export class EliteDraft implements Archive {
  readonly #roster: RosterDraft;
  readonly #seats: number;

  constructor(roster: RosterDraft, seats: number) {
    this.#roster = roster;
    this.#seats = seats;
  }

  has(id: ProgramId): boolean {
    return this.#roster.has(id);
  }

  /** A free seat is taken; the worst gives its seat up to a better program only. */
  offer(member: Member): Offer {
    if (this.#roster.has(member.id)) return { kept: true, displaced: null };
    const worst = this.#roster.size < this.#seats ? null : this.#roster.last()!;
    if (worst !== null && merit(worst, member) < 0) return { kept: false, displaced: null };
    if (worst !== null) this.#roster.remove(worst.id);
    this.#roster.add(member);
    return { kept: true, displaced: worst };
  }

  /** A newcomer takes the seat of the owner of a cell that it displaced, where that one had a seat. */
  inherit(newcomer: Member, displaced: Member | null): void {
    if (displaced !== null && this.#roster.has(displaced.id)) {
      this.#roster.remove(displaced.id);
      this.#roster.add(newcomer);
    } else this.offer(newcomer);
  }

  remove(id: ProgramId): void {
    this.#roster.remove(id);
  }

  /** Settings may have become smaller since the last step: the worst give their seats up. */
  trim(): void {
    while (this.#roster.size > this.#seats) this.#roster.remove(this.#roster.last()!.id);
  }

  members(): readonly Member[] {
    return this.#roster.best(this.#roster.size);
  }
}
