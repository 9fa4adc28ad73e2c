// Chooses what each group of a step is shown beside its parent: other programs, ancestors, lines that came back.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { styleOf } from '../../../evolution/config/styles.ts';
import { ancestorsOf, contextsOf, nextAncestor } from '../../../evolution/context/context.ts';
import type { Population } from '../../../evolution/population/population.ts';
import type { ParentDraw } from '../../../evolution/selection/selection.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { ProgramDocument, Shown } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import {
  besideOf,
  farthestFirst,
  historiesOf,
  NONE,
  randomContexts,
  type Settings,
  type ShownBeside,
  UNLIMITED,
} from './history.ts';
import { bestShown } from '../ask/prompts/tried.ts';

/**
 * Returns one entry for each draw. The prompt of a seed program shows nothing but the initial program. The population
 * is read before the first await.
 */
export const shownBeside = async (
  store: Store,
  population: Population,
  draws: readonly ParentDraw[],
  settings: Settings,
): Promise<readonly ShownBeside[]> => {
  const drawn = await drawnBeside(store, population, draws, settings);
  const ancestors = await ancestorsOfAll(store, draws, settings.config.prompt.ancestors ?? Infinity);
  return drawn.map(({ prior, context }, group) => ({
    prior,
    context: [...context, ...ancestors[group]!.map((id): Shown => ({ id, role: 'ancestor' }))],
  }));
};

/** The programs beside each parent, without its ancestors. */
const drawnBeside = async (
  store: Store,
  population: Population,
  draws: readonly ParentDraw[],
  settings: Settings,
): Promise<readonly ShownBeside[]> => {
  const { config, step, groups } = settings;
  if (config.prompt.draw === 'random') return randomContexts(store, draws, settings);
  if (styleOf(config).asksForDelta)
    return (await historiesOf(store, population, draws, settings)).map((context) => ({ prior: [], context }));
  const contexts = (
    prompt: RunConfig['prompt'],
    selection: Pick<RunConfig['selection'], 'kind' | 'pool'> = config.selection,
  ) =>
    contextsOf({
      population,
      prompt,
      settings: config.population,
      selection,
      seed: config.seed,
      step,
      best: bestShown(config),
    });
  const byVector = config.prompt.diverse > 0 && config.prompt.diverseBy === 'embedding';
  const prompt = byVector ? { ...config.prompt, diverse: 0 } : config.prompt;
  const candidates = byVector ? contexts({ ...config.prompt, ...NONE, diverse: UNLIMITED }) : null;
  const exploiting = contexts(prompt);
  // A group that explores sees any inspirations (CodeEvolve Algorithm 1, line 10).
  const exploring = contexts(
    { ...prompt, inspirationsBy: 'uniform' },
    config.exploration.pool === 'all' ? { kind: 'uniform', pool: 'island' } : config.selection,
  );
  const groupOf = (index: number): number => groups?.[index] ?? index;
  const ranked = draws.map((draw, index) => ({
    parent: draw.parent,
    shown: (draw.operator === 'explore' ? exploring : exploiting)({ ...draw, group: groupOf(index) }),
    diverse: candidates?.({ ...draw, group: groupOf(index) }).map(({ id }) => id) ?? [],
  }));
  return (await farthestFirst(store, ranked, config)).map(({ shown, diverse }) => {
    const far = diverse.filter((id) => shown.every((other) => other.id !== id)).slice(0, config.prompt.diverse);
    return besideOf([...shown, ...far.map((id): Shown => ({ id, role: 'diverse' }))]);
  });
};

/**
 * The ancestors of each parent, oldest first; none where a group explores. They are read level by level for all draws
 * at once.
 */
const ancestorsOfAll = async (
  store: Store,
  draws: readonly ParentDraw[],
  count: number,
): Promise<readonly (readonly ProgramId[])[]> => {
  const programs = new Map<ProgramId, ProgramDocument>();
  const hasAncestors = ({ branch, operator }: ParentDraw): boolean =>
    count > 0 && branch !== 'initialisation' && operator !== 'explore';
  const wanted = draws.filter(hasAncestors);
  let level = wanted.map(({ parent, island }) => ({ id: parent, island }));
  for (let depth = 0; depth <= count && level.length > 0; depth++) {
    for (const [id, program] of await store.getPrograms(
      [...new Set(level.map(({ id }) => id))].filter((id) => !programs.has(id)),
    ))
      programs.set(id, program);
    level = level.flatMap(({ id, island }) => {
      const program = programs.get(id);
      const next = program === undefined ? null : nextAncestor(program, island);
      return next === null ? [] : [{ id: next, island }];
    });
  }
  const find = (id: ProgramId): ProgramDocument | undefined => programs.get(id);
  return draws.map((draw) =>
    hasAncestors(draw) ? ancestorsOf(draw.parent, { count, island: draw.island, find }) : [],
  );
};
