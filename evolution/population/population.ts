// The living programs, on islands, in cells and in the archive. The store brings it forward with change sets.
import type { CellElites } from '../archives/archive.ts';
import { changeRoster, type MutableRoster, type Roster, rosterOf } from '../archives/roster.ts';
import type { PopulationSettings } from '../config/run-config.ts';
import {
  ARCHIVE,
  type Cell,
  type ChangeSet,
  type IslandPrompt,
  type Member,
  type Membership,
  MIGRATED,
  type PopulationState,
  type ProgramId,
  type Tally,
} from '../types.ts';

export type Population = {
  readonly settings: PopulationSettings;
  readonly state: PopulationState;
  /** Every living program once, however many islands it is a member of. */
  readonly all: Roster;
  /** The same as `all.byId`. The order of the map means nothing, so draws must use `all.byBirth`. */
  readonly members: ReadonlyMap<ProgramId, Member>;
  /** The members of each island, by its number. */
  readonly islands: readonly Roster[];
  /** Archives of cells: by island, or one for all with `grid: global`, or none with `map: none`. */
  readonly maps: readonly CellElites[];
  readonly archive: Roster;
  /** The programs that have migrated, where a program may do so only once. */
  readonly migrated: Roster;
  /** Tallies of programs, dead or alive. */
  readonly tallies: ReadonlyMap<ProgramId, Tally>;
  /** The prompts of all islands, by `island:prompt`. */
  readonly prompts: ReadonlyMap<string, IslandPrompt>;
};

type MutableElites = { readonly cells: Map<string, Member>; readonly cellOf: Map<ProgramId, string> };
type MutablePopulation = Omit<
  Population,
  'all' | 'islands' | 'maps' | 'archive' | 'migrated' | 'tallies' | 'prompts' | 'state'
> & {
  state: PopulationState;
  readonly all: MutableRoster;
  readonly islands: readonly MutableRoster[];
  readonly maps: readonly MutableElites[];
  readonly archive: MutableRoster;
  readonly migrated: MutableRoster;
  readonly tallies: Map<ProgramId, Tally>;
  readonly prompts: Map<string, IslandPrompt>;
};

export const emptyPopulation = (settings: PopulationSettings): Population =>
  loadPopulation(settings, [], [], {
    bounds: null,
    generations: new Array<number>(settings.islands).fill(0),
    lastMigration: 0,
    size: 0,
    best: null,
  });

/** Builds the population from its rows, in any order. Rows that do not fit together are an error. */
export const loadPopulation = (
  settings: PopulationSettings,
  memberships: Iterable<Membership>,
  cells: Iterable<Cell>,
  state: PopulationState,
  tallies: Iterable<Tally> = [],
  prompts: Iterable<IslandPrompt> = [],
): Population => {
  const rows: Member[][] = Array.from({ length: settings.islands }, () => []);
  const special = new Map<number, Member[]>([
    [ARCHIVE, []],
    [MIGRATED, []],
  ]);
  const members = new Map<ProgramId, Member>();
  for (const row of memberships) {
    const member = members.get(row.id) ?? memberOf(row);
    members.set(row.id, member);
    const list = special.get(row.island) ?? rows[row.island];
    if (!list) throw inconsistent(`islands 0 to ${settings.islands - 1}`, `program ${row.id} on island ${row.island}`);
    list.push(member);
  }
  const maps = Array.from({ length: mapCount(settings) }, (): MutableElites => ({
    cells: new Map(),
    cellOf: new Map(),
  }));
  for (const { island, cell, program } of cells) {
    const elite = members.get(program);
    const map = maps[island];
    if (!elite || !map)
      throw inconsistent('every cell elite to be alive', `cell ${cell} of map ${island}, of ${program}`);
    enter(map, cell, elite);
  }
  const all = rosterOf(members.values());
  if (all.byId.size !== state.size) throw inconsistent(`${state.size} programs`, `${all.byId.size}`);
  return {
    settings,
    state,
    all,
    members: all.byId,
    islands: rows.map(rosterOf),
    maps,
    archive: rosterOf(special.get(ARCHIVE)!),
    migrated: rosterOf(special.get(MIGRATED)!),
    tallies: new Map([...tallies].map((tally) => [tally.id, tally])),
    prompts: new Map([...prompts].map((prompt) => [promptKey(prompt), prompt])),
  };
};

