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
  for (const id of change.remove) {
    const member = roster.byId.get(id);
    if (!member) continue;
    roster.byId.delete(id);
    roster.byBirth.splice(positionOf(roster.byBirth, member, birth), 1);
    roster.worstFirst.splice(positionOf(roster.worstFirst, member, worth), 1);
  }
  for (const member of change.add) {
    if (roster.byId.has(member.id)) continue;
    roster.byId.set(member.id, member);
    insertSorted(roster.byBirth, member, birth);
    insertSorted(roster.worstFirst, member, worth);
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
