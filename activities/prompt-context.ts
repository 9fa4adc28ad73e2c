// What is shown beside each parent of a step: other programs, ancestors, lines that came back. Called by plan-step.ts.
import type { RunConfig } from '../evolution/config/run-config.ts';
import { contextsOf } from '../evolution/context.ts';
import { ancestorsOf, nextAncestor } from '../evolution/context/ancestors.ts';
import type { Population } from '../evolution/population.ts';
import type { ParentDraw } from '../evolution/selection.ts';
import type { ProgramId } from '../evolution/types.ts';
import type { ProgramDocument, Shown } from './store/documents.ts';
import type { Store } from './store/store.ts';

export type ShownBeside = { readonly prior: readonly ProgramId[]; readonly context: readonly Shown[] };

/** One for each draw; a founder sees nothing but the initial program. The population is read before the first await. */
export const shownBeside = async (
  store: Store, population: Population, draws: readonly ParentDraw[], { config, step }: { readonly config: RunConfig; readonly step: number },
): Promise<readonly ShownBeside[]> => {
  const contextOf = contextsOf({ population, prompt: config.prompt, settings: config.population, selection: config.selection, seed: config.seed, step });
  const drawn = draws.map(({ parent, island, branch }, group) => contextOf({ parent, island, group, branch }));
  const ancestors = await ancestorsOfAll(store, draws, config.prompt.ancestors);
  return drawn.map((context, group) => ({
    prior: context.flatMap(({ id, role }) => (role === 'prior' ? [id] : [])),
    context: [
      ...context.flatMap(({ id, role }): Shown[] => (role === 'prior' ? [] : [{ id, role }])),
      ...ancestors[group]!.map((id): Shown => ({ id, role: 'ancestor' })),
    ],
  }));
};

/** Oldest first. Read level by level for all draws at once. */
const ancestorsOfAll = async (store: Store, draws: readonly ParentDraw[], count: number): Promise<readonly (readonly ProgramId[])[]> => {
  const programs = new Map<ProgramId, ProgramDocument>();
  const wanted = draws.filter(({ branch }) => count > 0 && branch !== 'founding');
  let level = wanted.map(({ parent, island }) => ({ id: parent, island }));
  for (let depth = 0; depth <= count && level.length > 0; depth++) {
    for (const [id, program] of await store.getPrograms([...new Set(level.map(({ id }) => id))].filter((id) => !programs.has(id)))) programs.set(id, program);
    level = level.flatMap(({ id, island }) => {
      const program = programs.get(id);
      const next = program === undefined ? null : nextAncestor(program, island);
      return next === null ? [] : [{ id: next, island }];
    });
  }
  const find = (id: ProgramId): ProgramDocument | undefined => programs.get(id);
  return draws.map(({ parent, island, branch }) => (count === 0 || branch === 'founding' ? [] : ancestorsOf(parent, { count, island, find })));
};
