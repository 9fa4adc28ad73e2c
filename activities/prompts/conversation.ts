// Style `conversation`: the evolved prompt is the system message, ancestors are earlier turns, and other programs are
// inspirations (CodeEvolve 4.2; docs/methods/codeevolve.md, The conversation).
import { type Ancestor, buildConversation } from '../../evolution/prompts/conversation.ts';
import { adviceOf, limitsSection, problemOf } from '../../evolution/prompts/statement.ts';
import { triedSections } from '../../evolution/prompts/tried.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Task } from '../../evolution/task.ts';
import type { BlobRef, ProgramId } from '../../evolution/types.ts';
import { answersBehind } from '../store/calls.ts';
import type { Store } from '../store/store.ts';
import { initialPrompt } from './evolved-prompts.ts';
import { cardsOf } from './openevolve.ts';
import {
  hintsFor,
  partOf,
  returnedLines,
  shownIn,
  showPrograms,
  statedBy,
  type Style,
  type ToCompose,
} from './style.ts';
import { latestFailures, triedOn } from './tried.ts';

/** The estimate that the documentation of `prompt.maxTokens` states. */
const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

export const conversation: Style<'conversation'> = async (input, template) => {
  const { store, task, config, run, step, groups, ahead } = input;
  const plans = groups.map(({ plan }) => plan);
  const failedOf = config.prompt.failure ? await latestFailures({ store, run, beforeStep: step, ahead }) : () => null;
  const tried = await triedOn(input, plans);
  const failureOf = ({ plan }: ToCompose): ProgramId | null =>
    plan.founding === true ? null : failedOf(plan.parent, plan.island);
  const cards = await cardsOf(
    store,
    task,
    [...shownIn(plans), ...groups.flatMap((group) => failureOf(group) ?? [])],
    config.prompt,
  );
  const briefs = await cardsOf(
    store,
    task,
    groups.flatMap((group) => ancestorsOf(group).map(({ id }) => id)),
    {
      ...config.prompt,
      code: false,
    },
  );
  const parents = await showPrograms(
    store,
    plans.map(({ parent }) => parent),
  );
  const responses = await responsesTo(store, groups);
  const returned = config.prompt.reintroduced
    ? await returnedLines(
        store,
        plans.map(({ parent }) => parent),
      )
    : new Map<ProgramId, readonly string[]>();
  return groups.map((group, index) => {
    const { plan, idea, prompt } = group;
    const known = tried[index] ?? null;
    const failure = failureOf(group);
    return buildConversation(
      {
        ...systemOf(task, config, prompt ?? initialPromptOf(task, config, plan)),
        code: parents.get(plan.parent)!.code,
        task,
        limits: task.limits,
        settings: config.diff,
        operator: plan.operator ?? 'exploit',
        // In the common frame the code of an ancestor stands once: the answers between them say how it went on.
        ancestors: ancestorsOf(group).map(({ id, child }, place): Ancestor => ({
          card: (known !== null && place > 0 ? briefs : cards).get(id)!,
          response: responses.get(child) ?? '',
        })),
        inspirations: inspirationsOf(group, known !== null).map(
          ({ id, best }) => `${best ? 'This is the best program so far.\n\n' : ''}${cards.get(id)!}`,
        ),
        target: cards.get(plan.parent)!,
        failure: failure === null ? null : (cards.get(failure) ?? null),
        ...(known === null
          ? {}
          : {
              tried: {
                attempts: known.latest.length,
                text: (count) =>
                  triedSections(known, count === 0 ? [] : known.latest.slice(-count), {
                    task,
                    parent: parents.get(plan.parent)!,
                    ...config.prompt,
                  }),
              },
            }),
        returned: returned.get(plan.parent) ?? [],
        idea,
        hints: hintsFor(config, plan),
        parse: config.diff.parse,
        budget: { maxPromptTokens: config.prompt.maxTokens, estimateTokens },
      },
      template,
    ).messages;
  });
};

/** The prompt, and beside it what no edit of it can change. */
const systemOf = (task: Task, config: RunConfig, prompt: string) => {
  const by = statedBy(config);
  return {
    problem: problemOf(task, by),
    prompt: adviceOf(task, by, prompt),
    ...(task.problem == null && by.frame === 'common' ? { limitsText: limitsSection(task, by) } : {}),
    ...(task.problem == null ? {} : { limitsText: '' }),
  };
};

/** Where prompts do not evolve: the part that was drawn for the group; in the papers' form the island's first prompt. */
const initialPromptOf = (task: Task, config: RunConfig, plan: ToCompose['plan']): string =>
  config.prompt.frame === 'paper' && task.problem == null
    ? initialPrompt(task, config, plan.island)
    : partOf(task, plan).text;

/** All other programs that are shown beside the parent, whatever their role. In the common frame the best comes first. */
const inspirationsOf = (
  { plan: { priorPrograms, context = [] } }: ToCompose,
  common: boolean,
): readonly { readonly id: ProgramId; readonly best: boolean }[] => {
  const all = [
    ...priorPrograms.map((id) => ({ id, best: false })),
    ...context.flatMap(({ id, role }) => (role === 'ancestor' ? [] : [{ id, best: common && role === 'best' }])),
  ];
  // The common frame shows an ancestor once, as an earlier turn.
  const ancestors = new Set(common ? context.flatMap(({ id, role }) => (role === 'ancestor' ? [id] : [])) : []);
  const others = all.filter(({ id }) => !ancestors.has(id));
  return [...others.filter(({ best }) => best), ...others.filter(({ best }) => !best)];
};

/** Oldest first, each with the child that was made from it. */
const ancestorsOf = ({
  plan: { parent, context = [] },
}: ToCompose): readonly { readonly id: ProgramId; readonly child: ProgramId }[] => {
  const chain = context.flatMap(({ id, role }) => (role === 'ancestor' ? [id] : []));
  return chain.map((id, index) => ({ id, child: chain[index + 1] ?? parent }));
};

/** The response that each program was made from, by program. */
const responsesTo = async (store: Store, groups: readonly ToCompose[]): Promise<ReadonlyMap<ProgramId, string>> => {
  const answers = await answersBehind(store, [
    ...new Set(groups.flatMap((group) => ancestorsOf(group).map(({ child }) => child))),
  ]);
  const texts = await store.getTexts([...answers.values()].map(({ response }): BlobRef => response));
  return new Map([...answers].map(([id, { response }]) => [id, texts.get(response) ?? '']));
};
