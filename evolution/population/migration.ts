// Migration between islands, along the topology. A program stays one program, and a root where it comes to.
// - top (ThetaEvolve C.4.3): the best members, again and again.
// - natives (OpenEvolve; docs/methods/alpharesearch.md, Parents): the best that were made there.
// - once (CodeEvolve 4.4, Elitist Migration): natives of the pool that never migrated, except the best.
// - random (ShinkaEvolve, arXiv 2509.19349): any natives except the best, each to one neighbour.
import type { MigrationSettings } from '../config/run-config.ts';
import { drawDistinct, rng } from '../rng.ts';
import { isFailureFit } from '../scoring/failures.ts';
import type { Member } from '../types.ts';
import { type Draft, mapAt } from './draft.ts';
import { leaveAboveCap, leaveAsDisplaced } from './eviction.ts';
import { enterIsland } from './islands.ts';
import { range } from '../schedule/slots.ts';

export type Topology = MigrationSettings['topology'];

/** The islands that get migrants, in the order of service: each once, never the island itself. */
export const targetsOf = (topology: Topology, island: number, count: number): readonly number[] =>
  [...new Set(routes(topology, island, count))].filter((target) => target !== island);

/** These may name the island itself or, among few islands, one of them twice. */
const routes = (topology: Topology, island: number, count: number): readonly number[] => {
  const next = (island + 1) % count;
  const hub = island === 0;
  switch (topology) {
    case 'ring':
      return [next, (island + count - 1) % count];
    case 'directed-ring':
      return [next];
    case 'complete':
      return everyIsland(count);
    case 'star-in':
      return [0];
    case 'star-out':
      return hub ? everyIsland(count) : [];
    case 'star':
      return hub ? everyIsland(count) : [0];
    case 'none':
      return [];
  }
};

const everyIsland = (count: number): readonly number[] => range(0, count);

/** Keeps 0.29 * 100 from being 28 members. */
const ROUNDING = 1e-9;

export const migrateIfDue = (draft: Draft, step: number): void => {
  const { topology, style } = draft.settings.migration;
  if (!isDue(draft, step)) return;
  // All migrants are chosen before any of them moves.
  const migrants = draft.islands.map((_, from) => {
    const targets = targetsOf(topology, from, draft.islands.length);
    const members =
      style === 'once'
        ? unmoved(draft, from, targets)
        : style === 'random'
          ? anyNatives(draft, from, step)
          : top(draft, from, style);
    return { from, targets, members };
  });
  for (const { from, targets, members } of migrants) {
    if (style === 'random') {
      const random = rng(draft.settings.seed, 'destination', step, from);
      if (targets.length > 0) for (const member of members) move(draft, member, from, random.pick(targets));
    } else for (const to of targets) for (const member of members) move(draft, member, from, to);
  }
};

const isDue = (draft: Draft, step: number): boolean => {
  const { unit, interval } = draft.settings.migration;
  const generation = Math.max(...draft.generations);
  if (unit === 'steps' ? step % interval !== 0 : generation - draft.state.lastMigration < interval) return false;
  draft.state.lastMigration = generation;
  return true;
};

const move = (draft: Draft, member: Member, from: number, to: number): void => {
  // A migrant may have left the population meanwhile, for one that moved before it (`population.islandCap`).
  if (draft.islands[to]!.has(member.id) || !draft.all.has(member.id)) return;
  if (draft.settings.migration.style === 'once') draft.migratedOnce.add(member);
  const displaced = enterIsland(draft, to, member);
  leaveAsDisplaced(draft, to, displaced);
  draft.migrated.push({ id: member.id, from, to });
  leaveAboveCap(draft, to, member);
};

const top = ({ islands, settings }: Draft, island: number, style: 'top' | 'natives'): readonly Member[] => {
  const roster = islands[island]!;
  if (roster.size === 0) return [];
  const count = shareOf(settings.migration.rate, roster.size);
  return style === 'top'
    ? roster.best(count)
    : roster
        .best(roster.size)
        .filter(({ home }) => home === island)
        .slice(0, count);
};

/** Best first, from the island's cell elites or else its members. A program that is on every target already stays. */
const unmoved = (draft: Draft, island: number, targets: readonly number[]): readonly Member[] => {
  const { rate } = draft.settings.migration;
  const roster = draft.islands[island]!;
  if (rate === 0 || roster.size === 0) return [];
  const elites =
    mapAt(draft, island)
      ?.members()
      .filter(({ id }) => roster.has(id)) ?? [];
  const pool = elites.length > 0 ? elites : roster.best(roster.size);
  const [best] = roster.best(1);
  return pool
    .filter(
      ({ id, home }) =>
        home === island &&
        id !== best!.id &&
        !draft.migratedOnce.has(id) &&
        targets.some((to) => !draft.islands[to]!.has(id)),
    )
    .slice(0, shareOf(rate, pool.length));
};

/** ShinkaEvolve: natives but the best and the initial program, drawn without replacement. */
const anyNatives = (draft: Draft, island: number, step: number): readonly Member[] => {
  const { rate } = draft.settings.migration;
  const roster = draft.islands[island]!;
  if (rate === 0 || roster.size < 2) return [];
  const [best] = roster.best(1);
  const candidates = [...roster.worstFirst()].filter(
    ({ id, home, bornSeq, fit }) => home === island && bornSeq > 0 && id !== best!.id && !isFailureFit(fit),
  );
  return drawDistinct(candidates, shareOf(rate, roster.size), rng(draft.settings.seed, 'migrants', step, island));
};

const shareOf = (rate: number, of: number): number => Math.max(1, Math.floor(rate * of + ROUNDING));
