// Prior programs, shown beside the parent (ThetaEvolve 3.1; docs/methods/thetaevolve.md, The prompt).
import { merit } from '../archives/archive.ts';
import { scalingOn, spaceOf } from '../archives/cell-space.ts';
import { bestOf } from '../archives/roster.ts';
import type { PopulationSettings } from '../config/run-config.ts';
import { mapOf, type Population } from '../population/population.ts';
import type { Rng } from '../rng.ts';
import type { Member, ProgramId } from '../types.ts';

/** The distance in bins within which neighbouring cells are looked for, and the tries for each place. */
const REACH = 2;
const TRIES = 3;

type PriorDrawing = {
  readonly population: Population;
  readonly parent: ProgramId;
  /** The island with which the parent counts. */
  readonly island: number;
  /** k: how many programs are wanted. Fewer come when the island has fewer. */
  readonly count: number;
  readonly eliteRatio: number;
  readonly settings: PopulationSettings;
  /** The seed of the run. */
  readonly seed: number;
  readonly rng: Rng;
  /** Left out: everybody but the parent may be shown. */
  readonly isNew?: (member: Member) => boolean;
  /** `archive`: only members of the elite archive that are on the island, and no neighbours (ShinkaEvolve). */
  readonly from?: 'island' | 'archive';
};

/** The island's best, its top max(1, floor(ratio * k)), elites near the parent's cell, then any of its members. */
export const drawPriorPrograms = (drawing: PriorDrawing): readonly ProgramId[] => {
  const { population, parent, island, count, eliteRatio, isNew, from = 'island' } = drawing;
  if (count === 0) return [];
  const roster = population.islands[island]!;
  const shown = new Set<ProgramId>();
  const mayShow = (member: Member): boolean => member.id !== parent && (isNew === undefined || isNew(member));
  const show = (member: Member | undefined): void => {
    if (member && shown.size < count && mayShow(member)) shown.add(member.id);
  };
  const elites = Math.max(1, Math.floor(eliteRatio * count + 1e-9));
  const members =
    from === 'archive' ? population.archive.byBirth.filter(({ id }) => roster.byId.has(id)) : roster.byBirth;
  // Where others are shown already, the next ranks take their places.
  const best = isNew === undefined ? bestOf(roster, elites) : members.filter(mayShow).sort(merit).slice(0, elites);
  for (const member of best) show(member);
  if (from === 'island') addNeighbours(drawing, shown, show);
  const rest = members.filter((member) => mayShow(member) && !shown.has(member.id));
  while (shown.size < count && rest.length > 0) show(rest.splice(drawing.rng.int(rest.length), 1)[0]);
  return [...shown];
};

/** On a grid, cell elites within reach at random; in other spaces, those whose cells are nearest. */
const addNeighbours = (
  drawing: PriorDrawing,
  shown: ReadonlySet<ProgramId>,
  show: (member: Member | undefined) => void,
): void => {
  const { population, parent, island, count, settings, seed, rng } = drawing;
  const member = population.members.get(parent);
  const elites = mapOf(population.maps, island);
  const space = spaceOf(settings, seed);
  const home = member && space?.cellOf(member, scalingOn(population.state, island));
  if (!elites || !space || !home) return;
  const roster = population.islands[island]!;
  const isNew = (elite: Member | undefined): elite is Member =>
    elite !== undefined && elite.id !== parent && !shown.has(elite.id) && roster.byId.has(elite.id);
  if (settings.map === 'cvt') {
    const near = [...elites.cells]
      .filter(([, elite]) => isNew(elite))
      .map(([cell, elite]) => ({ elite, distance: space.distance(home, cell) }));
    for (const { elite } of near.sort((a, b) => a.distance - b.distance || merit(a.elite, b.elite))) show(elite);
    return;
  }
  const bins = home.split('-').map(Number);
  for (let place = shown.size; place < count; place++) {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const near = bins.map((bin, axis) =>
        Math.min(space.axes[axis]!.bins - 1, Math.max(0, bin + rng.int(2 * REACH + 1) - REACH)),
      );
      const elite = elites.cells.get(near.join('-'));
      if (!isNew(elite)) continue;
      show(elite);
      break;
    }
  }
};
