// The population in memory: who is alive, on which islands, in which cells, with which archive seats. The store loads it once,
// brings it forward with each change set and hands it to selection and insertion, which only read it.
import type { PopulationSettings } from './config/run-config.ts';
import { changeRoster, rosterOf, type MutableRoster, type Roster } from './roster.ts';
import { ARCHIVE, type Cell, type ChangeSet, type Member, type Membership, type PopulationState, type ProgramId } from './types.ts';

/** One MAP-Elites grid. A program owns at most one cell of a grid. */
export type Grid = { readonly cells: ReadonlyMap<string, Member>; readonly cellOf: ReadonlyMap<ProgramId, string> };

export type Population = {
  readonly settings: PopulationSettings;
  readonly state: PopulationState;
  /** Every program alive, once, however many islands it is a member of. */
  readonly all: Roster;
  /** The same as `all.byId`. The order of the map means nothing: draw from `all.byBirth`. */
  readonly members: ReadonlyMap<ProgramId, Member>;
  /** By island. */
  readonly islands: readonly Roster[];
  /** By island; one for all with `grid: global`. */
  readonly grids: readonly Grid[];
  readonly archive: Roster;
};

type MutableGrid = { readonly cells: Map<string, Member>; readonly cellOf: Map<ProgramId, string> };
type MutablePopulation = Omit<Population, 'all' | 'islands' | 'grids' | 'archive' | 'state'> & {
  state: PopulationState;
  readonly all: MutableRoster; readonly islands: readonly MutableRoster[]; readonly grids: readonly MutableGrid[]; readonly archive: MutableRoster;
};

export const emptyPopulation = (settings: PopulationSettings): Population =>
  loadPopulation(settings, [], [], {
    bounds: null, generations: new Array<number>(settings.islands).fill(0), lastMigration: 0, size: 0, best: null,
  });

/** Builds the population from its stored rows, in any order. Rows that do not fit together are an error: a population is never guessed. */
export const loadPopulation = (
  settings: PopulationSettings, memberships: Iterable<Membership>, cells: Iterable<Cell>, state: PopulationState,
): Population => {
  const rows: Member[][] = Array.from({ length: settings.islands }, () => []);
  const seats: Member[] = [];
  const members = new Map<ProgramId, Member>();
  for (const row of memberships) {
    const member = members.get(row.id) ?? memberOf(row);
    members.set(row.id, member);
    const list = row.island === ARCHIVE ? seats : rows[row.island];
    if (!list) throw inconsistent(`islands 0 to ${settings.islands - 1}`, `program ${row.id} on island ${row.island}`);
    list.push(member);
  }
  const grids = Array.from({ length: gridCount(settings) }, (): MutableGrid => ({ cells: new Map(), cellOf: new Map() }));
  for (const { island, cell, program } of cells) {
    const owner = members.get(program);
    const grid = grids[island];
    if (!owner || !grid) throw inconsistent('every owner of a cell to be alive', `cell ${cell} of grid ${island}, owned by ${program}`);
    own(grid, cell, owner);
  }
  const all = rosterOf(members.values());
  if (all.byId.size !== state.size) throw inconsistent(`${state.size} programs`, `${all.byId.size}`);
  return { settings, state, all, members: all.byId, islands: rows.map(rosterOf), grids, archive: rosterOf(seats) };
};

/** Applies a change set IN PLACE and returns the same population: the cost follows the changes, not the population. Applying a set
 *  that is applied already changes nothing. Keep no population across an `await` that may commit. */
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
  for (const [island, change] of changes) changeRoster(island === ARCHIVE ? target.archive : target.islands[island]!, change);
  for (const { island, cell } of changeSet.cells) disown(target.grids[island]!, cell);
  for (const { island, cell, program } of changeSet.cells) {
    if (program !== null) own(target.grids[island]!, cell, target.members.get(program)!);
  }
  target.state = changeSet.state;
  return population;
};

/** The rows that describe a population, in a canonical order: equal populations have equal rows. */
export const rowsOf = (population: Population): { readonly memberships: readonly Membership[]; readonly cells: readonly Cell[] } => ({
  memberships: [[ARCHIVE, population.archive] as const, ...population.islands.map((roster, island) => [island, roster] as const)]
    .flatMap(([island, roster]) => roster.byBirth.map((member) => ({ ...member, island }))),
  cells: population.grids.flatMap((grid, island) => [...grid.cells]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([cell, owner]) => ({ island, cell, program: owner.id, fit: owner.fit }))),
});

export const gridCount = (settings: PopulationSettings): number => (settings.grid === 'global' ? 1 : settings.islands);

const memberOf = ({ id, fit, bornSeq, length, home }: Membership): Member => ({ id, fit, bornSeq, length, home });

const own = (grid: MutableGrid, cell: string, owner: Member): void => {
  grid.cells.set(cell, owner);
  grid.cellOf.set(owner.id, cell);
};

const disown = (grid: MutableGrid, cell: string): void => {
  const owner = grid.cells.get(cell);
  if (!owner) return;
  grid.cells.delete(cell);
  grid.cellOf.delete(owner.id);
};

const inconsistent = (expected: string, got: string): Error =>
  new Error(`the stored population does not fit its settings and state: expected ${expected}, got ${got}. Run \`evolve doctor\`, or start a new run`);
