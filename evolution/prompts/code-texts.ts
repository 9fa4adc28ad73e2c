// The fixed words of `code`: what the system message holds beside the prompt, and the two requests (CodeEvolve, section 2, Conversation). Called when a
// step of `code` is planned.
import type { DiffSettings } from '../config/run-config.ts';
import type { Operator } from '../exploration/operator.ts';
import type { Task, TaskLimits } from '../task.ts';
import { editRules } from './edit-rules.ts';

export type SystemParts = {
  /** Stands first, byte for byte. */
  readonly prompt: string;
  /** Of the program to change: without markers the whole of it is open. */
  readonly code: string;
  readonly limits: Pick<TaskLimits, 'cpuSeconds' | 'memoryBytes'>;
  readonly settings: Pick<DiffSettings, 'enforceBlock' | 'maxCodeChars' | 'strict'>;
};

export const systemText = ({ prompt, code, limits, settings }: SystemParts): string => [
  prompt,
  [
    editRules(code, settings),
    ...(settings.strict ? ['- One block that does not match rejects the whole answer.'] : []),
  ].join('\n'),
  `# Limits\n\nThe program is stopped after ${limits.cpuSeconds} s of CPU time, or when it takes more than ${memory(limits.memoryBytes)} of memory.`,
].join('\n\n');

const memory = (bytes: number): string => (bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30} GiB` : `${Math.floor(bytes / 2 ** 20)} MiB`);

/** Exploiting refines, exploring looks for another paradigm. */
export const requestText = (operator: Operator, { scoreName, direction }: Pick<Task, 'scoreName' | 'direction'>): string => {
  const goal = `${direction === 'maximise' ? 'raises' : 'lowers'} ${scoreName}`;
  return operator === 'exploit'
    ? [
      '# Task', '',
      `Refine the current program, so that the next version ${goal}. Go on from what its earlier versions and their results show: keep what worked, leave what did not.`,
      'Prefer precise changes of the parts that limit the result. Say briefly what you change and why, then write the SEARCH/REPLACE blocks.',
    ].join('\n')
    : [
      '# Task', '',
      `Explore: change the current program into one that follows another paradigm and that way ${goal}. Another algorithm, another representation or another kind of mathematics is wanted, not a repair and not a tuned constant.`,
      'A first version that works and can be refined later is enough. Say briefly what the new approach is, then write the SEARCH/REPLACE blocks.',
    ].join('\n');
};
