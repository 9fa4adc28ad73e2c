// The contents of a request for programs that are the same in all styles, and their values in templates.
import type { PromptSettings } from '../../config/run-config.ts';
import type { Task } from '../../task/task.ts';
import type { Telling } from './program-card.ts';
import { editRules, type EditSettings, type Hint, hintSection, quoted, reintroducedSection } from './sections.ts';
import { patchSection } from '../patch.ts';
import { ShownCode } from './shown-code.ts';
import { joined, type Statement } from './statement.ts';
import type { Tried } from './tried.ts';

export type Contents = Telling & {
  readonly task: Task;
  readonly stated: Statement;
  /** The attempts on the parent; null in the papers' form. */
  readonly tried?: Tried | null;
  /** Lines of the parent that an ancestor had deleted and that came back. */
  readonly reintroduced?: readonly string[];
  /** An idea to carry out. */
  readonly idea?: string | null;
  readonly hints?: readonly Hint[];
  /** `random`: programs beside the parent are drawn from all, so no words call them good or diverse. */
  readonly draw?: PromptSettings['draw'];
  readonly settings?: EditSettings;
  /** The longest prompt in tokens; beyond it programs are dropped whole, then the oldest attempts. */
  readonly maxTokens?: number | null;
};

const SETTINGS: EditSettings = { enforceBlock: true, maxCodeChars: 50_000 };

type Shared = Pick<Contents, 'reintroduced' | 'idea' | 'hints' | 'settings'> & {
  readonly task: Pick<Task, 'scoreName' | 'direction'>;
  /** In the papers' form the words for a patch stand before the rules; else beside the hints, so that rules repeat. */
  readonly tried?: unknown;
};

/** `code` is the program to change; `shown` are the programs above. */
export const sharedValues = (
  { task, reintroduced = [], idea = null, hints = [], settings = SETTINGS, tried = null }: Shared,
  code: string,
  shown = new ShownCode(code),
) => {
  const patch = settings.patch === undefined ? '' : patchSection(settings.patch, tried === null ? null : shown);
  const rules = editRules(code, settings, tried !== null);
  return {
    returned: reintroduced.length === 0 ? '' : reintroducedSection(reintroduced),
    idea: idea === null ? '' : ideaSection(idea),
    edit_rules: tried === null ? joined(patch, rules) : rules,
    hints: joined(tried === null ? '' : patch, hintSection(hints)),
    score_name: task.scoreName,
    direction: task.direction,
  };
};

/** The values of the problem, whole and by its parts. */
export const statedValues = ({ problem, advice }: Statement) => ({
  task: joined(problem, advice).trim(),
  problem: problem.trim(),
  advice,
});

/** The idea is quoted, so that fences and markers in it are mere words. */
export const ideaSection = (idea: string): string => `# Proposal\n\nCarry out this idea:\n\n${quoted(idea)}`;
