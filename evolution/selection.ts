// Who becomes a parent: for each group an island, then a program by the policy of `selection.kind`. Pure; called when a step is planned.
import type { PopulationSettings, StoredSelection } from './config/run-config.ts';
import { currentIsland } from './islands.ts';
import type { Population } from './population.ts';
import { rng, type Rng } from './rng.ts';
import { mixtureOf, type Drawn } from './selection/mixture.ts';
import { policyOf, type DrawRank } from './selection/policies.ts';
import { poolsOf, type Branch, type Pool } from './selection/pools.ts';
import type { ProgramId } from './types.ts';

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
  readonly settings: { readonly population: PopulationSettings; readonly selection: StoredSelection };
};

/** One parent a group, with replacement, each group from a random stream of its own. */
export const drawParents = ({ population, step, batch, seed, settings }: Drawing): readonly ParentDraw[] => {
  if (population.members.size === 0) {
    throw new Error('no program can become a parent: expected a valid initial program, got an empty population. Correct the task\'s initial program, or set population.admitFailures');
  }
  const draw = drawerOf(population, settings.selection);
  return Array.from({ length: batch }, (_, group) => {
    const island = groupIsland(population, step, group, batch, settings.population);
    const { member, branch } = draw(island, rng(seed, 'parent', step, group));
    return { parent: member.id, branch, island: population.islands[island]!.byId.has(member.id) ? island : member.home };
  });
};

/** Round robin over the groups of the run: (t * B + g) mod K with t = step - 1, so that any K consecutive groups differ. */
const groupIsland = ({ state }: Population, step: number, group: number, batch: number, settings: PopulationSettings): number =>
  (settings.samplingIsland === 'current'
    ? currentIsland(state.generations, settings)
    : ((step - 1) * batch + group) % settings.islands);

const drawerOf = (population: Population, settings: StoredSelection): ((island: number, random: Rng) => Drawn) => {
  const { kind = 'mixture', pool = 'island', alpha = 1, tournament = 3 } = settings;
  if (kind === 'mixture') return mixtureOf(population, settings);
  const poolOn = poolsOf(population, pool);
  const policies = new Map<Pool, DrawRank>();
  return (island, random) => {
    const from = poolOn(island);
    const drawRank = policies.get(from) ?? policyOf({ kind, alpha, tournament }, from.ranked);
    policies.set(from, drawRank);
    return { member: from.ranked[drawRank(random)]!, branch: from.branch };
  };
};

export type { Branch };
export { drawPriorPrograms } from './prior-programs.ts';
