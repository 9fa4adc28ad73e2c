// Settings as an earlier version stored them, completed: a key that it did not know has the preset's value. Called by the store where it reads
// settings.
import { PRESETS } from '../methods/presets.ts';
import { defined, isPlain } from './layers.ts';
import type { RunConfig } from './run-config.ts';

/** Where the preset has changed how a run goes on, what runs did before they knew the key. */
const BEFORE: { readonly [section in 'population']: Partial<RunConfig[section]> } = { population: { bounds: 'run', islandSync: 'epoch' } };

/** The same object where nothing is missing. */
export const completeStored = (stored: RunConfig): RunConfig => {
  let complete = withBefore(stored) as unknown as Record<string, unknown>;
  for (const [key, value] of Object.entries(PRESETS[stored.method])) {
    const present = complete[key];
    if (present === undefined) complete = { ...complete, [key]: value };
    else if (isPlain(value) && isPlain(present) && Object.keys(value).some((inner) => present[inner] === undefined)) {
      complete = { ...complete, [key]: { ...value, ...defined(present) } };
    }
  }
  return complete as unknown as RunConfig;
};

const withBefore = (stored: RunConfig): RunConfig => {
  const { population } = stored as Partial<RunConfig>;
  return population === undefined || (population.bounds !== undefined && population.islandSync !== undefined) ? stored
    : { ...stored, population: { ...BEFORE.population, ...defined(population) } };
};
