// The elite archive within a step: the best members of the run, up to a fixed size (ThetaEvolve C.4.1).
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

  /** A newcomer that replaced a cell elite takes its place in this archive too, where the cell elite was a member. */
  inherit(newcomer: Member, displaced: Member | null): void {
    if (displaced !== null && this.#roster.has(displaced.id)) {
      this.#roster.remove(displaced.id);
      this.#roster.add(newcomer);
    } else this.insert(newcomer);
  }

  remove(id: ProgramId): void {
    this.#roster.remove(id);
  }

  /** The worst members leave where the settings have become smaller since the last step. */
  trim(): void {
    while (this.#roster.size > this.#size) this.#roster.remove(this.#roster.last()!.id);
  }

  members(): readonly Member[] {
    return this.#roster.best(this.#roster.size);
  }
}
