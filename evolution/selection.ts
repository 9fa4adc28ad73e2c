// Who becomes a parent (ThetaEvolve, section 2, Parent sampling). Pure; called when a step is planned.
import type { PopulationSettings, SelectionSettings } from './config/run-config.ts';
import { currentIsland } from './islands.ts';
import type { Population } from './population.ts';
import { rng, type Rng } from './rng.ts';
import type { Member, ProgramId } from './types.ts';

/** Which of the three ways of drawing gave the parent. */
export type Branch = 'island' | 'archive' | 'population';

export type ParentDraw = {
  readonly parent: ProgramId;
  /** Where the parent counts, and where its children enter. */
  readonly island: number;
  readonly branch: Branch;
};

export type Drawing = {
  readonly population: Population;
  /** From 1: step 0 is the initial program. */
  readonly step: number;
  /** B: groups in the step. */
  readonly batch: number;
  readonly seed: number;
  readonly settings: { readonly population: PopulationSettings; readonly selection: SelectionSettings };
};

/** One parent a group, with replacement, each group from a random stream of its own. */
export const drawParents = ({ population, step, batch, seed, settings }: Drawing): readonly ParentDraw[] => {
  if (population.members.size === 0) {
    throw new Error('no program can become a parent: expected a valid initial program, got an empty population. Correct the task\'s initial program, or set population.admitFailures');
  }
  const seatsOn = archiveByIsland(population);
  return Array.from({ length: batch }, (_, group) => {
    const island = groupIsland(population, step, group, batch, settings.population);
    const { member, branch } = drawParent(population, island, seatsOn, settings.selection, rng(seed, 'parent', step, group));
    return { parent: member.id, branch, island: population.islands[island]!.byId.has(member.id) ? island : member.home };
  });
};

/** Round robin over the groups of the run: (t * B + g) mod K with t = step - 1, so that any K consecutive groups differ. */
const groupIsland = ({ state }: Population, step: number, group: number, batch: number, settings: PopulationSettings): number =>
  (settings.samplingIsland === 'current'
    ? currentIsland(state.generations, settings)
    : ((step - 1) * batch + group) % settings.islands);

const drawParent = (
  population: Population, island: number, seatsOn: (island: number) => readonly Member[], { exploration, exploitation }: SelectionSettings, random: Rng,
): { readonly member: Member; readonly branch: Branch } => {
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

/** Archive programs that are members of an island, oldest first; worked out once an island. */
const archiveByIsland = (population: Population): ((island: number) => readonly Member[]) => {
  const known = new Map<number, readonly Member[]>();
  return (island) => {
    const seats = known.get(island) ?? population.archive.byBirth.filter((member) => population.islands[island]!.byId.has(member.id));
    known.set(island, seats);
    return seats;
  };
};

export { drawPriorPrograms } from './prior-programs.ts';
