// What a model reads under `code`: a chat in which the ancestors of the program are earlier turns (CodeEvolve, section 2, Conversation). Called when
// a step of `code` is planned. Cards are texts (program-card.ts).
import type { DiffSettings } from '../config/run-config.ts';
import { readAnswer } from '../diff.ts';
import { ancestorValues, conversationValues } from './code-texts.ts';
import type { Ancestor, ConversationParts } from './conversation-parts.ts';
import { renderSection, type TemplateOf } from './template.ts';

export type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

export type Conversation = {
  /** System, then user and assistant in turn, a user last: 2 * ancestors + 2. */
  readonly messages: readonly Message[];
  /** What the budget left out. */
  readonly dropped: { readonly ancestors: number; readonly inspirations: number };
  /** Estimated. */
  readonly tokens: number;
  /** Whether it is more than the budget even so: nothing else may be dropped, and no text is ever cut. */
  readonly overBudget: boolean;
};

/** The budget drops the oldest ancestors one by one, then the last inspirations. */
export const buildConversation = (parts: ConversationParts, template: TemplateOf<'conversation'>): Conversation => {
  const { maxPromptTokens, estimateTokens } = parts.budget;
  const limit = maxPromptTokens ?? Infinity;
  const costOf = (messages: readonly Message[]): number => messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const requestOf = (shown: number): Message => ({ role: 'user', content: renderSection(template, 'user', conversationValues(parts, shown, template)) });

  const depth = parts.ancestors.length;
  const turns = parts.ancestors.map((ancestor, index) => turnOf(ancestor, renderSection(template, 'ancestor', ancestorValues(parts, ancestor.card, depth - index)), parts.parse ?? 'answer'));
  const costs = turns.map(costOf);
  const system: Message = { role: 'system', content: renderSection(template, 'system', conversationValues(parts, parts.inspirations.length, template)) };
  const fixed = estimateTokens(system.content);
  let shown = parts.inspirations.length;
  let request = requestOf(shown);
  let rest = fixed + estimateTokens(request.content);
  let first = 0;
  let history = costs.reduce((sum, cost) => sum + cost, 0);
  for (; first < turns.length && rest + history > limit; first++) history -= costs[first]!;
  if (first === turns.length) history = 0;
  while (shown > 0 && rest + history > limit) {
    request = requestOf(--shown);
    rest = fixed + estimateTokens(request.content);
  }
  return {
    messages: [system, ...turns.slice(first).flat(), request],
    dropped: { ancestors: first, inspirations: parts.inspirations.length - shown },
    tokens: rest + history,
    overBudget: rest + history > limit,
  };
};

/** `asked`: says how far back the version is, which does not depend on what the budget drops. */
const turnOf = ({ response }: Ancestor, asked: string, parse: DiffSettings['parse']): readonly Message[] => [
  { role: 'user', content: asked },
  // Endpoints refuse an empty message.
  { role: 'assistant', content: readAnswer(response, parse).trim() || '(no answer)' },
];
