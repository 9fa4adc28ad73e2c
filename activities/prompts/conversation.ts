// Style `conversation`: the evolved prompt as the system's, ancestors as earlier turns, other programs as inspirations (CodeEvolve, section 2,
// Conversation). Called by compose.ts.
import type { Ancestor } from '../../evolution/prompts/conversation-parts.ts';
import { buildConversation } from '../../evolution/prompts/conversation.ts';
import type { BlobRef, ProgramId } from '../../evolution/types.ts';
import type { Store } from '../store/store.ts';
import { cardsOf } from './cards.ts';
import { initialPrompt } from './initial-prompt.ts';
import { createLatestFailures } from './latest-failures.ts';
import { hintsFor } from './parts.ts';
import { returnedLines, showPrograms, shownIn } from './shown-programs.ts';
import type { Style, ToCompose } from './style.ts';

const latestFailures = createLatestFailures();

/** As docs say of `prompt.maxTokens`. */
const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

export const conversation: Style<'conversation'> = async ({ store, task, config, run, step, groups, ahead }, template) => {
  const plans = groups.map(({ plan }) => plan);
  const failedOf = config.prompt.failure ? await latestFailures({ store, run, beforeStep: step, ahead }) : () => null;
  const failureOf = ({ plan }: ToCompose): ProgramId | null => (plan.founding === true ? null : failedOf(plan.parent, plan.island));
  const cards = await cardsOf(store, task, [...shownIn(plans), ...groups.flatMap((group) => failureOf(group) ?? [])], config.prompt);
  const parents = await showPrograms(store, plans.map(({ parent }) => parent));
  const responses = await responsesTo(store, groups);
  const returned = config.prompt.reintroduced ? await returnedLines(store, plans.map(({ parent }) => parent)) : new Map<ProgramId, readonly string[]>();
  return groups.map((group) => {
    const { plan, idea, prompt } = group;
    const failure = failureOf(group);
    return buildConversation({
      prompt: prompt ?? initialPrompt(task), code: parents.get(plan.parent)!.code, task, limits: task.limits, settings: config.diff, operator: plan.operator ?? 'exploit',
      ancestors: ancestorsOf(group).map(({ id, child }): Ancestor => ({ card: cards.get(id)!, response: responses.get(child) ?? '' })),
      inspirations: inspirationsOf(group).map((id) => cards.get(id)!),
      target: cards.get(plan.parent)!,
      failure: failure === null ? null : cards.get(failure) ?? null,
      returned: returned.get(plan.parent) ?? [], idea, hints: hintsFor(config, plan), parse: config.diff.parse,
      budget: { maxPromptTokens: config.prompt.maxTokens, estimateTokens },
    }, template).messages;
  });
};

/** Every other program beside the parent, of whatever kind. */
const inspirationsOf = ({ plan: { priorPrograms, context = [] } }: ToCompose): readonly ProgramId[] =>
  [...priorPrograms, ...context.flatMap(({ id, role }) => (role === 'ancestor' ? [] : [id]))];

/** Oldest first, each with the child that it was turned into. */
const ancestorsOf = ({ plan: { parent, context = [] } }: ToCompose): readonly { readonly id: ProgramId; readonly child: ProgramId }[] => {
  const chain = context.flatMap(({ id, role }) => (role === 'ancestor' ? [id] : []));
  return chain.map((id, index) => ({ id, child: chain[index + 1] ?? parent }));
};

/** What the model answered, by the program that came of it. */
const responsesTo = async (store: Store, groups: readonly ToCompose[]): Promise<ReadonlyMap<ProgramId, string>> => {
  const rollouts = await store.getRollouts([...new Set(groups.flatMap((group) => ancestorsOf(group).map(({ child }) => child)))]);
  const texts = await store.getTexts([...rollouts.values()].map(({ response }): BlobRef => response));
  return new Map([...rollouts].map(([id, { response }]) => [id, texts.get(response) ?? '']));
};
