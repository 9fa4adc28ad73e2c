// The mixture of island, archive and rest (docs/methods/thetaevolve.md, Parents; docs/methods/controls.md, openevolve).
import { merit } from '../archives/archive.ts';
import type { SelectionSettings } from '../config/run-config.ts';
import { memo } from '../memo.ts';
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

type Mixture = Pick<SelectionSettings, 'exploration' | 'exploitation' | 'rest' | 'archiveShare'>;

/** One draw decides on the branch, a second one takes a member: uniformly, or by score where the rest is `weighted`. */
export const mixtureOf = (population: Population, { exploration, exploitation, rest, archiveShare }: Mixture): Draw => {
  const archivedOn = memo((island: number): readonly Member[] => {
    const { byId } = population.islands[island]!;
    const archived = population.archive.byBirth.filter(({ id }) => byId.has(id));
    return archived.length > 0
      ? bestPart(archived, archiveShare * byId.size)
      : bestPart(population.archive.byBirth, archiveShare * population.all.byId.size);
  });
  const byScoreOn = memo((island: number) => byScore(population, island));
  return (island, random) => {
    const u = random.next();
    if (rest === 'weighted' && u >= exploration + exploitation) return byScoreOn(island)(random);
    const all = population.all.byBirth;
    if (u >= exploration + exploitation) return { member: random.pick(all), branch: 'population' };
    const archive = archivedOn(island);
    if (u >= exploration && archive.length > 0) return { member: random.pick(archive), branch: 'archive' };
    const onIsland = population.islands[island]!.byBirth;
    return { member: random.pick(onIsland.length > 0 ? onIsland : all), branch: 'island' };
  };
};

/** The best so many members, at least one where there is one. */
const bestPart = (members: readonly Member[], most: number): readonly Member[] => {
  const count = Math.max(1, Math.floor(most + 1e-9));
  return members.length <= count ? members : [...members].sort(merit).slice(0, count);
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
  return (random) => ({ member: members[draw(random)]!, branch: onIsland.length > 0 ? 'weighted' : 'population' });
};
