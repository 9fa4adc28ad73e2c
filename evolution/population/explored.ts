// The schedules and prompts of islands after a step with operators (CodeEvolve 4.2, 4.3).
import { bestOf } from '../archives/roster.ts';
import type { ExplorationSchedule, PopulationSettings } from '../config/run-config.ts';
import {
  addPrompt,
  creditPrompt,
  type EvolvedPrompt,
  type PromptPopulation,
  rankPrompts,
} from '../exploration/prompt-population.ts';
import { nextRate, startExploration } from '../exploration/schedule.ts';
import type { Child, ExplorationState, IslandPrompt } from '../types.ts';
import { isInitialising } from './islands.ts';
import { type Population, promptKey } from './population.ts';

/** The id of the prompt with which every island begins. */
export const INITIAL_PROMPT = 'initial';

type Explored = { readonly states: readonly ExplorationState[]; readonly prompts: readonly IslandPrompt[] };
type Settings = {
  readonly exploration: ExplorationSchedule;
  readonly population: Pick<PopulationSettings, 'initialisation' | 'islandCap'>;
};

/** `children` are in slot order, with the island that they (would have) entered. Null without a schedule. */
export const explored = (
  population: Population,
  children: readonly Child[],
  { exploration, population: { initialisation, islandCap } }: Settings,
): Explored | null => {
  if (exploration.schedule === 'none') return null;
  const states = population.state.exploration ?? population.islands.map(() => startExploration(exploration));
  return {
    states: states.map((state, island) => {
      const own = children.filter(
        (child) => child.island === island && (child.parent !== null || child.founder === true),
      );
      // It is an epoch of the island when one of its groups made something. The initial phase has no epochs.
      if (own.length === 0 || isInitialising(population, island, { initialisation })) return state;
      return nextRate(state, {
        improved: improves(own, bestOf(population.islands[island]!, 1)[0]?.fit ?? -Infinity),
        settings: exploration,
      });
    }),
    prompts: promptsAfter(population, children, islandCap ?? Infinity),
  };
};

/** The probability that the island's next group explores; null without a schedule. */
export const rateOn = ({ state }: Population, island: number, exploration: ExplorationSchedule): number | null =>
  exploration.schedule === 'none' ? null : (state.exploration?.[island] ?? startExploration(exploration)).rate;

/**
 * The number of steps in a row in which no island's own child became its best (CodeEvolve, early stop). Migrants are no
 * progress. Steps with an initialisation or without groups do not count.
 */
export const stagnantAfter = (
  before: number,
  population: Population,
  children: readonly Child[],
  { population: { initialisation } }: { readonly population: Pick<PopulationSettings, 'initialisation'> },
): number => {
  if (children.some(({ rescored }) => rescored !== undefined)) return 0;
  const own = children.filter(({ parent, founder }) => parent !== null || founder === true);
  const islands = [...new Set(own.map(({ island }) => island))];
  if (islands.length === 0 || islands.some((island) => isInitialising(population, island, { initialisation })))
    return before;
  const isBetter = islands.some((island) =>
    improves(
      own.filter((child) => child.island === island),
      bestOf(population.islands[island]!, 1)[0]?.fit ?? -Infinity,
    ),
  );
  return isBetter ? 0 : before + 1;
};

const improves = (children: readonly Child[], best: number): boolean =>
  children.some(({ outcome, fit }) => outcome === 'valid' && fit! > best);

/** The prompts of an island, oldest first, without the initial one where it has made nothing yet. */
export const promptsOn = ({ prompts }: Population, island: number): PromptPopulation =>
  [...prompts.values()]
    .filter((prompt) => prompt.island === island && prompt.left !== true)
    .sort(byAge)
    .map(({ island: _, ...prompt }) => prompt);

/**
 * The prompts that change, by island and age. Beyond the cap of an island's members its worst prompts leave, as programs
 * do (CodeEvolve B.2). A migrant's prompt is used, but does not belong to the island.
 */
const promptsAfter = (population: Population, children: readonly Child[], cap: number): readonly IslandPrompt[] => {
  const islands = new Map<number, PromptPopulation>();
  for (const { island, prompt, outcome, fit } of children) {
    if (prompt === undefined) continue;
    const before = islands.get(island) ?? promptsOn(population, island);
    const known = population.prompts.has(promptKey({ island, id: prompt.id }));
    const joined = !known && (prompt.isNew || prompt.id === INITIAL_PROMPT) ? addPrompt(before, prompt) : before;
    islands.set(island, creditPrompt(joined, { prompt: prompt.id, fit: outcome === 'valid' ? fit! : null }));
  }
  return [...islands]
    .sort(([a], [b]) => a - b)
    .flatMap(([island, prompts]) => {
      const kept = new Set(rankPrompts(prompts.toSorted(byAge)).slice(0, cap));
      return prompts
        .toSorted(byAge)
        .map((prompt): IslandPrompt => ({
          island,
          id: prompt.id,
          text: prompt.text,
          parent: prompt.parent,
          bestFit: prompt.bestFit,
          ...(!kept.has(prompt) && { left: true as const }),
        }))
        .filter((prompt) => {
          const stored = population.prompts.get(promptKey(prompt));
          // A new one that is not better than the worst never joins.
          return stored === undefined ? !prompt.left : stored.bestFit !== prompt.bestFit || prompt.left;
        });
    });
};

type Aged = Pick<EvolvedPrompt, 'id'>;
const byAge = (a: Aged, b: Aged): number => {
  if (a.id === INITIAL_PROMPT || b.id === INITIAL_PROMPT) return a.id === b.id ? 0 : a.id === INITIAL_PROMPT ? -1 : 1;
  const [left, right] = [placeOf(a), placeOf(b)];
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2] || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
};

/** The step, epoch and group in the id of a prompt. */
const placeOf = ({ id }: Aged): readonly [number, number, number] => {
  const [step = 0, epoch = 0, group = 0] = id.split(':').slice(-3).map(Number);
  return [step, epoch, group];
};
