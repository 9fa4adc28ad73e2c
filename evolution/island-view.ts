// One island of a population as a population of its own, to be changed apart from it. Called by the activity `planIsland`, where nothing but the
// island counts (ties.ts).
import { loadPopulation, type Population } from './population.ts';

/** The same island number; all others are empty. Nothing is shared that changes. */
export const islandView = ({ settings, state, islands, maps, prompts }: Population, island: number): Population => {
  const members = islands[island]!.byBirth;
  return loadPopulation(
    settings, members.map((member) => ({ ...member, island })),
    [...maps[island]?.cells ?? []].map(([cell, { id, fit }]) => ({ island, cell, program: id, fit })), { ...state, size: members.length }, [],
    [...prompts.values()].filter((prompt) => prompt.island === island),
  );
};
