// The evolved prompt that each group of a step begins with (CodeEvolve 4.2, Algorithm 1).
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { openPrompt } from '../../evolution/exploration/prompt-edit.ts';
import {
  drawPrompt,
  exploitPrompt,
  foundPrompts,
  type PromptPopulation,
} from '../../evolution/exploration/prompt-population.ts';
import { INITIAL_PROMPT, promptsOn } from '../../evolution/population/explored.ts';
import type { Population } from '../../evolution/population/population.ts';
import { rng } from '../../evolution/rng.ts';
import type { ParentDraw } from '../../evolution/selection/selection.ts';
import type { Task } from '../../evolution/task.ts';
import type { GroupPlan } from '../store/step-documents.ts';
import type { Store } from '../store/store.ts';

/**
 * The prompt with which every island begins where prompts evolve: all prompt texts of the task, open to edits in full.
 */
export const initialPrompt = ({ prompts }: Task): string =>
  openPrompt(prompts.map(({ text }) => text.trim()).join('\n\n'));

/** `groups` is as in context.ts. */
type Step = {
  readonly task: Task;
  readonly config: RunConfig;
  readonly step: number;
  readonly groups?: readonly number[] | undefined;
};

/**
 * Returns one entry for each draw, null where groups have no operator. A group that exploits takes the prompt that made
 * its parent, on whichever island that was, or with `exploration.exploitPrompt: policy` one of its island's prompts by
 * rank. A group that explores takes any of its island's prompts. During initialisation, and for a parent that no prompt
 * made, it is the initial prompt. The population is read before the first await.
 */
export const evolvedPrompts = async (
  store: Store,
  population: Population,
  draws: readonly ParentDraw[],
  { task, config, step, groups }: Step,
): Promise<readonly (NonNullable<GroupPlan['prompt']> | null)[]> => {
  if (draws.every(({ operator }) => operator === undefined)) return draws.map(() => null);
  const joined = new Map(
    [...new Set(draws.map(({ island }) => island))].map((island) => [island, promptsOn(population, island)]),
  );
  const [text] = await store.putTexts([initialPrompt(task)]);
  const [initial] = foundPrompts({ id: INITIAL_PROMPT, text: text! });
  const parents = await store.getPrograms([...new Set(draws.map(({ parent }) => parent))]);
  const all = new Map(
    [...joined].map(([island, prompts]): [number, PromptPopulation] => [
      island,
      prompts.some(({ id }) => id === INITIAL_PROMPT) ? prompts : [initial!, ...prompts],
    ]),
  );
  return draws.map(({ parent, island, operator, branch }, index) => {
    if (operator === undefined) return null;
    const prompts = all.get(island)!;
    const random = rng(config.seed, 'prompt', step, groups?.[index] ?? index);
    const { id, text: ref } =
      branch === 'initialisation'
        ? prompts[0]!
        : operator === 'explore'
          ? drawPrompt(prompts, random)
          : exploitPrompt({
              rule: config.exploration.exploitPrompt,
              own: parents.get(parent)?.prompt ?? prompts[0]!,
              population: prompts,
              rng: random,
            });
    return { id, text: ref };
  });
};
