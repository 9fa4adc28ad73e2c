// The population within a step: an overlay on the one before, of which the change set is made.
import type { CellArchive } from '../archives/archive.ts';
import { CellDraft } from '../archives/cell-archive.ts';
import { axesOf, type Axis, isRunning, scalingOn, spaceOf } from '../archives/cell-space.ts';
import { EliteDraft } from '../archives/elite-archive.ts';
import { QueueDraft } from '../archives/queue-archive.ts';
import { RosterDraft } from '../archives/roster.ts';
import type { RunConfig } from '../config/run-config.ts';
import { ARCHIVE, type ChangeSet, type Member, MIGRATED, type PopulationState, type ProgramId } from '../types.ts';
import { EvictionOrder } from './eviction-order.ts';
import { mapOf, type Population } from './population.ts';

/** The settings of a run on which the insertion of a step depends. */
export type StepSettings = Pick<
  RunConfig,
  'seed' | 'responses' | 'population' | 'selection' | 'migration' | 'exploration'
>;

export type Draft = {
  readonly settings: StepSettings;
  readonly axes: readonly Axis[];
  readonly all: RosterDraft;
  readonly islands: readonly RosterDraft[];
  /** Archives of cells: one per island, one for all islands, or none. */
  readonly maps: readonly CellArchive[];
  readonly archive: EliteDraft;
  readonly archived: RosterDraft;
  readonly migratedOnce: RosterDraft;
  readonly evictionOrder: EvictionOrder;
  readonly generations: number[];
  readonly evicted: ProgramId[];
  readonly migrated: { readonly id: ProgramId; readonly from: number; readonly to: number }[];
  /** The state that is stored with the step's commit. */
  readonly state: { -readonly [K in keyof PopulationState]: PopulationState[K] };
};

export const draftOf = (population: Population, settings: StepSettings): Draft => {
  const { map, cells, archive } = settings.population;
  const space = spaceOf(settings.population, settings.seed);
  const archived = new RosterDraft(population.archive);
  const axes = map === 'grid' || map === 'cvt' ? axesOf(settings.population) : [];
  const state: Draft['state'] = { ...population.state };
  if (settings.population.bounds === 'island' && axes.some(isRunning))
    state.islandBounds ??= population.islands.map(() => null);
  if (settings.population.initialisation > 1)
    state.founded ??= population.islands.map(({ byId }) => Math.max(0, byId.size - 1));
  return {
    settings,
    axes,
    all: new RosterDraft(population.all),
    islands: population.islands.map((island) => new RosterDraft(island)),
    maps: population.maps.map((elites, island) =>
      space === null
        ? new QueueDraft(elites, cells)
        : new CellDraft(elites, (member) => space.cellOf(member, scalingOn(state, island))),
    ),
    archive: new EliteDraft(archived, archive),
    archived,
    migratedOnce: new RosterDraft(population.migrated),
    evictionOrder: new EvictionOrder(population.all.worstFirst),
    generations: [...population.state.generations],
    evicted: [],
    migrated: [],
    state,
  };
};

export const mapAt = (draft: Draft, island: number): CellArchive | null => mapOf(draft.maps, island);

export const isCellElite = (draft: Draft, id: ProgramId): boolean => draft.maps.some((map) => map.has(id));

/** The change set holds absolute writes in a canonical order, so that the same content always gives the same text. */
export const changeSetOf = (draft: Draft, step: number): Omit<ChangeSet, 'tallies' | 'prompts'> => {
  const rosters = [
    [MIGRATED, draft.migratedOnce] as const,
    [ARCHIVE, draft.archived] as const,
    ...draft.islands.map((roster, island) => [island, roster] as const),
  ].map(([island, roster]) => ({ island, ...roster.changes() }));
  return {
    step,
    add: rosters.flatMap(({ island, add }) => add.map((member: Member) => ({ ...member, island }))),
    remove: rosters.flatMap(({ island, remove }) => remove.map((id) => ({ island, id }))),
    cells: draft.maps.flatMap((map, island) =>
      map.changes().map(({ cell, elite }) => ({ island, cell, program: elite?.id ?? null, fit: elite?.fit ?? 0 })),
    ),
    evicted: draft.evicted,
    migrated: draft.migrated,
    state: { ...draft.state, generations: draft.generations, size: draft.all.size },
  };
};
