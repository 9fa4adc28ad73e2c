// The population's cap (ThetaEvolve, section 2, Insertion 5): lowest fit goes first, oldest first among equals, never the best or the
// newcomer (null before a step's first child: settings may have become smaller). The document stays; memberships, cells and the archive seat go. Called by insertion.ts.
import { ownsCell, type Draft } from './draft.ts';
import { enterIsland } from './islands.ts';
import type { Member } from './types.ts';

export const evictAboveCap = (draft: Draft, newcomer: Member | null): void => {
  while (draft.all.size > draft.settings.population.cap) {
    const victim = nextVictim(draft, newcomer);
    if (victim === null) return;
    evict(draft, victim);
  }
};

const nextVictim = (draft: Draft, newcomer: Member | null): Member | null => {
  const spared = ({ id }: Member): boolean => id === newcomer?.id || id === draft.best?.id;
  const { protectOwners } = draft.settings.population;
  const victim = draft.evictionOrder.take((member) => {
    if (!draft.all.has(member.id)) return 'drop';
    if (spared(member)) return 'keep';
    return protectOwners && ownsCell(draft, member.id) ? 'drop' : 'take';
  });
  if (victim !== null || !protectOwners) return victim;
  for (const owner of draft.all.worstFirst()) if (!spared(owner)) return owner;
  return null;
};

const evict = (draft: Draft, { id }: Member): void => {
  const left = draft.islands.flatMap((roster, island) => (roster.has(id) ? [island] : []));
  draft.all.remove(id);
  draft.archive.remove(id);
  for (const grid of draft.grids) grid.leave(id);
  for (const island of left) draft.islands[island]!.remove(id);
  draft.evicted.push(id);
  for (const island of left) if (draft.islands[island]!.size === 0) refill(draft, island);
};

/** An island emptied by eviction gains the global best. */
const refill = (draft: Draft, island: number): void => {
  const best = draft.best && draft.all.get(draft.best.id);
  if (best) enterIsland(draft, island, best);
};
