// The end of what a program printed, as requests show it in the common frame: visible text, as much as the task allows,
// and never data that were drawn for the run (docs/tasks.md, printed).
import type { Evaluation } from '../../scoring/evaluation.ts';
import { spentText } from '../../scoring/spent.ts';
import type { Task } from '../../task/task.ts';
import { visible } from '../../visible.ts';

/** The characters that are shown where the task says nothing. */
const MOST = 2_000;
/** Lines of a traceback that hold nothing but places in the program. */
const PLACE = /^(?:Traceback \(most recent call last\):| {2}File "[^"]{1,200}", line \d+(?:, in [\w.<>]{1,100})?)$/;

type Shows = Pick<Task, 'data' | 'printed'>;

type Printed = Pick<Evaluation, 'outcome' | 'stderrTail' | 'loadTail' | 'profile' | 'saves' | 'score'>;

/**
 * The part that may be shown, and before it where the time went, which is by the program's word too. A failed program
 * also has the places of its traceback.
 */
export const printedOf = (
  { data, printed: most = MOST, direction }: Shows & Pick<Task, 'direction'>,
  evaluation: Printed,
): string => {
  const { outcome, stderrTail, loadTail = '' } = evaluation;
  const shown = most === 0 ? '' : lines(data === 'drawn' ? loadTail : stderrTail).join('\n');
  const isWhole = most > 0 && data !== 'drawn';
  const places = isWhole || outcome === 'valid' ? [] : lines(stderrTail).filter((line) => PLACE.test(line));
  const spent = isWhole ? spentText(evaluation, direction, true) : '';
  return visible(
    [...(spent === '' ? [] : [`(measured: ${spent})`]), wholeLines(shown.trim(), most), ...places]
      .join('\n')
      .trim()
      .toWellFormed(),
  );
};

/** The end of a text without the rest of a line that is cut: half a number is another number. */
const wholeLines = (text: string, most: number): string => {
  const tail = text.slice(-most);
  return tail.length < text.length && text.at(-most - 1) !== '\n' ? tail.slice(tail.indexOf('\n') + 1) : tail;
};

const lines = (text: string): readonly string[] => text.split(/\r\n?|\n|\u2028|\u2029/).map((line) => line.trimEnd());

/** What the limits say of it. */
export const printedLine = ({ data, printed: most = MOST }: Shows): string => {
  if (most === 0) return '- What the program prints is shown to nobody.';
  const [what, such, rest] =
    data === 'drawn'
      ? [' before its first call', 'tuned numbers', ' What it prints later is shown to nobody.']
      : ['', 'counts, the time of each part, tuned numbers, when the best was found', ''];
  return `- What the program prints${what}, at most the last ${most} characters, is shown to whoever changes it next: print what decides, such as ${such}.${rest}`;
};
