// Rules of archives, islands, and what prompts take from them.
import { axesOf } from '../../archives/cell-space.ts';
import { OFFLINE_MODEL } from '../../config/offline.ts';
import type { Clash } from '../../config/problems.ts';
import type { FeatureSettings, RunConfig } from '../../config/run-config.ts';
import { broken, type Rule } from './rule.ts';

export const populationClashes = (config: RunConfig): readonly Clash[] => [
  ...featureClashes(config),
  ...broken(RULES, config),
];

const RULES: readonly Rule[] = [
  {
    keys: ['migration.topology', 'population.islands'],
    breaks: ({ migration: { topology }, population: { islands } }) =>
      islands === 1 && topology !== 'none'
        ? `a single island has no neighbours: expected none, or at least 2 in population.islands, got ${topology}`
        : null,
  },
  {
    keys: ['population.eviction', 'population.cap', 'population.bins', 'population.cells'],
    breaks: ({ population }) => {
      const elites = cellsOf(population) * mapsOf(population);
      const least = elites + population.islands + 1;
      return population.eviction === 'protect-elites' && least > population.cap
        ? `protect-elites keeps the elites of all ${elites} cells, a member of each island and the best: expected population.cap of at least ${least}, got ${population.cap}. Take fewer bins, features or cells, a higher cap, or eviction worst`
        : null;
    },
  },
  {
    keys: ['population.cap', 'population.keepInitial', 'population.initialisation'],
    breaks: ({ population: { cap, keepInitial, initialisation } }) =>
      cap < 3 && (keepInitial || initialisation > 1)
        ? `the initial program is kept, the best one too, and a newcomer needs a place: expected at least 3, got ${cap}`
        : null,
  },
  {
    keys: ['population.bounds', 'population.grid', 'population.map'],
    breaks: ({ population: { bounds, grid, map } }) =>
      bounds === 'island' && grid === 'global' && map !== 'none'
        ? 'one archive of cells for all islands has one minimum and maximum: expected run, or population.grid island'
        : null,
  },
  {
    keys: ['population.islandCap', 'population.map', 'population.initialisation'],
    breaks: ({ population: { islandCap, map, initialisation } }) =>
      islandCap === null
        ? null
        : map !== 'none'
          ? `an archive of cells keeps its elites whatever the cap of the island: expected population.map none, or no islandCap, got ${map}`
          : islandCap < initialisation
            ? `expected at least population.initialisation (${initialisation}), got ${islandCap}`
            : null,
  },
  {
    keys: ['population.initialisation', 'population.cap'],
    breaks: ({ population: { initialisation, islands, cap } }) =>
      initialisation * islands > cap && initialisation > 1
        ? `expected at most population.cap (${cap}) divided by population.islands (${islands}), got ${initialisation}: there is no room for the initialisation of the islands`
        : null,
  },
  {
    keys: ['selection.pool', 'population.map'],
    breaks: ({ selection: { pool }, population: { map } }) =>
      pool === 'cells' && map === 'none'
        ? 'expected an archive of cells to draw from: set population.map to grid, cvt or queue, or the pool to island'
        : null,
  },
  {
    keys: ['prompt.diverse', 'population.map'],
    breaks: ({ prompt: { diverse }, population }) => {
      if (diverse === 0) return null;
      if (population.map === 'none')
        return 'diverse programs are elites of other cells: set population.map to grid, cvt or queue';
      const others = cellsOf(population) - 1;
      return diverse > others
        ? `expected at most ${others}, for an archive has ${others + 1} cells and one of them may be the parent's, got ${diverse}`
        : null;
    },
  },
  {
    keys: ['prompt.elites', 'population.cap'],
    breaks: ({ prompt: { elites }, population: { cap } }) =>
      elites >= cap ? `expected fewer than population.cap (${cap}), got ${elites}` : null,
  },
  {
    keys: ['prompt.diverseBy', 'embedding.model'],
    breaks: ({ prompt: { diverse, diverseBy }, embedding: { model } }) =>
      diverse > 0 && diverseBy === 'embedding' && model === null
        ? 'programs are compared by their embeddings: set embedding.model, or take far-cells or random-cell'
        : null,
  },
  {
    keys: ['embedding.threshold', 'embedding.model'],
    breaks: ({ embedding: { threshold, model } }) =>
      threshold !== null && model === null
        ? 'near-duplicates are found by embeddings: set embedding.model, or leave the threshold out'
        : null,
  },
  {
    keys: ['embedding.model', 'embedding.baseUrl', 'model.kind'],
    breaks: ({ embedding, model }) =>
      embedding.model !== null &&
      embedding.model !== OFFLINE_MODEL &&
      embedding.baseUrl === null &&
      model.kind === 'offline'
        ? `the offline model offers embeddings as ${OFFLINE_MODEL} only, got ${embedding.model}: name it so, or set embedding.baseUrl`
        : null,
  },
];

/** The number of cells of one archive. */
const cellsOf = (population: RunConfig['population']): number =>
  population.map === 'grid'
    ? axesOf(population).reduce((size, { bins }) => size * bins, 1)
    : population.map === 'none'
      ? 0
      : population.cells;

const mapsOf = ({ grid, islands }: RunConfig['population']): number => (grid === 'global' ? 1 : islands);

const featureClashes = ({ population, embedding }: RunConfig): readonly Clash[] => {
  const axes = axesOf(population);
  return population.features.flatMap((given, index): Clash[] => {
    const { name, scale, min, max, bins }: FeatureSettings = typeof given === 'string' ? { name: given } : given;
    const at = (key: string): readonly string[] => [
      `population.features.${index}${typeof given === 'string' ? '' : `.${key}`}`,
      'population.features',
    ];
    const clashes: Clash[] = [];
    if (axes.findIndex(({ feature }) => feature === name) < index)
      clashes.push({ keys: at('name'), message: `expected each feature once, got ${name} again` });
    if ((min === undefined) !== (max === undefined))
      clashes.push({
        keys: at(min === undefined ? 'max' : 'min'),
        message: 'expected both min and max, or neither, which means the running minimum and maximum, got one',
      });
    if (min !== undefined && max !== undefined && min >= max)
      clashes.push({ keys: at('min'), message: `expected min < max, got min ${min} and max ${max}` });
    if (scale === 'log' && min !== undefined && min <= 0)
      clashes.push({
        keys: at('min'),
        message: `a logarithmic axis has no place for 0 or less: expected a number above 0, got ${min}`,
      });
    if (scale === 'quantile' && (min !== undefined || max !== undefined))
      clashes.push({
        keys: at('min'),
        message: 'bins of a quantile axis are filled equally and take no bounds: leave min and max out',
      });
    if (bins !== undefined && population.map === 'cvt' && scale !== 'quantile')
      clashes.push({
        keys: at('bins'),
        message:
          'an axis of a tessellation (population.map cvt) has no bins, unless its scale is quantile: leave them out, or set population.cells',
      });
    if (name === 'embedding' && embedding.model === null)
      clashes.push({ keys: at('name'), message: 'the distance of embeddings needs a model: set embedding.model' });
    return clashes;
  });
};
