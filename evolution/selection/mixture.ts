// The mixture of island, archive and population (ThetaEvolve, section 2, Parent sampling). Called by selection.ts.
import type { SelectionSettings } from '../config/run-config.ts';
import type { Population } from '../population.ts';
import type { Rng } from '../rng.ts';
import type { Member } from '../types.ts';
import type { Branch } from './pools.ts';

export type Drawn = { readonly member: Member; readonly branch: Branch };

/** One draw decides on the branch, a second one takes a member of it uniformly. */
export const mixtureOf = (
  population: Population, { exploration, exploitation }: Pick<SelectionSettings, 'exploration' | 'exploitation'>,
): ((island: number, random: Rng) => Drawn) => {
  const seatsOn = archiveByIsland(population);
  return (island, random) => {
    const u = random.next();
    const all = population.all.byBirth;
    const onIsland = population.islands[island]!.byBirth;
    const fromIsland = { branch: 'island', from: onIsland.length > 0 ? onIsland : all } as const;
    const seats = seatsOn(island);
    const fromArchive = { branch: 'archive', from: seats.length > 0 ? seats : population.archive.byBirth } as const;
    const { branch, from } = u < exploration ? fromIsland
      : u < exploration + exploitation ? (fromArchive.from.length > 0 ? fromArchive : fromIsland)
      : { branch: 'population', from: all } as const;
    return { member: random.pick(from), branch };
  };
};

/** Archive programs that are members of an island, oldest first; worked out once an island. */
const archiveByIsland = (population: Population): ((island: number) => readonly Member[]) => {
  const known = new Map<number, readonly Member[]>();
  return (island) => {
    const seats = known.get(island) ?? population.archive.byBirth.filter((member) => population.islands[island]!.byId.has(member.id));
    known.set(island, seats);
    return seats;
  };
};