/**
 * Applies a change set IN PLACE, at a cost that follows the changes; a second time it changes nothing. Keep no
 * population across an `await` that may commit.
 */
export const applyChangeSet = (population: Population, changeSet: ChangeSet): Population => {
  const target = population as MutablePopulation;
  const changes = new Map<number, { add: Member[]; remove: ProgramId[] }>();
  const changeOf = (island: number): { add: Member[]; remove: ProgramId[] } => {
    const change = changes.get(island) ?? { add: [], remove: [] };
    changes.set(island, change);
    return change;
  };
  const newcomers = new Map<ProgramId, Member>();
  for (const row of changeSet.add) {
    const member = target.members.get(row.id) ?? newcomers.get(row.id) ?? memberOf(row);
    newcomers.set(row.id, member);
    changeOf(row.island).add.push(member);
  }
  for (const row of changeSet.remove) changeOf(row.island).remove.push(row.id);

  changeRoster(target.all, { add: [...newcomers.values()], remove: changeSet.evicted });
  for (const [island, change] of changes) {
    changeRoster(
      island === ARCHIVE ? target.archive : island === MIGRATED ? target.migrated : target.islands[island]!,
      change,
    );
  }
  for (const { island, cell } of changeSet.cells) empty(target.maps[island]!, cell);
  for (const { island, cell, program } of changeSet.cells) {
    if (program !== null) enter(target.maps[island]!, cell, target.members.get(program)!);
  }
  for (const tally of changeSet.tallies ?? []) target.tallies.set(tally.id, tally);
  for (const prompt of changeSet.prompts ?? []) target.prompts.set(promptKey(prompt), prompt);
  target.state = changeSet.state;
  return population;
};

/** The rows that describe a population, in a canonical order, so that equal populations have equal rows. */
export const rowsOf = (
  population: Population,
): {
  readonly memberships: readonly Membership[];
  readonly cells: readonly Cell[];
  readonly tallies: readonly Tally[];
  readonly prompts: readonly IslandPrompt[];
} => ({
  memberships: [
    [MIGRATED, population.migrated] as const,
    [ARCHIVE, population.archive] as const,
    ...population.islands.map((roster, island) => [island, roster] as const),
  ].flatMap(([island, roster]) => roster.byBirth.map((member) => ({ ...member, island }))),
  cells: population.maps.flatMap((map, island) =>
    [...map.cells]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([cell, elite]) => ({ island, cell, program: elite.id, fit: elite.fit })),
  ),
  tallies: [...population.tallies.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
  prompts: [...population.prompts.values()].sort((a, b) => a.island - b.island || (a.id < b.id ? -1 : 1)),
});

export const promptKey = ({ island, id }: Pick<IslandPrompt, 'island' | 'id'>): string => `${island}:${id}`;

const mapCount = ({ map, grid, islands }: PopulationSettings): number =>
  map === 'none' ? 0 : grid === 'global' ? 1 : islands;

/** The archive of cells in which an island's members compete; null where there is none. */
export const mapOf = <T>(maps: readonly T[], island: number): T | null =>
  maps.length === 1 ? maps[0]! : (maps[island] ?? null);

const memberOf = ({ id, fit, bornSeq, length, home, values }: Membership): Member => ({
  id,
  fit,
  bornSeq,
  length,
  home,
  ...(values === undefined ? {} : { values }),
});

const enter = (map: MutableElites, cell: string, elite: Member): void => {
  map.cells.set(cell, elite);
  map.cellOf.set(elite.id, cell);
};

const empty = (map: MutableElites, cell: string): void => {
  const elite = map.cells.get(cell);
  if (!elite) return;
  map.cells.delete(cell);
  map.cellOf.delete(elite.id);
};

const inconsistent = (expected: string, got: string): Error =>
  new Error(
    `the stored population does not fit its settings and state: expected ${expected}, got ${got}. Run \`evolve doctor\`, or start a new run`,
  );
