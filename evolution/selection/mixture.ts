// The mixture of island, archive and rest (docs/methods/thetaevolve.md, Parents; docs/methods/controls.md, openevolve).
import type { SelectionSettings } from '../config/run-config.ts';
import type { Population } from '../population/population.ts';
import type { Rng } from '../rng.ts';
import { isFailureFit } from '../scoring/failures.ts';
import type { Member } from '../types.ts';
import { inProportion } from './policies.ts';
import type { Branch } from './pools.ts';

export type Drawn = { readonly member: Member; readonly branch: Branch };
export type Draw = (island: number, random: Rng) => Drawn;

/** The lowest weight of a draw by score (OpenEvolve, DeltaEvolve). */
const SMALLEST_WEIGHT = 0.001;

/** One draw decides on the branch, a second one takes a member: uniformly, or by score where the rest is `weighted`. */
export const mixtureOf = (
  population: Population,
  { exploration, exploitation, rest }: Pick<SelectionSettings, 'exploration' | 'exploitation' | 'rest'>,
): Draw => {
  const archivedOn = byIsland((island) =>
    population.archive.byBirth.filter((member) => population.islands[island]!.byId.has(member.id)),
  );
  const byScoreOn = byIsland((island) => byScore(population, island));
  return (island, random) => {
    const u = random.next();
    if (rest === 'weighted' && u >= exploration + exploitation) return byScoreOn(island)(random);
    const all = population.all.byBirth;
    const onIsland = population.islands[island]!.byBirth;
    const fromIsland = { branch: 'island', from: onIsland.length > 0 ? onIsland : all } as const;
    const archived = archivedOn(island);
    const fromArchive = {
      branch: 'archive',
      from: archived.length > 0 ? archived : population.archive.byBirth,
    } as const;
    const { branch, from } =
      u < exploration
        ? fromIsland
        : u < exploration + exploitation
          ? fromArchive.from.length > 0
            ? fromArchive
            : fromIsland
          : ({ branch: 'population', from: all } as const);
    return { member: random.pick(from), branch };
  };
};

/** Draws from the island (an empty one: from all) with weight max(fit, 0.001); failures only without anything else. */
const byScore = (population: Population, island: number): ((random: Rng) => Drawn) => {
  const onIsland = population.islands[island]!.byBirth;
  const from = onIsland.length > 0 ? onIsland : population.all.byBirth;
  const valid = from.filter(({ fit }) => !isFailureFit(fit));
  const members = valid.length > 0 ? valid : from;
  const weights = members.map(({ fit }) => Math.max(fit, SMALLEST_WEIGHT));
  // Weights are divided by the largest, so that the sum of huge scores stays finite.
  const largest = weights.reduce((a, b) => Math.max(a, b));
  const draw = inProportion(weights.map((weight) => weight / largest));
  return (random) => ({ member: members[draw(random)]!, branch: onIsland.length > 0 ? 'island' : 'population' });
};

/** A value that is worked out once for each island, however many groups ask for it. */
const byIsland = <T>(make: (island: number) => T): ((island: number) => T) => {
  const known = new Map<number, T>();
  return (island) => {
    if (!known.has(island)) known.set(island, make(island));
    return known.get(island)!;
  };
};
