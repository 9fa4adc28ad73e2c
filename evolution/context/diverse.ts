// Diverse nodes: cell elites far from the parent's cell, or any (DeltaEvolve 4.3, Appendix B;
// docs/methods/deltaevolve.md).
import { merit } from '../archives/archive.ts';
import { scalingOn, type Space, spaceOf } from '../archives/cell-space.ts';
import { birth } from '../archives/roster.ts';
import type { PopulationSettings, PromptSettings } from '../config/run-config.ts';
import { memo } from '../memo.ts';
import { mapOf, type Population } from '../population/population.ts';
import { drawDistinct, type Rng } from '../rng.ts';
import { isFailureFit } from '../scoring/failures.ts';
import type { Member, ProgramId } from '../types.ts';

type DiverseOf = {
  readonly population: Population;
  readonly prompt: Pick<PromptSettings, 'diverse' | 'diverseBy' | 'scope'>;
  /** The settings of the population. */
  readonly settings: PopulationSettings;
  /** The seed of the run. */
  readonly seed: number;
};
type DiverseDrawing = {
  readonly parent: ProgramId;
  readonly island: number;
  readonly isNew: (member: Member) => boolean;
  readonly rng: Rng;
};

/** Valid cell elites, each once, in one list and by cell. */
type Owned = { readonly elites: readonly Member[]; readonly byCell: ReadonlyMap<string, readonly Member[]> };

/**
 * To be made once a batch. With `far-cells` the elites of the cells farthest from the parent's are shown, of equal ones
 * the better program; with `random-cell`, without a cell or a space any elites. `prompt.scope: run` takes all maps
 * together.
 */
export const diverseOf = ({
  population,
  prompt,
  settings,
  seed,
}: DiverseOf): ((drawing: DiverseDrawing) => readonly Member[]) => {
  const { diverse: count, diverseBy, scope } = prompt;
  const space = prompt.diverse === 0 ? null : spaceOf(settings, seed);
  const ownedIn = memo((island: number | null) => ownedOf(population, island));
  return ({ parent, island, isNew, rng }) => {
    const { elites, byCell } = ownedIn(scope === 'run' ? null : island);
    const member = population.members.get(parent);
    const home =
      member === undefined || space === null ? null : space.cellOf(member, scalingOn(population.state, island));
    if (diverseBy === 'random-cell' || space === null || home === null)
      return drawDistinct(elites.filter(isNew), count, rng);
    return farthest(byCell, { home, space, count, isNew });
  };
};

type Far = {
  readonly home: string;
  readonly space: Space;
  readonly count: number;
  readonly isNew: (member: Member) => boolean;
};

const farthest = (byCell: Owned['byCell'], { home, space, count, isNew }: Far): readonly Member[] => {
  const rings = new Map<number, (readonly Member[])[]>();
  for (const [cell, elites] of byCell) {
    const distance = space.distance(home, cell);
    const ring = rings.get(distance);
    if (ring) ring.push(elites);
    else rings.set(distance, [elites]);
  }
  const chosen: Member[] = [];
  for (const [, ring] of [...rings].sort(([a], [b]) => b - a)) {
    if (chosen.length >= count) break;
    chosen.push(...ring.flat().filter(isNew).sort(merit));
  }
  return chosen.slice(0, count);
};

/** Oldest first, whatever the order in which the maps came to be. */
const ownedOf = (population: Population, island: number | null): Owned => {
  const onIsland = island === null ? null : population.islands[island]!.byId;
  const maps = island === null ? population.maps : [mapOf(population.maps, island) ?? []].flat();
  const cellOf = new Map<Member, string>();
  for (const { cells } of maps) {
    for (const [cell, elite] of cells) {
      if (!isFailureFit(elite.fit) && (onIsland === null || onIsland.has(elite.id)) && !cellOf.has(elite))
        cellOf.set(elite, cell);
    }
  }
  const elites = [...cellOf.keys()].sort(birth);
  const byCell = new Map<string, Member[]>();
  for (const elite of elites) {
    const cell = cellOf.get(elite)!;
    const others = byCell.get(cell);
    if (others) others.push(elite);
    else byCell.set(cell, [elite]);
  }
  return { elites, byCell };
};
