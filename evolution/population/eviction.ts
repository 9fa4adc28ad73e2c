// The caps of the population and of its islands. An evicted program leaves islands, cells and archive; its document stays.
// - worst (ThetaEvolve C.4.2): the lowest fit goes, of equals the oldest, never the best or the newcomer; cell elites
//   last with `protectElites`; an emptied island gains the best.
// - protect-elites (docs/population.md, The cap): never the best, cell elites or an island's last member; a newcomer
//   stays only if it beats the lowest fit among the others.
import type { Member } from '../types.ts';
import { type Draft, isCellElite } from './draft.ts';
import { enterIsland } from './islands.ts';

/** `newcomer` is null before a step's first child, where settings may have become smaller. */
export const evictAboveCap = (draft: Draft, newcomer: Member | null): void => {
  while (draft.all.size > draft.settings.population.cap) {
    const victim =
      draft.settings.population.eviction === 'protect-elites'
        ? nextUnprotected(draft, newcomer)
        : nextWorst(draft, newcomer);
    if (victim === null) return;
    evict(draft, victim);
  }
};

/**
 * The cap of an island (CodeEvolve B.2: Naive): the newcomer or the worst member leaves, and is evicted where it is on
 * no island. The best of the run stays, and the initial program while the island is initialised. `newcomer` is null
 * where settings may have become smaller.
 */
export const leaveAboveCap = (draft: Draft, island: number, newcomer: Member | null): void => {
  const { islandCap } = draft.settings.population;
  const roster = draft.islands[island]!;
  while (islandCap !== null && roster.size > islandCap) {
    const worst = worstOf(draft, island, newcomer);
    const leaver =
      newcomer === null || !roster.has(newcomer.id)
        ? worst
        : worst !== null && newcomer.fit > worst.fit
          ? worst
          : newcomer;
    if (leaver === null) return;
    roster.remove(leaver.id);
    if (draft.islands.every((other) => !other.has(leaver.id))) evict(draft, leaver);
  }
};

/** OpenEvolve: an elite that lost its cell leaves the island, and is evicted where it is on no other and not kept. */
export const leaveAsDisplaced = (draft: Draft, island: number, displaced: Member | null): void => {
  const roster = draft.islands[island]!;
  if (draft.settings.population.displaced === 'stays' || displaced === null || !roster.has(displaced.id)) return;
  const elsewhere = draft.islands.some((other) => other !== roster && other.has(displaced.id));
  if (!elsewhere && isKept(draft, displaced)) return;
  roster.remove(displaced.id);
  if (!elsewhere) evict(draft, displaced);
};

/** The worst member of an island that may leave, apart from the newcomer. */
const worstOf = (draft: Draft, island: number, newcomer: Member | null): Member | null => {
  for (const member of draft.islands[island]!.worstFirst())
    if (member.id !== newcomer?.id && !staysOn(draft, island, member)) return member;
  return null;
};

const staysOn = (
  { state, settings: { population, selection } }: Draft,
  island: number,
  { id, bornSeq }: Member,
): boolean =>
  id === state.best?.id ||
  (bornSeq === 0 &&
    (population.keepInitial ||
      selection.kind === 'initial' ||
      (state.founded !== undefined && 1 + state.founded[island]! < population.initialisation)));

const nextWorst = (draft: Draft, newcomer: Member | null): Member | null => {
  const isProtected = (member: Member): boolean => member.id === newcomer?.id || isKept(draft, member);
  const { protectElites } = draft.settings.population;
  const victim = draft.evictionOrder.take((member) => {
    if (!draft.all.has(member.id)) return 'drop';
    if (isProtected(member)) return 'keep';
    return protectElites && isCellElite(draft, member.id) ? 'drop' : 'take';
  });
  if (victim !== null || !protectElites) return victim;
  for (const member of draft.all.worstFirst()) if (!isProtected(member)) return member;
  return null;
};

const nextUnprotected = (draft: Draft, newcomer: Member | null): Member | null => {
  const victim = draft.evictionOrder.take((member) => {
    if (!draft.all.has(member.id)) return 'drop';
    if (isKept(draft, member) || isLastSomewhere(draft, member)) return 'keep';
    return isCellElite(draft, member.id) ? 'drop' : 'take';
  });
  // Of two equal programs the newcomer goes; the other one may be asked about again.
  if (
    victim === null ||
    newcomer === null ||
    victim.id === newcomer.id ||
    victim.fit < newcomer.fit ||
    !isFree(draft, newcomer)
  )
    return victim;
  draft.evictionOrder.insert(victim);
  return newcomer;
};

const isFree = (draft: Draft, member: Member): boolean =>
  draft.all.has(member.id) &&
  !isKept(draft, member) &&
  !isLastSomewhere(draft, member) &&
  !isCellElite(draft, member.id);

/** Kept in any case: the best, and the initial program where it is needed again. */
const isKept = ({ state, settings: { population, selection } }: Draft, { id, bornSeq }: Member): boolean =>
  id === state.best?.id ||
  (bornSeq === 0 && (population.keepInitial || population.initialisation > 1 || selection.kind === 'initial'));

const isLastSomewhere = ({ islands }: Draft, { id }: Member): boolean =>
  islands.some((roster) => roster.size === 1 && roster.has(id));

const evict = (draft: Draft, { id }: Member): void => {
  const holders = draft.islands.flatMap((roster, island) => (roster.has(id) ? [island] : []));
  draft.all.remove(id);
  draft.archive.remove(id);
  draft.migratedOnce.remove(id);
  for (const map of draft.maps) map.remove(id);
  for (const island of holders) draft.islands[island]!.remove(id);
  draft.evicted.push(id);
  for (const island of holders) if (draft.islands[island]!.size === 0) refill(draft, island);
};

/** An island that is emptied by eviction gains the best of the run. */
const refill = (draft: Draft, island: number): void => {
  const best = draft.state.best && draft.all.get(draft.state.best.id);
  if (best) enterIsland(draft, island, best);
};
