// Settings that couple islands between two migrations (docs/population.md, Islands and migration). Without them each
// island may run ahead.
import { axesOf, isRunning } from '../archives/cell-space.ts';
import type { RunConfig } from '../config/run-config.ts';
import { loadPopulation, type Population } from './population.ts';
import { range } from '../schedule/slots.ts';

type Coupling = { readonly key: string; readonly couples: (config: RunConfig) => boolean };

const COUPLINGS: readonly Coupling[] = [
  { key: 'migration.unit', couples: ({ migration: { topology, unit } }) => topology !== 'none' && unit !== 'steps' },
  { key: 'batch', couples: ({ batch, population: { islands } }) => batch % islands !== 0 },
  { key: 'population.turn', couples: ({ population: { turn } }) => turn !== 1 },
  {
    key: 'population.samplingIsland',
    couples: ({ population: { samplingIsland } }) => samplingIsland !== 'round-robin',
  },
  { key: 'population.childIsland', couples: ({ population: { childIsland } }) => childIsland === 'current' },
  { key: 'population.grid', couples: ({ population: { grid, map } }) => map !== 'none' && grid === 'global' },
  // Whether an elite that leaves is on another island too decides whether it is evicted.
  { key: 'population.displaced', couples: ({ population: { displaced } }) => displaced === 'leaves' },
  // The best of the run never leaves; where all members of an island are equal, that decides which one does.
  { key: 'population.islandCap', couples: ({ population: { islandCap } }) => islandCap !== null },
  { key: 'population.siblings', couples: ({ population: { siblings } }) => siblings !== null },
  {
    key: 'population.features',
    couples: ({ population }) =>
      hasCells(population.map) &&
      axesOf(population).some(
        ({ feature, scale }) => scale === 'quantile' || feature === 'diversity' || feature === 'embedding',
      ),
  },
  {
    key: 'population.bounds',
    couples: ({ population }) =>
      hasCells(population.map) && population.bounds === 'run' && axesOf(population).some(isRunning),
  },
  {
    key: 'selection.kind',
    couples: ({ selection: { kind } }) => kind === 'mixture' || kind === 'puct' || kind === 'sigmoid',
  },
  { key: 'selection.pool', couples: ({ selection: { pool } }) => pool === 'archive' || pool === 'population' },
  { key: 'prompt.draw', couples: ({ prompt: { draw } }) => draw === 'random' },
  { key: 'prompt.notes', couples: ({ prompt: { notes } }) => notes !== null },
  { key: 'prompt.bestEver', couples: ({ prompt: { bestEver } }) => bestEver },
  { key: 'prompt.scope', couples: ({ prompt: { scope, elites, diverse } }) => scope === 'run' && elites + diverse > 0 },
  { key: 'diff.lazyScope', couples: ({ diff: { lazyScope } }) => lazyScope === 'history' },
  { key: 'modelChoice', couples: ({ modelChoice }) => modelChoice === 'bandit' },
  {
    key: 'embedding.scope',
    couples: ({ embedding: { model, scope, threshold } }) =>
      model !== null && scope === 'population' && threshold !== null,
  },
  // Distances are to the first valid programs of the run, whichever island made them.
  {
    key: 'embedding.model',
    couples: ({ embedding: { model }, population }) =>
      model !== null && axesOf(population).some(({ feature }) => feature === 'diversity' || feature === 'embedding'),
  },
];

const hasCells = (map: RunConfig['population']['map']): boolean => map === 'grid' || map === 'cvt';

/** The settings that couple islands, by key. Without any, islands are independent until a migration or an eviction. */
export const couplingsOf = (config: RunConfig): readonly string[] =>
  COUPLINGS.filter(({ couples }) => couples(config)).map(({ key }) => key);

/** The number of a step's groups on an island; selection deals groups out to islands in turn. */
export const groupsOn = (
  island: number,
  step: number,
  {
    batch,
    population: { islands },
  }: Pick<RunConfig, 'batch'> & { readonly population: Pick<RunConfig['population'], 'islands'> },
): readonly number[] => range(0, batch).filter((group) => ((step - 1) * batch + group) % islands === island);

/** The epochs between two migrations in which islands go on alone; null where they wait for each other. */
export const windowInterval = (config: RunConfig): number | null =>
  config.population.islandSync === 'epoch' || couplingsOf(config).length > 0
    ? null
    : config.migration.topology === 'none'
      ? Infinity
      : config.migration.interval;

/** One island as a population of its own, by its number; all others are empty. Nothing that changes is shared. */
export const islandView = ({ settings, state, islands, maps, prompts }: Population, island: number): Population => {
  const members = islands[island]!.byBirth;
  return loadPopulation(
    settings,
    members.map((member) => ({ ...member, island })),
    [...(maps[island]?.cells ?? [])].map(([cell, { id, fit }]) => ({ island, cell, program: id, fit })),
    { ...state, size: members.length },
    [],
    [...prompts.values()].filter((prompt) => prompt.island === island),
  );
};
