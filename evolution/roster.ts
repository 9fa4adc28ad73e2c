// A roster: the members of one island, of the elite archive or of the whole population, kept in two orders.
// Read by selection and insertion; changed only by population.ts.
import type { Member, ProgramId } from './types.ts';

export type Roster = {
  readonly byId: ReadonlyMap<ProgramId, Member>;
  /** Oldest first: what uniform draws index. */
  readonly byBirth: readonly Member[];
  /** Lowest fit first, among equals oldest first: the order in which programs are given up. */
  readonly worstFirst: readonly Member[];
};

/** A roster that its owner may change in place. */
export type MutableRoster = {
  readonly byId: Map<ProgramId, Member>;
  readonly byBirth: Member[];
  readonly worstFirst: Member[];
};

export type Order = (a: Member, b: Member) => number;

export const birth: Order = (a, b) => a.bornSeq - b.bornSeq;
export const worth: Order = (a, b) => (a.fit < b.fit ? -1 : a.fit > b.fit ? 1 : a.bornSeq - b.bornSeq);

export const rosterOf = (members: Iterable<Member>): MutableRoster => {
  const byId = new Map<ProgramId, Member>();
  for (const member of members) byId.set(member.id, member);
  const byBirth = [...byId.values()].sort(birth);
  return { byId, byBirth, worstFirst: [...byBirth].sort(worth) };
};

/** Adds and removes in place. Adding a present member and removing an absent one change nothing. */
export const changeRoster = (roster: MutableRoster, change: { readonly add: readonly Member[]; readonly remove: readonly ProgramId[] }): void => {
  const removed = new Set(change.remove.flatMap((id) => roster.byId.get(id) ?? []));
  for (const { id } of removed) roster.byId.delete(id);
  const added = change.add.filter((member) => !roster.byId.has(member.id) && roster.byId.set(member.id, member));
  for (const [list, order] of [[roster.byBirth, birth], [roster.worstFirst, worth]] as const) {
    withdraw(list, removed, order);
    merge(list, [...added].sort(order), order);
  }
};

/** Closes the gaps in one pass, from the first gap on. */
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
    if (from >= 0 && present && order(present, added[next]!) > 0) { list[to] = present; from--; }
    else list[to] = added[next--]!;
  }
};

/** First index whose entry is not before the member. */
export const positionOf = (list: readonly Member[], member: Member, order: Order): number => {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (order(list[middle]!, member) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

export const insertSorted = (list: Member[], member: Member, order: Order): void => {
  const last = list.at(-1);
  if (last === undefined || order(last, member) < 0) list.push(member);
  else list.splice(positionOf(list, member, order), 0, member);
};
