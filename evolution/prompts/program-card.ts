// A program as the prompts of `code` show it: metrics, exit code, code, the end of its error output (CodeEvolve, section 2, Conversation). Called
// when a prompt of `code` is built. The code is never cut.
import type { Evaluation } from '../evaluation.ts';
import type { Task } from '../task.ts';
import { editNotes, type EditNote } from './edit-notes.ts';
import { fenced, fencedProgram } from './fenced.ts';
import { maskOf } from './masking.ts';
import { metricsLine, showNumber, type Telling } from './metrics-line.ts';
import type { ShownProgram } from './shown-program.ts';

export type CardProgram = ShownProgram & {
  /** Null: it was not run, or was killed. */
  readonly exitCode: number | null;
  /** What went wrong, in full; empty where nothing did. */
  readonly error: string;
  /** Blocks of the answer that made it which went wrong. */
  readonly edits?: readonly EditNote[] | undefined;
};

/** Characters of error output shown, counted from its end (CodeEvolve, section 2; D). */
export const ERROR_TAIL = 2_000;

/** What an evaluation has to say about what went wrong. */
export const errorOf = ({ reasons, stderrTail }: Pick<Evaluation, 'reasons' | 'stderrTail'>): string =>
  [...reasons, stderrTail].map((text) => text.trim()).filter((text) => text !== '').join('\n');

/** Without a heading: whoever shows the card gives it one, and nothing between the heading and the code looks like one. What `scores` and
 *  `feedback` keep back is not said; the code stays as it is. */
export const programCard = (task: Task, { exitCode, error: output, edits = [], ...program }: CardProgram, telling: Telling = {}): string => {
  const { scores = 'shown', feedback = 'full' } = telling;
  if (feedback !== 'full') return [metricsLine(task, program, telling), fencedProgram(program.code)].filter((part) => part !== '').join('\n\n');
  const error = maskOf([program], scores).output(output);
  // metricsLine has shown these two, the measured time in quarters of the limit.
  const others = scores === 'masked' ? [] : Object.entries(program.metrics).filter(([name]) => name !== 'runtime_s' && name !== task.scoreName)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? showNumber(value) : value}`);
  return [
    [metricsLine(task, program, telling), ...others, ...(exitCode === null ? [] : [`exit code = ${exitCode}`])].join(', '),
    fencedProgram(program.code),
    ...(error.trim() === '' ? [] : [errorSection(error.trim())]),
    ...(edits.length === 0 ? [] : [`Edits that went wrong when it was made\n\n${fenced(editNotes(edits), 'text')}`]),
  ].join('\n\n');
};

const errorSection = (error: string): string => {
  const tail = error.slice(-ERROR_TAIL).toWellFormed();
  const what = tail.length < error.length ? `The last ${tail.length} of ${error.length} characters of its error output` : 'Its error output';
  return `${what}\n\n${fenced(tail, 'text')}`;
};
