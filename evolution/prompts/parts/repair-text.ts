// The message with which a model is asked to mend its answer, in the conversation that it is a part of (docs/prompts.md,
// Mending at once).
import type { Unbound } from '../../python/unbound.ts';
import type { Outcome } from '../../types.ts';
import { ERROR_TAIL, OUTCOME_WORDS } from './program-card.ts';
import { fenced } from './sections.ts';

/** What is wrong with an answer. `code` is the program that it made. */
export type Fault =
  /** Nothing of it could be taken. */
  | {
      readonly kind: 'untaken';
      readonly reason: string | null;
      readonly unmatched: readonly { readonly block: number; readonly reason: string }[];
    }
  /** The program is not run, for a reason that its text shows. */
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string }
  | { readonly kind: 'unbound'; readonly code: string; readonly names: readonly Unbound[] }
  /** It was run. `error` is what may be told of the failure; empty where nothing may. */
  | { readonly kind: 'failed'; readonly outcome: Outcome; readonly error: string };

export const repairText = (fault: Fault): string =>
  fault.kind === 'untaken'
    ? [
        'Nothing of your answer was taken, so the current program is as it was:',
        '',
        ...(fault.unmatched.length > 0
          ? fault.unmatched.map(({ block, reason }) => `- Block ${block}: ${reason}.`)
          : [`- ${fault.reason ?? 'it holds no edits'}.`]),
        '',
        'Answer once more, in the form that was asked for and with all your edits: none of the earlier ones is kept.',
      ].join('\n')
    : [...wrong(fault), '', MEND].join('\n').toWellFormed();

const MEND =
  'The current program is now the one that your answer made. Mend this in it, keep your idea, and leave the rest as it is. Answer in the form that was asked for; SEARCH parts repeat lines of the program as it is now.';

const wrong = (fault: Exclude<Fault, { readonly kind: 'untaken' }>): readonly string[] => {
  switch (fault.kind) {
    case 'refused':
      return [`Your program was not run: ${fault.reason}.`, ...linesAround(fault)];
    case 'unbound': {
      const lines = fault.code.split('\n');
      return [
        'Your program was not run, because it uses names that nothing in it binds:',
        '',
        ...fault.names
          .slice(0, MOST_NAMES)
          .map(
            ({ name, line }) => `- \`${name}\` in the statement of line ${line}: \`${shortened(lines[line - 1]!)}\``,
          ),
      ];
    }
    case 'failed': {
      const words = `Your program was run, but ${OUTCOME_WORDS[fault.outcome]}`;
      const error = fault.error.trim().split('\n').slice(-MOST_LINES).join('\n').slice(-ERROR_TAIL);
      return error === '' ? [`${words}.`] : [`${words}:`, '', fenced(error, 'text')];
    }
  }
};

const MOST_NAMES = 10;
const MOST_LINES = 20;
const LINE_CHARS = 160;
const AROUND = 3;

const shortened = (line: string): string => {
  const text = line.trim();
  return text.length <= LINE_CHARS ? text : `${text.slice(0, LINE_CHARS)} ...`;
};

/** The lines around the one that a reason names, numbered; empty where it names none. */
const linesAround = ({ code, reason }: { readonly code: string; readonly reason: string }): readonly string[] => {
  const at = Number(/\bline (\d+)/.exec(reason)?.[1] ?? 0);
  const lines = code.split('\n');
  if (at < 1 || at > lines.length) return [];
  const first = Math.max(1, at - AROUND);
  const shown = lines.slice(first - 1, at + AROUND);
  return ['', fenced(shown.map((line, index) => `${first + index} | ${line.slice(0, LINE_CHARS)}`).join('\n'), 'text')];
};
