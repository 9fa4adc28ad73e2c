// The draw of parents: an island, then a program by `selection.kind`, by population and seed alone.
import type { ExplorationSchedule, PopulationSettings, SelectionSettings } from '../config/run-config.ts';
import { drawOperator, type Operator } from '../exploration/schedule.ts';
import { rateOn } from '../population/explored.ts';
import { currentIsland, isInitialising } from '../population/islands.ts';
import type { Population } from '../population/population.ts';
import { memo } from '../memo.ts';
import { rng } from '../rng.ts';
import type { ProgramId } from '../types.ts';
import { type Draw, mixtureOf } from './mixture.ts';
import { policyOf } from './policies.ts';
import { type Branch, type Pool, poolsOf, validOf } from './pools.ts';
import { puctOf } from './puct.ts';
import { range } from '../schedule/slots.ts';

export type ParentDraw = {
  readonly parent: ProgramId;
  /** The island with which the parent counts, or for which the group was drawn, and which its children enter. */
  readonly island: number;
  readonly branch: Branch;
  /** Where `exploration.schedule` is on; `explore` during an initialisation (CodeEvolve 4.4, Initialization). */
  readonly operator?: Operator;
};

export type Drawing = {
  readonly population: Population;
  /** From 1 on, because step 0 is the initial program. */
  readonly step: number;
  /** B, the number of groups in the step. */
  readonly batch: number;
  readonly seed: number;
  /** The numbers of the groups to draw for; when left out, all groups of the step. */
  readonly groups?: readonly number[] | undefined;
  /** Without `exploration` there are no operators. */
  readonly settings: {
    readonly population: PopulationSettings;
    readonly selection: SelectionSettings;
    readonly exploration?: ExplorationSchedule;
  };
};

/**
 * Draws a parent for each group, with replacement (except `puct`), each from its own random stream. During an island's
 * initialisation it is the initial program (CodeEvolve 4.4), or the oldest alive. With operators, exploit draws by
 * `selection.kind`, explore uniformly from the pool (mixture: cells).
 */
export const drawParents = ({
  population,
  step,
  batch,
  seed,
  settings,
  groups = allOf(batch),
}: Drawing): readonly ParentDraw[] => {
  const [oldest] = population.all.byBirth;
  if (oldest === undefined) {
    throw new Error(
      'no program can become a parent: expected a valid initial program, got an empty population. Mend the task and rewind the run to step 0, or set population.admitFailures',
    );
  }
  const draw = drawerOf(population, settings.selection);
  const explore = explorerOf(population, settings.selection, settings.exploration?.pool ?? 'elites');
  return groups.map((group) => {
    const island = groupIsland(population, step, group, batch, settings.population);
    const rate = settings.exploration === undefined ? null : rateOn(population, island, settings.exploration);
    if (isInitialising(population, island, settings.population))
      return { parent: oldest.id, island, branch: 'initialisation', ...(rate === null ? {} : { operator: 'explore' }) };
    const operator = rate === null ? null : drawOperator(rate, rng(seed, 'operator', step, group));
    const { member, branch } = (operator === 'explore' ? explore : draw)(island, rng(seed, 'parent', step, group));
    return {
      parent: member.id,
      branch,
      island:
        settings.population.childIsland === 'slot' || population.islands[island]!.byId.has(member.id)
          ? island
          : member.home,
      ...(operator === null ? {} : { operator }),
    };
  });
};

const allOf = (batch: number): readonly number[] => range(0, batch);

/** Round robin: ⌊(t * B + g) / turn⌋ mod K with t = step - 1, so that with a turn of 1 K groups are on K islands. */
const groupIsland = (
  { state }: Population,
  step: number,
  group: number,
  batch: number,
  settings: PopulationSettings,
): number =>
  settings.samplingIsland === 'current'
    ? currentIsland(state.generations, settings)
    : Math.floor(((step - 1) * batch + group) / settings.turn) % settings.islands;

/** To be made once a batch: what pools and weights need is worked out once, and PUCT remembers its picks. */
const drawerOf = (population: Population, settings: SelectionSettings): Draw => {
  const { kind, pool } = settings;
  if (kind === 'initial') return () => ({ member: population.all.byBirth[0]!, branch: 'population' });
  if (kind === 'mixture') return mixtureOf(population, settings);
  if (kind === 'puct') return puctOf(population, settings);
  const poolOn = poolsOf(population, pool);
  const childrenOf = (id: ProgramId): number => population.tallies.get(id)?.children ?? 0;
  const drawRankIn = memo((from: Pool) => policyOf({ ...settings, kind, childrenOf }, from.ranked));
  return (island, random) => {
    const from = poolOn(island);
    return { member: from.ranked[drawRankIn(from)(random)]!, branch: from.branch };
  };
};

/** Uniformly from the valid programs of the pool, with `all` from failures too; with `initial` the initial program. */
const explorerOf = (
  population: Population,
  { kind, pool }: SelectionSettings,
  of: ExplorationSchedule['pool'],
): Draw => {
  if (kind === 'initial') return () => ({ member: population.all.byBirth[0]!, branch: 'population' });
  const poolOn = poolsOf(population, of === 'all' ? 'island' : kind === 'mixture' ? 'cells' : pool);
  return (island, random) => {
    const { ranked, branch } = poolOn(island);
    return { member: random.pick(of === 'all' ? ranked : validOf(ranked)), branch };
  };
};

export type { Branch };
