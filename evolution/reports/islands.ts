// For people, the report on islands says how each one stands: its members, migrants, cells and scores.
import { spaceOf } from '../archives/cell-space.ts';
import type { RunConfig } from '../config/run-config.ts';
import { mapOf, type Population } from '../population/population.ts';
import { isFailureFit } from '../scoring/failures.ts';
import type { Member, ProgramId } from '../types.ts';
import { deviationOf, meanOf, medianOf } from '../statistics.ts';

export type IslandStats = {
  readonly island: number;
  /** Children made on the island, failures included. */
  readonly children: number;
  readonly members: number;
  /** Members that were made elsewhere. */
  readonly migrants: number;
  /** Members that have migrated to other islands too. */
  readonly emigrants: number;
  /** The island's cells with an elite, and all; null without cells. In one archive for all: elites that are members. */
  readonly cells: { readonly filled: number; readonly of: number } | null;
  /** Members of the island that are in the elite archive. */
  readonly archiveMembers: number;
  /** The best of its valid members, or null. Scores here are fits: negated where the task minimises. */
  readonly best: { readonly id: ProgramId; readonly fit: number } | null;
  readonly mean: number | null;
  readonly median: number | null;
  /** The standard deviation over n - 1; null with fewer than two members. */
  readonly sd: number | null;
  /** Distinct programs born on the island that are alive anywhere. */
  readonly native: number;
  /** The rate and the number of edited prompts; null without a schedule of exploration. */
  readonly exploration: { readonly rate: number; readonly prompts: number } | null;
};

export const islandStats = (
  population: Population,
  { population: settings, seed }: Pick<RunConfig, 'population' | 'seed'>,
): readonly IslandStats[] => {
  const of = spaceOf(settings, seed)?.size ?? settings.cells;
  const native = new Array<number>(settings.islands).fill(0);
  for (const { home } of population.all.byBirth) native[home]!++;
  return population.islands.map((roster, island): IslandStats => {
    const members = roster.byBirth;
    const elites = mapOf(population.maps, island);
    const valid = roster.worstFirst.filter(({ fit }) => !isFailureFit(fit));
    const fits = valid.map(({ fit }) => fit);
    const best = valid.find(({ fit }) => fit === valid.at(-1)!.fit);
    return {
      island,
      children: population.state.generations[island] ?? 0,
      members: members.length,
      migrants: members.filter((member) => isMigrant(member, island)).length,
      emigrants: members.filter(
        ({ id, home, bornSeq }) =>
          home === island &&
          bornSeq !== 0 &&
          population.islands.some((other, index) => index !== island && other.byId.has(id)),
      ).length,
      cells: elites === null ? null : { filled: members.filter(({ id }) => elites.cellOf.has(id)).length, of },
      archiveMembers: members.filter(({ id }) => population.archive.byId.has(id)).length,
      best: best === undefined ? null : { id: best.id, fit: best.fit },
      mean: meanOf(fits),
      median: fits.length === 0 ? null : medianOf(fits),
      sd: deviationOf(fits),
      native: native[island]!,
      exploration: explorationOf(population, island),
    };
  });
};

const explorationOf = ({ state, prompts }: Population, island: number): IslandStats['exploration'] => {
  const rate = state.exploration?.[island]?.rate;
  return rate === undefined
    ? null
    : { rate, prompts: [...prompts.values()].filter((prompt) => prompt.island === island).length };
};

/** The initial program began on every island, so it is a migrant nowhere. */
const isMigrant = ({ home, bornSeq }: Member, island: number): boolean => home !== island && bornSeq !== 0;
