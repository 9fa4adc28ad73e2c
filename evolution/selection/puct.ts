// PUCT with reuse (TTT-Discover, arXiv 2601.16175): deterministic, and a batch expands no line of descent twice.
import { merit } from '../archives/archive.ts';
import type { SelectionSettings } from '../config/run-config.ts';
import { memo } from '../memo.ts';
import type { Population } from '../population/population.ts';
import { lineageOf } from '../population/tallies.ts';
import { isFailureFit } from '../scoring/failures.ts';
import type { Member, ProgramId } from '../types.ts';
import type { Drawn } from './mixture.ts';
import { type Pool, poolsOf, validOf } from './pools.ts';

/** The programs that a batch may not pick any more: the ancestors and descendants of those that it has picked. */
type Blocks = {
  /** Notes a pick, which blocks the program, its ancestors and its descendants. The cost follows their number. */
  block(id: ProgramId): void;
  /** Blocked by a pick after the first `since`. */
  isBlocked(id: ProgramId, since: number): boolean;
  /** The number of picks so far. */
  picks(): number;
};

/** `ids` may be asked about later; only their ancestors are looked at, each once. */
const blocksOf = (ids: Iterable<ProgramId>, parentOf: (id: ProgramId) => ProgramId | null): Blocks => {
  const childrenOf = childLinks(ids, parentOf);
  /** The number of the last pick that blocks a program. */
  const blockedBy = new Map<ProgramId, number>();
  let picks = 0;
  return {
    block: (id) => {
      picks++;
      for (const ancestor of lineageOf(id, parentOf)) blockedBy.set(ancestor, picks);
      const open = [...(childrenOf.get(id) ?? [])];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        blockedBy.set(next, picks);
        for (const child of childrenOf.get(next) ?? []) open.push(child);
      }
    },
    isBlocked: (id, since) => (blockedBy.get(id) ?? 0) > since,
    picks: () => picks,
  };
};

/** The children of every ancestor, as far as they or their descendants are among `ids`. */
const childLinks = (
  ids: Iterable<ProgramId>,
  parentOf: (id: ProgramId) => ProgramId | null,
): ReadonlyMap<ProgramId, readonly ProgramId[]> => {
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

const SMALLEST_SCALE = 1e-6;
/** A power of two, so that scaling is exact; it keeps sums and products of the largest scores finite. */
const UNIT = 2 ** -64;

/** A pool in the order of its values, fixed for a batch, and the picks before its blocking began anew. */
type Queue = { readonly order: readonly Member[]; since: number };

/**
 * To be made once a batch. A pick takes the highest value and blocks its ancestors and descendants for later groups. A
 * pool that is blocked wholly begins anew.
 */
export const puctOf = (
  population: Population,
  { pool, c }: Pick<SelectionSettings, 'pool' | 'c'>,
): ((island: number) => Drawn) => {
  const poolOn = poolsOf(population, pool);
  const queueOf = memo((pool: Pool): Queue => ({ order: byValue(population, pool, c), since: 0 }));
  const blocks = blocksOf(population.members.keys(), (id) => population.tallies.get(id)?.parent ?? null);
  return (island) => {
    const from = poolOn(island);
    const queue = queueOf(from);
    let member = queue.order.find(({ id }) => !blocks.isBlocked(id, queue.since));
    if (member === undefined) {
      queue.since = blocks.picks();
      member = queue.order[0]!;
    }
    blocks.block(member.id);
    return { member, branch: from.branch };
  };
};

/**
 * Highest value first, and of equals the better program. The value of the program of rank r of N, counted from 0, is Q
 * + c · scale · P · √(1 + T) / (1 + n). Here n is the number of groups that expanded it or a descendant, Q the fit of
 * its best child (its own before the first expansion), P = (N - r) / (1 + .. + N), T the number of groups drawn so far,
 * and scale the range of the pool's fits without that of the initial program. Admitted failures count only where the
 * pool has nothing else.
 */
const byValue = ({ tallies, state }: Population, { ranked }: Pool, c: number): readonly Member[] => {
  const members = validOf(ranked);
  const made = members.filter(({ bornSeq, fit }) => bornSeq !== 0 && !isFailureFit(fit));
  const range = made.length > 0 ? made[0]!.fit * UNIT - made.at(-1)!.fit * UNIT : 0;
  const scale = Math.max(range, SMALLEST_SCALE * UNIT);
  const total = (members.length * (members.length + 1)) / 2;
  const exploration = c * scale * Math.sqrt(1 + (state.picks ?? 0));
  const valueOf = ({ id, fit }: Member, rank: number): number => {
    const { visits, best } = tallies.get(id) ?? { visits: 0, best: null };
    return (
      (visits > 0 && best !== null ? best : fit) * UNIT +
      (exploration * ((members.length - rank) / total)) / (1 + visits)
    );
  };
  return members
    .map((member, rank) => ({ member, value: valueOf(member, rank) }))
    .sort((a, b) => b.value - a.value || merit(a.member, b.member))
    .map(({ member }) => member);
};
