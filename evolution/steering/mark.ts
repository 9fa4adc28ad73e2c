// Mark: a star, a label and a note of a person on a run or on one of its programs. The run itself learns nothing of it.
import { always, evolve, FREE, type Acted, type Situation, type Verb } from './base/verb.ts';

type Body = {
  readonly program?: string;
  readonly star?: boolean;
  readonly label?: string;
  readonly note?: string;
  readonly remove?: boolean;
};

const LONGEST_LABEL = 40;
const LONGEST_NOTE = 2_000;

export const mark = {
  title: 'Mark',
  brief: 'put a star, a label and a note on a run or a program; a new mark replaces the one before',
  group: 'A run',
  fields: {
    program: {
      type: 'text',
      max: 120,
      meaning: 'id of a program of the run (default: the run itself)',
      flag: '[program]',
    },
    star: { type: 'flag', label: 'Star', meaning: 'a star', flag: '--star' },
    label: {
      type: 'text',
      max: LONGEST_LABEL,
      pattern: /^[^\p{C}\p{Zl}\p{Zp}]+$/u,
      expected: `a label of 1 to ${LONGEST_LABEL} characters without control characters`,
      label: 'Label (optional)',
      meaning: 'a word or two, such as promising',
      flag: '--label <text>',
    },
    note: {
      type: 'long-text',
      max: LONGEST_NOTE,
      pattern: /^(?:[^\p{C}\p{Zl}\p{Zp}]|[\t\n])+$/u,
      expected: `a note of 1 to ${LONGEST_NOTE} characters without control characters`,
      label: 'Note (optional)',
      meaning: 'what to remember about it',
      flag: '--note <text>',
    },
    remove: { type: 'flag', meaning: 'remove the mark', flag: '--remove' },
  },
  rule: ({ star = false, label, note, remove = false }: Body) => {
    const sets = star || label !== undefined || note !== undefined;
    return sets !== remove ? null : `expected either remove or at least one of star, label, note`;
  },
  message: null,
  refuses: always,
  words: ({ run }: Situation) => ({
    what: `The mark is shown in tables, in the lineage and in the list of runs, for everybody who looks at run ${run}.`,
    undo: 'Each mark can be changed or removed. Who set it and when stays among the events of the run.',
    cost: FREE,
  }),
  done: ({ run }: Acted, { program, remove = false, ...body }: Body) => {
    const parts = [...(body.star ? ['a star'] : []), ...(body.label === undefined ? [] : [`the label ${body.label}`])];
    const what = remove ? 'no mark' : [...parts, ...(body.note === undefined ? [] : ['a note'])].join(', ');
    return `${run}: ${program === undefined ? 'the run' : `program ${program}`} has ${what} now`;
  },
  next: (run) => `${evolve(`programs ${run}`)} shows the marks of its programs`,
} as const satisfies Verb;
