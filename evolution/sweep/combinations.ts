// A sweep tries combinations of settings: every one of a grid, those of a list, or random samples.
import { canonicalJson } from '../canonical-json.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Whereabouts } from '../config/problems.ts';
import { rng, type Rng } from '../rng.ts';
import type { Json } from '../types.ts';
import type { Combination, Range, SweepSpec } from './spec.ts';

/**
 * In the order of the file, the last key of a grid fastest; one empty combination where nothing varies. Throws a
 * ConfigError where a space holds fewer than the samples.
 */
export const combinationsOf = ({ grid, list, random }: SweepSpec, where: Whereabouts): readonly Combination[] => {
  if (list) return list as readonly Combination[];
  if (random) return samples(random, where);
  return Object.entries(grid ?? {}).reduce<readonly Combination[]>(
    (all, [key, values]) =>
      all.flatMap((combination) => values.map((value) => ({ ...combination, [key]: value as Json }))),
    [{}],
  );
};

/** `batch=4, population.islands=2`: a combination as errors and summaries name it. */
export const combinationText = (combination: Combination): string =>
  Object.entries(combination)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ') || 'base settings';

/** The most draws for a new combination of a small space. */
const TRIES_PER_SAMPLE = 100;

/** Different samples. Each key has its own random streams, so that the order of keys does not matter. */
const samples = (
  { samples: wanted, seed, space }: NonNullable<SweepSpec['random']>,
  where: Whereabouts,
): readonly Combination[] => {
  const combinations = new Map<string, Combination>();
  for (let draw = 0; combinations.size < wanted && draw < wanted * TRIES_PER_SAMPLE; draw += 1) {
    const combination = Object.fromEntries(
      Object.entries(space).map(([key, choice]) => [
        key,
        drawn(choice as readonly Json[] | Range, rng(seed, 'sweep', key, draw)),
      ]),
    );
    const name = canonicalJson(combination);
    if (!combinations.has(name)) combinations.set(name, combination);
  }
  if (combinations.size < wanted) {
    throw new ConfigError([
      `${where(['random', 'samples'])}: random.samples: expected at most the number of distinct combinations, got ${wanted} where ${combinations.size} were found: ask for fewer, widen random.space, or use grid.`,
    ]);
  }
  return [...combinations.values()];
};

const DIGITS = 6;

/** A choice, or a number of the range: whole, or of six significant digits, which people can read and repeat. */
const drawn = (choice: readonly Json[] | Range, random: Rng): Json => {
  if (!('min' in choice)) return random.pick(choice);
  const { min, max, log, integer } = choice;
  if (integer && !log) return min + random.int(max - min + 1);
  const value = log
    ? Math.exp(Math.log(min) + random.next() * (Math.log(max) - Math.log(min)))
    : min + random.next() * (max - min);
  return Math.min(max, Math.max(min, integer ? Math.round(value) : Number(value.toPrecision(DIGITS))));
};
