// Style `conversation`: the evolved prompt is the system message, ancestors are earlier turns, and other programs are
// inspirations (CodeEvolve 4.2; docs/methods/codeevolve.md, The conversation).
import { type Ancestor, buildConversation, type Card } from '../../../../evolution/prompts/conversation.ts';
import { adviceOf, limitsSection, statementOf } from '../../../../evolution/prompts/parts/statement.ts';
import { fencedProgram } from '../../../../evolution/prompts/parts/sections.ts';
import { ShownCode } from '../../../../evolution/prompts/parts/shown-code.ts';
import { type Tried, triedSections } from '../../../../evolution/prompts/parts/tried.ts';
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { BlobRef, ProgramId } from '../../../../evolution/types.ts';
import { answersBehind } from '../../../store/content/calls.ts';
import type { GroupPlan } from '../../../store/documents/step-documents.ts';
import type { Store } from '../../../store/store.ts';
import { initialPrompt } from './evolved-prompts.ts';
import { cardsOf } from './openevolve.ts';
import { readGroups } from './read-groups.ts';
import { idsWith, insteadOf, partOf, shownIn, statedBy, type Style } from './style.ts';
import { latestFailures } from './tried.ts';

/** The estimate that the documentation of `prompt.maxTokens` states. */
const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

export const conversation: Style<'conversation'> = async (input, template) => {
  const { store, task, config, run, step, ahead } = input;
  const { groups } = await readGroups(input, () => []);
  const failedOf = config.prompt.failure ? await latestFailures({ store, run, beforeStep: step, ahead }) : () => null;
  const failureOf = ({ parent, island, founding }: GroupPlan): ProgramId | null =>
    founding === true ? null : failedOf(parent, island);
  const plans = groups.map(({ plan }) => plan);
  const cards = await cardsOf(
    store,
    task,
    [...shownIn(plans), ...plans.flatMap((plan) => failureOf(plan) ?? [])],
    config.prompt,
  );
  const responses = await responsesTo(store, plans);
  return groups.map(({ group: { prompt }, plan, parent, contents }) => {
    const { tried, reintroduced, idea, hints, settings } = contents;
    const failure = failureOf(plan);
    const current = new ShownCode(parent.code);
    /** In the common frame an ancestor that is much like the program does not stand beside it. */
    const earlier = (code: string, place: number): string =>
      place > 0 || current.hasAlike(code) ? EARLIER : fencedProgram(code);
    return buildConversation(
      {
        ...systemOf(task, config, insteadOf(task, config, { prompt, idea }) ?? initialPromptOf(task, config, plan)),
        code: parent.code,
        task,
        limits: task.limits,
        settings,
        // Of the initial program nothing is worth refining.
        operator: tried?.mode === 'initial' ? 'explore' : (plan.operator ?? 'exploit'),
        ancestors: ancestorsOf(plan).map(({ id, child }, place): Ancestor => ({
          card: cards.get(id)!(tried === null ? undefined : (code) => earlier(code, place)),
          response: responses.get(child) ?? '',
        })),
        inspirations: inspirationsOf(plan, tried !== null).map(({ id, best }): Card => {
          const card = cards.get(id)!;
          return best ? (show) => `This is the best program so far.\n\n${card(show)}` : card;
        }),
        target: cards.get(plan.parent)!(),
        failure: failure === null ? null : (cards.get(failure) ?? null),
        ...(tried === null ? {} : { tried: attemptsOf(tried, { task, parent, ...config.prompt }), aim: tried }),
        reintroduced,
        idea,
        hints,
        parse: config.diff.parse,
        budget: { maxPromptTokens: config.prompt.maxTokens, estimateTokens },
      },
      template,
    ).messages;
  });
};

/** In the place of the code of an ancestor. */
const EARLIER =
  'Its code is that of the current program at the end, without what the answer below and later ones change.';

/** The attempts on the parent, as many of the latest as there is room for. */
const attemptsOf = (tried: Tried, of: Parameters<typeof triedSections>[2]) => ({
  attempts: tried.latest.length,
  text: (count: number, codes: ShownCode) =>
    triedSections(tried, count === 0 ? [] : tried.latest.slice(-count), { ...of, codes }),
});

/** The prompt, and beside it what no edit of it can change. */
const systemOf = (task: Task, config: RunConfig, prompt: string) => {
  const by = statedBy(config);
  if (task.problem != null) {
    const { problem, advice } = statementOf(task, by, prompt);
    return { problem, prompt: advice, limitsText: '' };
  }
  return {
    problem: '',
    prompt: adviceOf(task, by, prompt),
    ...(by.frame === 'common' ? { limitsText: limitsSection(task, by) } : {}),
  };
};

/**
 * The prompt of runs whose prompts do not evolve: the part drawn for the group; in the papers' form the island's first
 * prompt.
 */
const initialPromptOf = (task: Task, config: RunConfig, plan: GroupPlan): string =>
  config.prompt.frame === 'paper' && task.problem == null
    ? initialPrompt(task, config, plan.island)
    : partOf(task, plan).text;

/**
 * All other programs that are shown beside the parent, whatever their role. In the common frame the best comes first.
 */
const inspirationsOf = (
  { priorPrograms, context = [] }: GroupPlan,
  common: boolean,
): readonly { readonly id: ProgramId; readonly best: boolean }[] => {
  const all = [
    ...priorPrograms.map((id) => ({ id, best: false })),
    ...context.flatMap(({ id, role }) => (role === 'ancestor' ? [] : [{ id, best: common && role === 'best' }])),
  ];
  // The common frame shows an ancestor once, as an earlier turn.
  const ancestors = new Set(common ? idsWith({ context }, 'ancestor') : []);
  const others = all.filter(({ id }) => !ancestors.has(id));
  return [...others.filter(({ best }) => best), ...others.filter(({ best }) => !best)];
};

/** Oldest first, each with the child that was made from it. */
const ancestorsOf = (plan: GroupPlan): readonly { readonly id: ProgramId; readonly child: ProgramId }[] =>
  idsWith(plan, 'ancestor').map((id, index, chain) => ({ id, child: chain[index + 1] ?? plan.parent }));

/** The response that each program was made from, by program. */
const responsesTo = async (store: Store, plans: readonly GroupPlan[]): Promise<ReadonlyMap<ProgramId, string>> => {
  const answers = await answersBehind(store, [
    ...new Set(plans.flatMap((plan) => ancestorsOf(plan).map(({ child }) => child))),
  ]);
  const texts = await store.getTexts([...answers.values()].map(({ response }): BlobRef => response));
  return new Map([...answers].map(([id, { response }]) => [id, texts.get(response) ?? '']));
};
