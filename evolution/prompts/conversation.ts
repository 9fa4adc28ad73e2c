// The chat of method `code`, with ancestors as earlier turns (CodeEvolve 4.2; docs/methods/codeevolve.md).
import type { DiffSettings } from '../config/run-config.ts';
import { readAnswer } from '../edits/diff.ts';
import type { Operator } from '../exploration/schedule.ts';
import type { Task, TaskLimits } from '../task/task.ts';
import type { Message } from '../types.ts';
import { type Aim, ceilingWords } from './parts/aim.ts';
import { sharedValues } from './parts/contents.ts';
import type { EditSettings, Hint } from './parts/sections.ts';
import { sizeOf } from './parts/statement.ts';
import { ShownCode } from './parts/shown-code.ts';
import { renderSection, type TemplateOf, type ValuesOf } from './parts/template.ts';

/** An earlier turn of the chat. `response` is what turned this ancestor into its child, as the model gave it. */
export type Ancestor = { readonly card: string; readonly response: string };

/** A program with its results; `show` gives its code in another form. */
export type Card = (show?: (code: string) => string) => string;

type TokenBudget = {
  /** Null where there is no limit. */
  readonly maxPromptTokens: number | null;
  /** The tokens of one text; a message costs what its content does. */
  readonly estimateTokens: (text: string) => number;
};

export type ConversationParts = {
  /** Problem and limits, which stand before the prompt; empty for a task without a statement of its own. */
  readonly problem?: string | undefined;
  /** The evolved prompt; it stands in the system message byte for byte. */
  readonly prompt: string;
  /** The section `# Limits` after the prompt; when left out, in the paper's words. Empty where `problem` has it. */
  readonly limitsText?: string | undefined;
  /** The code of the program to change; without markers the whole of it is open. */
  readonly code: string;
  readonly task: Pick<Task, 'scoreName' | 'direction'>;
  readonly limits: Pick<TaskLimits, 'cpuSeconds' | 'memoryBytes'>;
  readonly settings: EditSettings & Pick<DiffSettings, 'strict'>;
  /** A group that exploits refines, one that explores looks for another paradigm. */
  readonly operator: Operator;
  /** Oldest first, without the target. There are none where the group explores, and none in the initial phase. */
  readonly ancestors: readonly Ancestor[];
  /** The cards of other programs. */
  readonly inspirations: readonly Card[];
  /** The card of the program to change. */
  readonly target: string;
  /** The card of the target's latest failed child; null where there is none, or `failureContext` is off. */
  readonly failure: Card | null;
  /** The attempts on the target, with so many of the latest; left out in the paper's form. */
  readonly tried?:
    | { readonly attempts: number; readonly text: (attempts: number, codes: ShownCode) => string }
    | undefined;
  /** The rank of the target and what stands at a ceiling, in the common frame. */
  readonly aim?: Aim | undefined;
  /** Lines of the target that an ancestor had deleted and that came back. */
  readonly reintroduced?: readonly string[];
  /** An idea to carry out. */
  readonly idea?: string | null;
  readonly hints?: readonly Hint[];
  /** The place of the answer in a response; left out: behind the reasoning. */
  readonly parse?: DiffSettings['parse'] | undefined;
  readonly budget: TokenBudget;
};

export type Conversation = {
  /** System, then user and assistant in turn, a user last: 2 * ancestors + 2 messages. */
  readonly messages: readonly Message[];
  /** The parts left out to keep the budget. */
  readonly dropped: { readonly ancestors: number; readonly inspirations: number };
  /** An estimate. */
  readonly tokens: number;
  /** It exceeds the budget even so: no text is ever cut. */
  readonly overBudget: boolean;
};

