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
import { cardOf } from './openevolve.ts';
import { readGroups } from './read-groups.ts';
import { idsWith, insteadOf, partOf, shownIn, type Shown, statedBy, type Style } from './style.ts';
import { latestFailures } from './tried.ts';

/** The estimate that the documentation of `prompt.maxTokens` states. */
const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

export const conversation: Style<'conversation'> = async (input, template) => {
  const { store, task, config, run, step, ahead } = input;
  const failedOf = config.prompt.failure ? await latestFailures({ store, run, beforeStep: step, ahead }) : () => null;
  const failureOf = ({ parent, island, founding }: GroupPlan): ProgramId | null =>
    founding === true ? null : failedOf(parent, island);
  const { shown, groups } = await readGroups(input, (plans) => [
    ...shownIn(plans),
    ...plans.flatMap((plan) => failureOf(plan) ?? []),
  ]);
  const responses = await responsesTo(
    store,
    groups.map(({ plan }) => plan),
  );
  return groups.map(({ group: { prompt }, plan, parent, contents }) => {
    const { tried, reintroduced, idea, hints, settings } = contents;
    const failure = failureOf(plan);
    const current = new ShownCode(parent.code);
    const best = tried === null || config.prompt.draw === 'random' ? null : bestOf(shownIn([plan]), shown);
    const card = (id: ProgramId): Card => {
      const made = cardOf(task, id === plan.parent ? parent : shown.get(id)!, config.prompt, {
        briefly: id !== plan.parent && id !== best,
      });
      return id === best && id !== plan.parent ? (show) => `This is the best program so far.\n\n${made(show)}` : made;
    };
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
          card: card(id)(tried === null ? undefined : (code) => earlier(code, place)),
          response: responses.get(child) ?? '',
        })),
        inspirations: inspirationsOf(plan, best, tried !== null).map(card),
        target: card(plan.parent)(),
        failure: failure === null || !shown.has(failure) ? null : card(failure),
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

/** The best of these; in the common frame it is the best of the search or the island, which is among them. */
const bestOf = (ids: readonly ProgramId[], shown: ReadonlyMap<ProgramId, Shown>): ProgramId | null =>
  ids.reduce<{ readonly id: ProgramId | null; readonly fit: number }>(
    (best, id) => {
      const fit = shown.get(id)?.program.fit ?? -Infinity;
      return fit > best.fit ? { id, fit } : best;
    },
    { id: null, fit: -Infinity },
  ).id;

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
 * All other programs that are shown beside the parent, whatever their role. In the common frame the best comes first,
 * and an ancestor is shown once, as an earlier turn.
 */
const inspirationsOf = (
  { priorPrograms, context = [] }: GroupPlan,
  best: ProgramId | null,
  common: boolean,
): readonly ProgramId[] => {
  const all = [...priorPrograms, ...context.flatMap(({ id, role }) => (role === 'ancestor' ? [] : [id]))];
  const ancestors = new Set(common ? idsWith({ context }, 'ancestor') : []);
  const others = all.filter((id) => !ancestors.has(id));
  return [...others.filter((id) => id === best), ...others.filter((id) => id !== best)];
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
