// Which programs a batch may not pick any more: the ancestors and descendants of those that it has picked. Called by puct.ts.
import { lineageOf } from '../tallies.ts';
import type { ProgramId } from '../types.ts';

export type Blocks = {
  /** A pick: it, its ancestors and its descendants are blocked. The cost follows their number. */
  block(id: ProgramId): void;
  /** By a pick made after the first `since` picks. */
  isBlocked(id: ProgramId, since: number): boolean;
  /** Picks so far. */
  picks(): number;
};

/** `ids`: whom a later question may be about. Only their ancestors are looked at, each once, not the whole history. */
export const blocksOf = (ids: Iterable<ProgramId>, parentOf: (id: ProgramId) => ProgramId | null): Blocks => {
  const childrenOf = childLinks(ids, parentOf);
  /** Number of the last pick that blocks a program. */
  const blockedBy = new Map<ProgramId, number>();
  let picks = 0;
  return {
    block: (id) => {
      picks++;
      for (const ancestor of lineageOf(id, parentOf)) blockedBy.set(ancestor, picks);
      const open = [...childrenOf.get(id) ?? []];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        blockedBy.set(next, picks);
        for (const child of childrenOf.get(next) ?? []) open.push(child);
      }
    },
    isBlocked: (id, since) => (blockedBy.get(id) ?? 0) > since,
    picks: () => picks,
  };
};

/** Children of every ancestor, as far as they or their descendants are among `ids`. */
const childLinks = (ids: Iterable<ProgramId>, parentOf: (id: ProgramId) => ProgramId | null): ReadonlyMap<ProgramId, readonly ProgramId[]> => {
  const links = new Map<ProgramId, ProgramId[]>();
  const seen = new Set<ProgramId>();
  for (const id of ids) {
    for (let at: ProgramId | null = id; at !== null && !seen.has(at);) {
      seen.add(at);
      const parent: ProgramId | null = parentOf(at);
      const siblings = parent === null ? null : links.get(parent);
      if (siblings) siblings.push(at);
      else if (parent !== null) links.set(parent, [at]);
      at = parent;
    }
  }
  return links;
};
