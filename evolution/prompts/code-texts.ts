// What the placeholders of the style `conversation` stand for (CodeEvolve, section 2, Conversation). Called by conversation.ts.
import { hintSection } from './hint-section.ts';
import type { ConversationParts } from './conversation-parts.ts';
import { editRules, type EditSettings } from './edit-rules.ts';
import type { ValuesOf } from './placeholders.ts';
import { reintroducedSection } from './reintroduced-section.ts';
import { renderSection, type TemplateOf } from './template.ts';
import { ideaSection } from './theta-prompt.ts';

/** Of the system message and of the last turn, with so many of the inspirations, from the first. */
export const conversationValues = (parts: ConversationParts, shown: number, template: TemplateOf<'conversation'>): ValuesOf<'conversation', 'system' | 'user'> => {
  const { prompt, code, limits, settings, task, operator, inspirations, target, failure, returned = [], idea = null, hints = [] } = parts;
  const goal: ValuesOf<'conversation', 'exploit' | 'explore'> = {
    answer_form: answerForm(settings), improves: `${task.direction === 'maximise' ? 'raises' : 'lowers'} ${task.scoreName}`, score_name: task.scoreName, direction: task.direction,
  };
  return {
    prompt, parent: target, edit_rules: rules(code, settings), cpu_seconds: String(limits.cpuSeconds), memory: memory(limits.memoryBytes),
    inspirations: shown === 0 ? '' : [
      '# Inspirations\n\nOther programs of this search. Take from them what helps; the program to change stands below.',
      ...inspirations.slice(0, shown).map((card, index) => `## Inspiration ${index + 1}\n\n${card}`),
    ].join('\n\n'),
    failure: failure === null ? '' : `# Latest failed attempt\n\nThe latest change of this program that failed became the text below. Do not repeat its mistake.\n\n${failure}`,
    hints: hints.length === 0 ? '' : hintSection(hints),
    returned: returned.length === 0 ? '' : reintroducedSection(returned),
    idea: idea === null ? '' : ideaSection(idea),
    goal: renderSection(template, operator, goal), answer_form: goal.answer_form, score_name: task.scoreName, direction: task.direction,
  };
};

/** `back`: so many changes before the target. */
export const ancestorValues = ({ task }: ConversationParts, card: string, back: number): ValuesOf<'conversation', 'ancestor'> =>
  ({ parent: card, back: back === 1 ? 'the one' : `${back} changes`, score_name: task.scoreName, direction: task.direction });

const rules = (code: string, settings: ConversationParts['settings']): string => [
  editRules(code, settings),
  ...(settings.strict && settings.accept !== 'program' ? ['- One block that does not match rejects the whole answer.'] : []),
].join('\n');

const answerForm = ({ accept = 'edits' }: EditSettings): string =>
  ({ edits: 'the SEARCH/REPLACE blocks', either: 'the SEARCH/REPLACE blocks or the whole new program', program: 'the whole new program' })[accept];

const memory = (bytes: number): string => (bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30} GiB` : `${Math.floor(bytes / 2 ** 20)} MiB`);
