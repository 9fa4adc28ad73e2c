// What a model reads under `code`: a chat in which the ancestors of the program are earlier turns (CodeEvolve, section 2, Conversation). Called when
// a step of `code` is planned. Cards are texts (program-card.ts), system and request too (code-texts.ts).
import type { DiffSettings } from '../config/run-config.ts';
import { readAnswer } from '../diff.ts';
import { hintSection } from './hint-section.ts';

export type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

/** `response`: what turned this ancestor into its child, as the model gave it. */
export type Ancestor = { readonly card: string; readonly response: string };

export type TokenBudget = {
  /** Null: no limit. */
  readonly maxPromptTokens: number | null;
  /** Of one text; a message costs what its content does. */
  readonly estimateTokens: (text: string) => number;
};

export type ConversationParts = {
  readonly system: string;
  /** Oldest first, without the target; none where the operator explores and in the initial phase. */
  readonly ancestors: readonly Ancestor[];
  /** Cards of other programs. */
  readonly inspirations: readonly string[];
  /** Card of the program to change. */
  readonly target: string;
  /** Card of the target's latest failed child; null: none, or `failureContext` is off. */
  readonly failure: string | null;
  readonly request: string;
  /** What people ask of the model. */
  readonly hints?: readonly string[] | undefined;
  /** Where answers are in responses; left out: after the reasoning. */
  readonly parse?: DiffSettings['parse'] | undefined;
  readonly budget: TokenBudget;
};

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
export const buildConversation = (parts: ConversationParts): Conversation => {
  const { maxPromptTokens, estimateTokens } = parts.budget;
  const limit = maxPromptTokens ?? Infinity;
  const costOf = (messages: readonly Message[]): number => messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);

  const turns = parts.ancestors.map((ancestor, index) => turnOf(ancestor, { back: parts.ancestors.length - index, parse: parts.parse ?? 'answer' }));
  const costs = turns.map(costOf);
  const system: Message = { role: 'system', content: parts.system };
  const fixed = estimateTokens(parts.system);
  let shown = parts.inspirations.length;
  let request = requestOf(parts, shown);
  let rest = fixed + estimateTokens(request.content);
  let first = 0;
  let history = costs.reduce((sum, cost) => sum + cost, 0);
  for (; first < turns.length && rest + history > limit; first++) history -= costs[first]!;
  if (first === turns.length) history = 0;
  while (shown > 0 && rest + history > limit) {
    request = requestOf(parts, --shown);
    rest = fixed + estimateTokens(request.content);
  }
  return {
    messages: [system, ...turns.slice(first).flat(), request],
    dropped: { ancestors: first, inspirations: parts.inspirations.length - shown },
    tokens: rest + history,
    overBudget: rest + history > limit,
  };
};

/** `back`: so many changes before the target; says so, and does not depend on what the budget drops. */
const turnOf = ({ card, response }: Ancestor, { back, parse }: { readonly back: number; readonly parse: DiffSettings['parse'] }): readonly Message[] => [
  { role: 'user', content: `# Earlier version\n\nThis is an earlier version, ${back === 1 ? 'the one' : `${back} changes`} before the present program.\n\n${card}\n\nChange it.` },
  // Endpoints refuse an empty message.
  { role: 'assistant', content: readAnswer(response, parse).trim() || '(no answer)' },
];

const requestOf = ({ inspirations, target, failure, request, hints = [] }: ConversationParts, shown: number): Message => ({
  role: 'user',
  content: [
    ...(shown === 0 ? [] : ['# Inspirations\n\nOther programs of this search. Take from them what helps; the program to change stands below.']),
    ...inspirations.slice(0, shown).map((card, index) => `## Inspiration ${index + 1}\n\n${card}`),
    `# Current program\n\n${target}`,
    ...(failure === null ? [] : [`# Latest failed attempt\n\nThe latest change of this program that failed became the text below. Do not repeat its mistake.\n\n${failure}`]),
    ...(hints.length === 0 ? [] : [hintSection(hints)]),
    request,
  ].join('\n\n'),
});
