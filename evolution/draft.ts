// The population as a step changes it: an overlay on the population it began with, and the change set that comes of it.
// Called by insertion.ts; the rules are in archive.ts, eviction.ts, islands.ts and migration.ts.
import type { PopulationSettings, StoredMigration } from './config/run-config.ts';
import { cellName, coordinates } from './features.ts';
import { EvictionOrder } from './eviction-order.ts';
import { GridDraft } from './grid.ts';
import type { Population } from './population.ts';
import { RosterDraft } from './roster-draft.ts';
import { ARCHIVE, type ChangeSet, type Member, type PopulationState, type ProgramId } from './types.ts';

export type StepSettings = { readonly population: PopulationSettings; readonly migration: StoredMigration };

export type Draft = {
  readonly settings: StepSettings;
  readonly all: RosterDraft;
  readonly islands: readonly RosterDraft[];
  /** One per island, or one for all. */
  readonly grids: readonly GridDraft[];
  readonly archive: RosterDraft;
  readonly evictionOrder: EvictionOrder;
  readonly generations: number[];
  readonly evicted: ProgramId[];
  readonly migrated: { readonly id: ProgramId; readonly from: number; readonly to: number }[];
  bounds: PopulationState['bounds'];
  lastMigration: number;
  best: PopulationState['best'];
};

export const draftOf = (population: Population, settings: StepSettings): Draft => ({
  settings,
  all: new RosterDraft(population.all),
  islands: population.islands.map((island) => new RosterDraft(island)),
  grids: population.grids.map((grid) => new GridDraft(grid)),
  archive: new RosterDraft(population.archive),
  evictionOrder: new EvictionOrder(population.all.worstFirst),
  generations: [...population.state.generations],
  evicted: [],
  migrated: [],
  bounds: population.state.bounds,
  lastMigration: population.state.lastMigration,
  best: population.state.best,
});

export const gridOf = (draft: Draft, island: number): GridDraft => draft.grids[draft.grids.length === 1 ? 0 : island]!;

/** The cell where a program belongs under the bounds of this moment. */
export const cellNow = (draft: Draft, member: Member): string => cellName(coordinates(member, draft.bounds, draft.settings.population));

export const ownsCell = (draft: Draft, id: ProgramId): boolean => draft.grids.some((grid) => grid.cellOf(id) !== null);

/** Absolute writes in a canonical order: the same content always gives the same text. */
export const changeSetOf = (draft: Draft, step: number): ChangeSet => {
  const rosters = [[ARCHIVE, draft.archive] as const, ...draft.islands.map((roster, island) => [island, roster] as const)]
    .map(([island, roster]) => ({ island, ...roster.changes() }));
  return {
    step,
    add: rosters.flatMap(({ island, add }) => add.map((member) => ({ ...member, island }))),
    remove: rosters.flatMap(({ island, remove }) => remove.map((id) => ({ island, id }))),
    cells: draft.grids.flatMap((grid, island) =>
      grid.changes().map(({ cell, owner }) => ({ island, cell, program: owner?.id ?? null, fit: owner?.fit ?? 0 }))),
    evicted: draft.evicted,
    migrated: draft.migrated,
    state: {
      bounds: draft.bounds, generations: draft.generations, lastMigration: draft.lastMigration, size: draft.all.size, best: draft.best,
    },
  };
};
