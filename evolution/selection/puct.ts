// PUCT reuse (TTT-Discover; reference peers, section 8): deterministic, and with a memory for the batch. Called by selection.ts.
import { merit } from '../archives/archive.ts';
import type { SelectionSettings } from '../config/run-config.ts';
import { isFailureFit } from '../failure-fit.ts';
import type { Population } from '../population.ts';
import type { Member } from '../types.ts';
import { blocksOf } from './lineages.ts';
import type { Drawn } from './mixture.ts';
import { poolsOf, validOf, type Pool } from './pools.ts';

const SMALLEST_SCALE = 1e-6;
/** Exact, being a power of two; keeps sums and products of the largest scores finite. */
const UNIT = 2 ** -64;

/** A pool in the order of its values, which stay the same over a batch. `since`: picks made before its blocking last started afresh. */
type Queue = { readonly order: readonly Member[]; since: number };

/**
 * Made once a batch: every pick takes the highest value of the group's pool, and blocks its ancestors and descendants for the groups that
 * follow. Where a whole pool is blocked, its blocking starts afresh.
 */
export const puctOf = (population: Population, { pool, c }: Pick<SelectionSettings, 'pool' | 'c'>): ((island: number) => Drawn) => {
  const poolOn = poolsOf(population, pool);
  const queues = new Map<Pool, Queue>();
  const blocks = blocksOf(population.members.keys(), (id) => population.tallies.get(id)?.parent ?? null);
  return (island) => {
    const from = poolOn(island);
    const queue = queues.get(from) ?? { order: byValue(population, from, c), since: 0 };
    queues.set(from, queue);
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
 * Highest value first, of equals the better program. Value of the program of rank r of N, from 0: Q + c · scale · P · √(1 + T) / (1 + n), with
 * n the groups that expanded it or a descendant, Q its best child (its own fit before the first), P = (N - r) / (1 + .. + N), T the groups
 * drawn so far, and scale the range of the pool's fits without the initial program's. Admitted failures count only where the pool has
 * nothing else.
 */
const byValue = ({ tallies, state }: Population, { ranked }: Pool, c: number): readonly Member[] => {
  const members = validOf(ranked);
  const made = members.filter(({ bornSeq, fit }) => bornSeq !== 0 && !isFailureFit(fit));
  const range = made.length > 0 ? made[0]!.fit * UNIT - made.at(-1)!.fit * UNIT : 0;
  const scale = Math.max(range, SMALLEST_SCALE * UNIT);
  const total = members.length * (members.length + 1) / 2;
  const exploration = c * scale * Math.sqrt(1 + (state.picks ?? 0));
  const valueOf = ({ id, fit }: Member, rank: number): number => {
    const { visits, best } = tallies.get(id) ?? { visits: 0, best: null };
    return (visits > 0 && best !== null ? best : fit) * UNIT + exploration * ((members.length - rank) / total) / (1 + visits);
  };
  return members.map((member, rank) => ({ member, value: valueOf(member, rank) }))
    .sort((a, b) => b.value - a.value || merit(a.member, b.member))
    .map(({ member }) => member);
};
