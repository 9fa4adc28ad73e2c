// The prompts of an island: the next one to use, and their fitness (CodeEvolve Eq. 1, 4.2; docs/methods/codeevolve.md).
import type { Rng } from '../rng.ts';

export type PromptId = string;

export type EvolvedPrompt = {
  readonly id: PromptId;
  readonly text: string;
  /** The prompt that it was edited from; null for the initial one. */
  readonly parent: PromptId | null;
  /** The largest fitness among the valid programs that it made; null, and not 0, until there is one. */
  readonly bestFit: number | null;
};

/** The prompts of one island, oldest first. There is always one. */
export type PromptPopulation = readonly EvolvedPrompt[];

export const foundPrompts = ({ id, text }: Pick<EvolvedPrompt, 'id' | 'text'>): PromptPopulation => [
  { id, text, parent: null, bestFit: null },
];

/** An edited prompt joins. One that is there already changes nothing, so that a commit can be repeated. */
export const addPrompt = (
  population: PromptPopulation,
  { id, text, parent }: Omit<EvolvedPrompt, 'bestFit'>,
): PromptPopulation =>
  population.some((prompt) => prompt.id === id) ? population : [...population, { id, text, parent, bestFit: null }];

export type Made = {
  /** The prompt that made the program. Nobody is credited where it came with a migrant. */
  readonly prompt: PromptId;
  /** The fitness of the program; null for a failure, which does not count as a program of the prompt. */
  readonly fit: number | null;
};

/** f_prompt = max f over the prompt's valid programs; the order of the programs does not matter. */
export const creditPrompt = (population: PromptPopulation, { prompt: id, fit }: Made): PromptPopulation => {
  if (fit === null || !Number.isFinite(fit)) return population;
  return population.map((prompt) =>
    prompt.id === id && (prompt.bestFit === null || fit > prompt.bestFit) ? { ...prompt, bestFit: fit } : prompt,
  );
};

/** Exploration: every prompt of the island is as likely as any other, whatever the parent. */
export const drawPrompt = (population: PromptPopulation, random: Rng): EvolvedPrompt => random.pick(population);

export type ExploitPrompt = {
  /** `own`: P(S), the prompt that made the parent. `policy`: one drawn by rank from the island's. */
  readonly rule: 'own' | 'policy';
  /** P(S), the prompt that made the parent. */
  readonly own: Pick<EvolvedPrompt, 'id' | 'text'>;
  readonly population: PromptPopulation;
  readonly rng: Rng;
};

export const exploitPrompt = ({ rule, own, population, rng }: ExploitPrompt): Pick<EvolvedPrompt, 'id' | 'text'> => {
  if (rule === 'own') return own;
  const ranked = rankPrompts(population);
  return ranked[rng.weighted(ranked.map((_, index) => 1 / (index + 1)))]!;
};

/** Rank 1 first: the highest fitness, and of equals the earlier prompt. Prompts without fitness are last. */
export const rankPrompts = (population: PromptPopulation): PromptPopulation =>
  population.toSorted((a, b) =>
    a.bestFit === b.bestFit ? 0 : a.bestFit === null ? 1 : b.bestFit === null ? -1 : b.bestFit - a.bestFit,
  );
