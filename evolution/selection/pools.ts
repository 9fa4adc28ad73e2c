// Each island has a pool from which inspirations are drawn, and parents too when `selection.kind` is not `mixture`.
import { merit } from '../archives/archive.ts';
import type { Roster } from '../archives/roster.ts';
import type { SelectionSettings } from '../config/run-config.ts';
import { memo } from '../memo.ts';
import { mapOf, type Population } from '../population/population.ts';
import { isFailureFit } from '../scoring/failures.ts';
import type { Member } from '../types.ts';

/**
 * The source of a parent. `weighted`: a member of the island, by its score; `initialisation`: the initial program, of
 * which seed programs are made.
 */
export type Branch = 'island' | 'weighted' | 'cells' | 'archive' | 'population' | 'initialisation';

export type Pool = {
  readonly branch: Branch;
  /** Rank 1 first: the highest fit, and among equals the earlier program. It is never empty. */
  readonly ranked: readonly Member[];
};

/** The pool of an island, ranked once. */
export const poolsOf = (population: Population, kind: SelectionSettings['pool']): ((island: number) => Pool) => {
  const everyone = memo((): Pool => ({ branch: 'population', ranked: ranked(population.all) }));
  const archive = memo((): Pool => ({ branch: 'archive', ranked: ranked(population.archive) }));
  const onIsland = (island: number): Pool => {
    const roster = population.islands[island]!;
    return roster.byId.size > 0 ? { branch: 'island', ranked: ranked(roster) } : everyone();
  };
  const inCells = (island: number): Pool => {
    const roster = population.islands[island]!;
    const elites = [...(mapOf(population.maps, island)?.cells.values() ?? [])].filter(
      ({ id, fit }) => roster.byId.has(id) && !isFailureFit(fit),
    );
    return elites.length > 0 ? { branch: 'cells', ranked: elites.sort(merit) } : onIsland(island);
  };
  const inArchive = (island: number): Pool => {
    if (population.archive.byId.size === 0) return onIsland(island);
    const archived = archive().ranked.filter(({ id }) => population.islands[island]!.byId.has(id));
    return archived.length > 0 ? { branch: 'archive', ranked: archived } : archive();
  };
  return memo({ island: onIsland, cells: inCells, archive: inArchive, population: () => everyone() }[kind]);
};

/** A ranked pool without admitted failures, which are its last entries; the pool itself where it has nothing else. */
export const validOf = (ranked: readonly Member[]): readonly Member[] => {
  const firstFailure = ranked.findIndex(({ fit }) => isFailureFit(fit));
  return firstFailure > 0 ? ranked.slice(0, firstFailure) : ranked;
};

const ranked = ({ worstFirst }: Roster): readonly Member[] => {
  const list: Member[] = [];
  for (let end = worstFirst.length; end > 0;) {
    let start = end - 1;
    while (start > 0 && worstFirst[start - 1]!.fit === worstFirst[start]!.fit) start--;
    for (let index = start; index < end; index++) list.push(worstFirst[index]!);
    end = start;
  }
  return list;
};
