// A roster being changed by a step: the unchanged base and what was added and removed since. Called by the files of insertion.
import { merit } from './archives/archive.ts';
import { birth, insertSorted, worth, type Roster } from './roster.ts';
import type { Member, ProgramId } from './types.ts';

export class RosterDraft {
  readonly #base: Roster;
  readonly #added = new Map<ProgramId, Member>();
  readonly #addedWorstFirst: Member[] = [];
  readonly #removed = new Set<ProgramId>();
  /** Below it every entry of the base's worst-first order is removed. */
  #low = 0;

  constructor(base: Roster) { this.#base = base; }

  get size(): number { return this.#base.byId.size + this.#added.size - this.#removed.size; }

  get(id: ProgramId): Member | undefined { return this.#added.get(id) ?? (this.#removed.has(id) ? undefined : this.#base.byId.get(id)); }

  has(id: ProgramId): boolean { return this.get(id) !== undefined; }

  add(member: Member): void {
    if (this.has(member.id)) return;
    if (this.#removed.delete(member.id)) { this.#low = 0; return; }
    this.#added.set(member.id, member);
    insertSorted(this.#addedWorstFirst, member, worth);
  }

  remove(id: ProgramId): void {
    const added = this.#added.get(id);
    if (added) {
      this.#added.delete(id);
      this.#addedWorstFirst.splice(this.#addedWorstFirst.indexOf(added), 1);
    } else if (this.#base.byId.has(id)) this.#removed.add(id);
  }

  /** Lowest fit first, among equals oldest first. */
  *worstFirst(): Generator<Member> {
    const base = this.#base.worstFirst;
    while (this.#low < base.length && this.#removed.has(base[this.#low]!.id)) this.#low++;
    let from = this.#low;
    for (const added of this.#addedWorstFirst) {
      for (; from < base.length && worth(base[from]!, added) < 0; from++) if (!this.#removed.has(base[from]!.id)) yield base[from]!;
      yield added;
    }
    for (; from < base.length; from++) if (!this.#removed.has(base[from]!.id)) yield base[from]!;
  }

  /** Lowest fit, of equals the newest: the last in order of merit. */
  last(): Member | undefined {
    let last: Member | undefined;
    for (const member of this.worstFirst()) {
      if (last !== undefined && member.fit > last.fit) break;
      last = member;
    }
    return last;
  }

  /** Highest fit first, among equals oldest first. */
  best(count: number): readonly Member[] {
    const ofBase = bestOf(this.#base, count + this.#removed.size).filter((member) => !this.#removed.has(member.id));
    return [...ofBase, ...this.#added.values()].sort(merit).slice(0, count);
  }

  changes(): { readonly add: readonly Member[]; readonly remove: readonly ProgramId[] } {
    const remove = [...this.#removed].map((id) => this.#base.byId.get(id)!).sort(birth);
    return { add: [...this.#added.values()].sort(birth), remove: remove.map((member) => member.id) };
  }
}

/** The best members of a roster: highest fit first, among equals oldest first. The cost follows the count. */
export const bestOf = ({ worstFirst }: Roster, count: number): readonly Member[] => {
  const best: Member[] = [];
  for (let end = worstFirst.length; end > 0 && best.length < count;) {
    const start = firstWithFit(worstFirst, worstFirst[end - 1]!.fit);
    best.push(...worstFirst.slice(start, Math.min(end, start + count - best.length)));
    end = start;
  }
  return best;
};

const firstWithFit = (worstFirst: readonly Member[], fit: number): number => {
  let low = 0;
  let high = worstFirst.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (worstFirst[middle]!.fit < fit) low = middle + 1;
    else high = middle;
  }
  return low;
};