/** To keep the budget, the oldest ancestors are dropped one by one, then the last inspirations, then the oldest attempts. */
export const buildConversation = (parts: ConversationParts, template: TemplateOf<'conversation'>): Conversation => {
  const { maxPromptTokens, estimateTokens } = parts.budget;
  const limit = maxPromptTokens ?? Infinity;
  const costOf = (messages: readonly Message[]): number =>
    messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  let told = parts.tried?.attempts ?? 0;
  const requestOf = (shown: number): Message => ({
    role: 'user',
    content: renderSection(template, 'user', conversationValues(parts, shown, told, template)),
  });

  const depth = parts.ancestors.length;
  const turns = parts.ancestors.map((ancestor, index) =>
    turnOf(
      ancestor,
      renderSection(template, 'ancestor', ancestorValues(parts, ancestor.card, depth - index)),
      parts.parse ?? 'answer',
    ),
  );
  const costs = turns.map(costOf);
  const system: Message = {
    role: 'system',
    content: renderSection(template, 'system', conversationValues(parts, parts.inspirations.length, told, template)),
  };
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
  while (told > 0 && rest + history > limit) {
    told--;
    request = requestOf(shown);
    rest = fixed + estimateTokens(request.content);
  }
  return {
    messages: [system, ...turns.slice(first).flat(), request],
    dropped: { ancestors: first, inspirations: parts.inspirations.length - shown },
    tokens: rest + history,
    overBudget: rest + history > limit,
  };
};

/** `asked` says how far back the version is, which does not depend on what the budget drops. */
const turnOf = ({ response }: Ancestor, asked: string, parse: DiffSettings['parse']): readonly Message[] => [
  { role: 'user', content: asked },
  // Endpoints refuse an empty message.
  { role: 'assistant', content: readAnswer(response, parse).trim() || '(no answer)' },
];

/** The values for the system message and the last turn, with so many inspirations from the first on. */
const conversationValues = (
  parts: ConversationParts,
  shown: number,
  told: number,
  template: TemplateOf<'conversation'>,
): ValuesOf<'conversation', 'system' | 'user'> => {
  const {
    problem = '',
    prompt,
    limitsText = limitsOf(parts.limits),
    code,
    limits,
    settings,
    task,
    operator,
    inspirations,
    target,
    failure,
    aim,
    ...shared
  } = parts;
  const codes = new ShownCode(code);
  const card = (one: Card, name: string): string =>
    one(parts.tried === undefined ? undefined : (text) => codes.show(text, name));
  const failed = failure === null ? '' : card(failure, 'the latest failed attempt');
  const others = inspirations
    .slice(0, shown)
    .map((one, index) => `## Inspiration ${index + 1}\n\n${card(one, `Inspiration ${index + 1}`)}`);
  const goal: ValuesOf<'conversation', 'exploit' | 'explore'> = {
    answer_form: answerForm(settings),
    improves: `${task.direction === 'maximise' ? 'raises' : 'lowers'} ${task.scoreName}${aim?.rank ? ' beyond the best' : ''}`,
    score_name: task.scoreName,
    direction: task.direction,
  };
  return {
    ...sharedValues({ ...shared, task, settings }, code, codes),
    problem,
    prompt,
    limits: limitsText,
    parent: target,
    cpu_seconds: String(limits.cpuSeconds),
    memory: sizeOf(limits.memoryBytes),
    inspirations:
      shown === 0
        ? ''
        : [
            `# Inspirations\n\nOther programs of this search. Take from them what helps; the program to change stands ${parts.tried === undefined ? 'below' : 'above'}.`,
            ...others,
          ].join('\n\n'),
    failure:
      failure === null
        ? ''
        : `# Latest failed attempt\n\nThe latest change of this program that failed became the text below. Do not repeat its mistake.\n\n${failed}`,
    tried: parts.tried?.text(told, codes) ?? '',
    goal: [renderSection(template, operator, goal), ...ceilingWords(aim ?? {}, task)].join('\n\n'),
    answer_form: goal.answer_form,
  };
};

/** The values of an earlier turn. `back` is the number of changes between this version and the target. */
const ancestorValues = (
  { task }: ConversationParts,
  card: string,
  back: number,
): ValuesOf<'conversation', 'ancestor'> => ({
  parent: card,
  back: back === 1 ? 'the one' : `${back} changes`,
  score_name: task.scoreName,
  direction: task.direction,
});

const answerForm = ({ accept = 'edits' }: EditSettings): string =>
  ({
    edits: 'the SEARCH/REPLACE blocks',
    either: 'the SEARCH/REPLACE blocks or the whole new program',
    program: 'the whole new program',
  })[accept];

/** The limits in the words of the paper (CodeEvolve 4.2). */
const limitsOf = ({ cpuSeconds, memoryBytes }: ConversationParts['limits']): string =>
  `# Limits\n\nThe program is stopped after ${cpuSeconds} s of CPU time, or when it takes more than ${sizeOf(memoryBytes)} of memory.`;
