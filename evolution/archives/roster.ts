// The members of an island, an archive or the population in two orders at once, so that draws and searches need no
// sorting.
import type { Member, ProgramId } from '../types.ts';
import { merit } from './archive.ts';
import { firstIndex } from '../binary-search.ts';

export type Roster = {
  readonly byId: ReadonlyMap<ProgramId, Member>;
  /** Oldest first; uniform draws take an index of this list. */
  readonly byBirth: readonly Member[];
  /** Lowest fit first, and among equals oldest first: the order in which programs are evicted. */
  readonly worstFirst: readonly Member[];
};

/** A roster that its holder may change in place. */
export type MutableRoster = {
  readonly byId: Map<ProgramId, Member>;
  readonly byBirth: Member[];
  readonly worstFirst: Member[];
};

type Order = (a: Member, b: Member) => number;

export const birth: Order = (a, b) => a.bornSeq - b.bornSeq;
export const worth: Order = (a, b) => (a.fit < b.fit ? -1 : a.fit > b.fit ? 1 : a.bornSeq - b.bornSeq);

export const rosterOf = (members: Iterable<Member>): MutableRoster => {
  const byId = new Map<ProgramId, Member>();
  for (const member of members) byId.set(member.id, member);
  const byBirth = [...byId.values()].sort(birth);
  return { byId, byBirth, worstFirst: [...byBirth].sort(worth) };
};

/** Adds and removes in place. Adding a present member and removing an absent one change nothing. */
export const changeRoster = (
  roster: MutableRoster,
  change: { readonly add: readonly Member[]; readonly remove: readonly ProgramId[] },
): void => {
  const removed = new Set(change.remove.flatMap((id) => roster.byId.get(id) ?? []));
  for (const { id } of removed) roster.byId.delete(id);
  const added = change.add.filter((member) => !roster.byId.has(member.id) && roster.byId.set(member.id, member));
  for (const [list, order] of [
    [roster.byBirth, birth],
    [roster.worstFirst, worth],
  ] as const) {
    withdraw(list, removed, order);
    merge(list, [...added].sort(order), order);
  }
};

/** Closes the gaps in one pass, beginning at the first gap. */
const withdraw = (list: Member[], removed: ReadonlySet<Member>, order: Order): void => {
  if (removed.size === 0) return;
  let to = list.length;
  for (const member of removed) to = Math.min(to, positionOf(list, member, order));
  for (let from = to; from < list.length; from++) {
    const member = list[from]!;
    if (!removed.has(member)) list[to++] = member;
  }
  list.length = to;
};

/** Merges from the end, so that the entries before the first added one stay where they are. */
const merge = (list: Member[], added: readonly Member[], order: Order): void => {
  let from = list.length - 1;
  for (const member of added) list.push(member);
  for (let next = added.length - 1, to = list.length - 1; next >= 0; to--) {
    const present = list[from];
    if (from >= 0 && present && order(present, added[next]!) > 0) {
      list[to] = present;
      from--;
    } else list[to] = added[next--]!;
  }
};

/** The first index whose entry does not come before the member. */
const positionOf = (list: readonly Member[], member: Member, order: Order): number =>
  firstIndex(list.length, (index) => order(list[index]!, member) >= 0);

export const insertSorted = (list: Member[], member: Member, order: Order): void => {
  const last = list.at(-1);
  if (last === undefined || order(last, member) < 0) list.push(member);
  else list.splice(positionOf(list, member, order), 0, member);
};

/** A roster as a step changes it: the unchanged base, and what was added and removed since. */
export class RosterDraft {
  readonly #base: Roster;
  readonly #added = new Map<ProgramId, Member>();
  readonly #addedWorstFirst: Member[] = [];
  readonly #removed = new Set<ProgramId>();
  /** Below this index every entry of the base's worst-first order is removed. */
  #low = 0;

  constructor(base: Roster) {
    this.#base = base;
  }

  get size(): number {
    return this.#base.byId.size + this.#added.size - this.#removed.size;
  }

  get(id: ProgramId): Member | undefined {
    return this.#added.get(id) ?? (this.#removed.has(id) ? undefined : this.#base.byId.get(id));
  }

  has(id: ProgramId): boolean {
    return this.get(id) !== undefined;
  }

  add(member: Member): void {
    if (this.has(member.id)) return;
    if (this.#removed.delete(member.id)) {
      this.#low = 0;
      return;
    }
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
      for (; from < base.length && worth(base[from]!, added) < 0; from++)
        if (!this.#removed.has(base[from]!.id)) yield base[from]!;
      yield added;
    }
    for (; from < base.length; from++) if (!this.#removed.has(base[from]!.id)) yield base[from]!;
  }

  /** The last in order of merit: the lowest fit, and of equals the newest. */
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

/** The best members: highest fit first, among equals oldest first. The cost follows the count, not the roster. */
export const bestOf = ({ worstFirst }: Roster, count: number): readonly Member[] => {
  const best: Member[] = [];
  for (let end = worstFirst.length; end > 0 && best.length < count;) {
    const start = firstWithFit(worstFirst, worstFirst[end - 1]!.fit);
    best.push(...worstFirst.slice(start, Math.min(end, start + count - best.length)));
    end = start;
  }
  return best;
};

const firstWithFit = (worstFirst: readonly Member[], fit: number): number =>
  firstIndex(worstFirst.length, (index) => worstFirst[index]!.fit >= fit);
