// A step that scores programs again under a new version of the task: scores of two versions do not compare, so the
// population is made anew of its candidates alone.
import type { Cell, ChangeSet, Membership } from '../types.ts';
import { emptyPopulation, type Population, promptKey, rowsOf } from './population.ts';

/**
 * The population without its programs and whatever follows from their scores. The numbers of children, the phase of
 * the islands, the reference programs and the prompts stay.
 */
export const emptied = ({ settings, state, islands, prompts }: Population): Population => {
  const { generations, lastMigration, references, exploration } = state;
  const founded =
    settings.initialisation > 1
      ? { founded: state.founded ?? islands.map(({ byId }) => Math.max(0, byId.size - 1)) }
      : {};
  return {
    ...emptyPopulation(settings),
    state: {
      ...{ bounds: null, generations, lastMigration, size: 0, best: null },
      ...founded,
      ...(references === undefined ? {} : { references }),
      ...(exploration === undefined ? {} : { exploration }),
    },
    prompts: new Map([...prompts.values()].map((prompt) => [promptKey(prompt), { ...prompt, bestFit: null }])),
  };
};

/** The change set from the population as it was to what the candidates make of the emptied one. */
export const replacing = (before: Population, emptiedOne: Population, changes: ChangeSet): ChangeSet => {
  const { memberships, cells } = rowsOf(before);
  const taken = new Set(changes.cells.map(placeOf));
  const prompts = new Map(
    [...emptiedOne.prompts.values(), ...(changes.prompts ?? [])].map((one) => [promptKey(one), one]),
  );
  return {
    ...changes,
    remove: [...memberships.map(({ island, id }: Membership) => ({ island, id })), ...changes.remove],
    cells: [
      ...cells.filter((cell) => !taken.has(placeOf(cell))).map((cell) => ({ ...cell, program: null, fit: 0 })),
      ...changes.cells,
    ],
    evicted: [...before.all.byBirth.map(({ id }) => id), ...changes.evicted],
    ...(changes.prompts === undefined ? {} : { prompts: [...prompts.values()] }),
  };
};

const placeOf = ({ island, cell }: Pick<Cell, 'island' | 'cell'>): string => `${island}:${cell}`;
