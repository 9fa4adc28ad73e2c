// Here it is decided which island a program enters, and which island's turn it is.
import { widened } from '../archives/cell-space.ts';
import type { PopulationSettings } from '../config/run-config.ts';
import { isFailureFit } from '../scoring/failures.ts';
import type { Child, Member, PopulationState } from '../types.ts';
import { type Draft, mapAt, isCellElite } from './draft.ts';
import type { Population } from './population.ts';

/** With `current` the turn passes on after so many children (ThetaEvolve's code). */
const TURN = 100;

/** The island whose turn it is, after the given numbers of children. */
export const currentIsland = (
  generations: readonly number[],
  { islands }: Pick<PopulationSettings, 'islands'>,
): number => Math.floor(generations.reduce((sum, count) => sum + count, 0) / TURN) % islands;

/** The island that a child enters and in which it is counted: the one with which its parent counted. */
export const islandOf = (draft: Draft, child: Child): number =>
  draft.settings.population.childIsland === 'current' && child.rescored === undefined
    ? currentIsland(draft.generations, draft.settings.population)
    : child.island;

/**
 * The island has fewer programs than its initialisation asks for, the initial one and evaluated failures included
 * (CodeEvolve 4.4, Initialization).
 */
export const isInitialising = (
  { islands, state }: Population,
  island: number,
  { initialisation }: Pick<PopulationSettings, 'initialisation'>,
): boolean => initialisation > 1 && 1 + (state.founded?.[island] ?? islands[island]!.byId.size - 1) < initialisation;

/** The seed programs of all islands: made, and asked for; null without an initialisation. */
export const initialPhase = (
  { islands, initialisation }: Pick<PopulationSettings, 'islands' | 'initialisation'>,
  founded: PopulationState['founded'] = [],
): { readonly done: number; readonly of: number } | null => {
  const each = initialisation - 1;
  return each === 0
    ? null
    : { done: founded.reduce((sum, count) => sum + Math.min(count, each), 0), of: islands * each };
};

/** The program becomes a member and competes for its cell. Returns the elite that it replaced. */
export const enterIsland = (draft: Draft, island: number, member: Member): Member | null => {
  draft.islands[island]!.add(member);
  widenBounds(draft, island, member);
  const displaced = mapAt(draft, island)?.insert(member).displaced ?? null;
  const { protectElites, eviction } = draft.settings.population;
  if (displaced !== null && (protectElites || eviction === 'protect-elites') && !isCellElite(draft, displaced.id))
    draft.evictionOrder.insert(displaced);
  return displaced;
};

/** For islands with bounds of their own. Failures have no place on the axes. */
const widenBounds = ({ state, axes }: Draft, island: number, member: Member): void => {
  if (state.islandBounds === undefined || isFailureFit(member.fit)) return;
  const before = state.islandBounds[island] ?? null;
  const wider = widened(before, axes, member);
  if (wider !== before) state.islandBounds = state.islandBounds.with(island, wider);
};
