// The evolved prompt that each group of a step begins with (CodeEvolve 4.2, Algorithm 1).
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { openPrompt } from '../../../../evolution/exploration/prompt-edit.ts';
import {
  drawPrompt,
  exploitPrompt,
  foundPrompts,
  type PromptPopulation,
} from '../../../../evolution/exploration/prompt-population.ts';
import { INITIAL_PROMPT, promptsOn } from '../../../../evolution/population/explored.ts';
import { type Population, promptKey } from '../../../../evolution/population/population.ts';
import { joined, statementOf } from '../../../../evolution/prompts/parts/statement.ts';
import { drawParts } from '../../../../evolution/prompts/theta-prompt.ts';
import { asFit } from '../../../../evolution/scoring/ranking.ts';
import { rng } from '../../../../evolution/rng.ts';
import type { ParentDraw } from '../../../../evolution/selection/selection.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { GroupPlan } from '../../../store/documents/step-documents.ts';
import type { Store } from '../../../store/store.ts';
import { statedBy } from './style.ts';

/**
 * The prompt with which an island begins where prompts evolve: one part of the task's advice, open to edits in full.
 * Problem and limits are no part of it, because they stand beside it in every request (docs/prompts.md, The problem).
 * Islands take the parts in turn, in an order that is drawn by weight for each round of islands, so that they differ.
 * In the papers' form all islands begin with the same: the part with the greatest weight, or, for a task without a
 * statement of its own, all of its parts. With `exploration.promptBlock: all` problem and limits are in it too.
 */
export const initialPrompt = (task: Task, config: RunConfig, island: number): string => {
  const { prompts, problem } = task;
  const {
    prompt: { frame },
    exploration: { promptBlock },
    seed,
  } = config;
  if (frame === 'paper' && problem == null) return openPrompt(prompts.map(({ text }) => text.trim()).join('\n\n'));
  const [round, place] = [Math.floor(island / prompts.length), island % prompts.length];
  const part =
    frame === 'paper'
      ? prompts.reduce((most, one) => (one.weight > most.weight ? one : most))
      : drawParts(prompts, prompts.length, rng(seed, 'advice', round))[place]!;
  if (problem == null || promptBlock === 'advice') return openPrompt(part.text.trim());
  const { problem: stated, advice } = statementOf(task, statedBy(config), part.text);
  return openPrompt(joined(stated, advice));
};

/** `groups` is as in context.ts. */
type Step = {
  readonly task: Task;
  readonly config: RunConfig;
  readonly step: number;
  readonly groups?: readonly number[] | undefined;
};

/**
 * Returns one entry for each draw, empty where groups have no operator. A group that exploits takes the prompt that made
 * its parent, on whichever island that was, or with `exploration.exploitPrompt: policy` one of its island's prompts by
 * rank. A group that explores takes any of its island's prompts. During initialisation, and for a parent that no prompt
 * made, it is the initial prompt. The population is read before the first await.
 */
export const evolvedPrompts = async (
  store: Store,
  population: Population,
  draws: readonly ParentDraw[],
  { task, config, step, groups }: Step,
): Promise<readonly (Pick<GroupPlan, 'paid'> & { readonly prompt?: NonNullable<GroupPlan['prompt']> })[]> => {
  if (draws.every(({ operator }) => operator === undefined)) return draws.map(() => ({}));
  const joined = new Map(
    [...new Set(draws.map(({ island }) => island))].map((island) => [island, promptsOn(population, island)]),
  );
  const islands = [...joined.keys()];
  const texts = await store.putTexts(islands.map((island) => initialPrompt(task, config, island)));
  const initial = new Map(
    islands.map((island, index) => [island, foundPrompts({ id: INITIAL_PROMPT, text: texts[index]! })[0]!]),
  );
  const parents = await store.getPrograms([...new Set(draws.map(({ parent }) => parent))]);
  const all = new Map(
    [...joined].map(([island, prompts]): [number, PromptPopulation] => [
      island,
      population.prompts.has(promptKey({ island, id: INITIAL_PROMPT })) ? prompts : [initial.get(island)!, ...prompts],
    ]),
  );
  const paid =
    config.prompt.frame === 'paper' || !config.exploration.metaPrompt || config.prompt.scores === 'masked'
      ? null
      : new Map(
          await Promise.all(
            [...all].map(async ([island, prompts]) => [island, await paidOn(store, prompts, task.direction)] as const),
          ),
        );
  return draws.map(({ parent, island, operator, branch }, index) => {
    if (operator === undefined) return {};
    const prompts = all.get(island)!;
    const first = prompts.find(({ id }) => id === INITIAL_PROMPT) ?? initial.get(island)!;
    const random = rng(config.seed, 'prompt', step, groups?.[index] ?? index);
    const { id, text: ref } =
      branch === 'initialisation'
        ? first
        : operator === 'explore'
          ? drawPrompt(prompts, random)
          : exploitPrompt({
              rule: config.exploration.exploitPrompt,
              own: ownPrompt(parents.get(parent)?.prompt, first),
              population: prompts,
              rng: random,
            });
    const own = paid?.get(island)?.filter((one) => one.id !== id) ?? [];
    return {
      prompt: { id, text: ref },
      ...(operator === 'explore' && own.length > 0 ? { paid: own.slice(0, TOLD).map(({ id: _, ...one }) => one) } : {}),
    };
  });
};

/** So many other prompts are told to whoever edits one. */
const TOLD = 3;

/** What each prompt of an island gained, the best first, with the first line that its edit added. */
const paidOn = async (
  store: Store,
  prompts: PromptPopulation,
  direction: Task['direction'],
): Promise<readonly (NonNullable<GroupPlan['paid']>[number] & { readonly id: string })[]> => {
  const texts = await store.getTexts(prompts.map(({ text }) => text));
  const linesOf = (id: string | null): readonly string[] =>
    (texts.get(prompts.find((prompt) => prompt.id === id)?.text ?? '') ?? '').split('\n');
  return prompts
    .flatMap(({ id, parent, bestFit }) => {
      if (bestFit === null) return [];
      const before = new Set(linesOf(parent));
      const line = parent === null ? null : (linesOf(id).find((one) => one.trim() !== '' && !before.has(one)) ?? null);
      return [{ id, score: asFit(bestFit, direction), line: line?.trim().slice(0, LINE) ?? null, bestFit }];
    })
    .sort((a, b) => b.bestFit - a.bestFit)
    .map(({ bestFit: _, ...one }) => one);
};

const LINE = 200;

/**
 * The prompt that made the parent. The initial prompt of another island came with a migrant: it is used, and no program
 * of this island counts for this island's own.
 */
const ownPrompt = (
  made: NonNullable<GroupPlan['prompt']> | undefined,
  initial: NonNullable<GroupPlan['prompt']>,
): NonNullable<GroupPlan['prompt']> =>
  made === undefined
    ? initial
    : made.id === INITIAL_PROMPT && made.text !== initial.text
      ? { id: `${INITIAL_PROMPT} of another island`, text: made.text }
      : made;
