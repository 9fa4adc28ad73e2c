// The attempts on a program, and other requests for it, in the common frame (docs/prompts.md). With them, no prompt of
// a run equals an earlier one.
import { type ChangeLabel, isTie } from '../../deltas/delta.ts';
import { surplus } from '../../edits/reintroduced.ts';
import { QUARANTINED } from '../../scoring/quarantine.ts';
import type { Task } from '../../task/task.ts';
import type { Outcome } from '../../types.ts';
import type { Aim } from './aim.ts';
import type { ShownCode } from './shown-code.ts';
import {
  HELD_WORDS,
  maskOf,
  MEASURED_WITH,
  OUTCOME_WORDS,
  type ShownProgram,
  showNumber,
  type Telling,
} from './program-card.ts';

/** An answer to an earlier request for the same program. */
export type Attempt = Pick<ShownProgram, 'outcome' | 'score' | 'metrics'> & {
  /** Counted over all answers to requests for this program, from 1. */
  readonly number: number;
  /** The effect on the score of the program that it changed. */
  readonly label: ChangeLabel;
  /** The failure, in words for a model. */
  readonly reasons: readonly string[];
  /** Blocks of the answer that were not applied, though a program came of it. */
  readonly undone?: readonly number[] | undefined;
  /** What it printed, or its error output. */
  readonly output: string;
  /** The model's own words on its change, or null. */
  readonly told: string | null;
  /** The new program; empty where there is none. */
  readonly code?: string | undefined;
  /** Size and place of the change; null where there is no new program. */
  readonly place: string | null;
};

/** The common frame of a group. */
export type Tried = Aim & {
  /** The number of answers to earlier requests for this program. */
  readonly total: number;
  /** The latest of them, oldest first. */
  readonly latest: readonly Attempt[];
  /** The newest programs of the run with a fault or a score, oldest first, those with a score before. */
  readonly elsewhere?: readonly Attempt[] | undefined;
  /** The place of this request among those planned for this program together, from 1; null: the only one. */
  readonly alike: { readonly place: number; readonly of: number } | null;
  /** Requests leave one by one, and others may be under way. */
  readonly stream: boolean;
  /** The island, from 1, where islands search apart; null where they do not. */
  readonly island: { readonly place: number; readonly of: number } | null;
};

/** Outcomes with reasons for models. Other reasons name ids of programs or the score of a judge. */
const EXPLAINED: ReadonlySet<Outcome> = new Set<Outcome>(['invalid', 'no_solution', 'no_diff', 'no_change']);

const UNTAKEN: ReadonlySet<Outcome> = new Set<Outcome>(['no_diff', 'no_change']);

type Told = Telling & {
  readonly task: Pick<Task, 'scoreName' | 'direction'>;
  readonly parent: ShownProgram;
  /** The programs that stand above; left out: none does but the parent. */
  readonly codes?: ShownCode | undefined;
};

/** The sections on attempts and on other requests, with so many of the latest attempts; empty where nothing is to say. */
export const triedSections = (tried: Tried | null, kept: readonly Attempt[], told: Told): string =>
  tried === null
    ? ''
    : [attempts(tried, kept, told), elsewhereSection(tried.elsewhere ?? [], told), others(tried)]
        .filter((text) => text !== '')
        .join('\n\n');

const attempts = ({ total, latest, stream }: Tried, kept: readonly Attempt[], told: Told): string => {
  if (total === 0) return '';
  const shown = told.feedback === 'none' ? [] : kept;
  const hide = maskOf([told.parent, ...latest], told.scores ?? 'shown');
  return [
    '# Attempts on this program',
    '',
    `${total === 1 ? 'One answer to a request' : `${total} answers to requests`} for this program ${cameBy(total, stream)}.${
      shown.length === 0
        ? ''
        : ` ${shown.length === total ? `What became of ${total === 1 ? 'it' : 'them'}` : `What became of the last ${shown.length}`}, oldest first; build on what helped, and do not repeat what did not:`
    }`,
    ...(shown.length === 0 ? [] : ['']),
    ...[...Map.groupBy(shown, (attempt) => becameOf(attempt, told, hide))].map(
      ([became, alike]) =>
        `- Attempt${alike.length === 1 ? '' : 's'} ${alike.map((attempt) => numbered(attempt, told)).join(', ')}: ${became}`,
    ),
  ]
    .join('\n')
    .toWellFormed();
};

const numbered = ({ number, code = '' }: Attempt, { parent, codes }: Told): string => {
  const name = code === '' || code === parent.code ? null : (codes?.nameOf(code) ?? null);
  return `${number}${name === null ? '' : ` (${name})`}`;
};

const becameOf = (attempt: Attempt, told: Told, hide: ReturnType<typeof maskOf>): string => {
  const { outcome, reasons, undone = [], output, told: said, place } = attempt;
  const full = (told.feedback ?? 'full') === 'full';
  const reason = full && EXPLAINED.has(outcome) ? cut(hide.output(reasonOf(reasons, told)), REASON_CHARS) : '';
  // Why nothing of an answer was taken says that nothing was.
  const result = [...(reason !== '' && UNTAKEN.has(outcome) ? [] : [resultOf(attempt, told)]), reason];
  return [
    `${result.filter((text) => text !== '').join(': ')}.${
      said === null ? '' : ` It said: "${cut(hide.prose(oneLine(said)), TOLD_CHARS)}"`
    }${undone.length === 0 ? '' : ` ${undoneWords(undone)}`}${place === null ? '' : ` ${place}`}`,
    ...(full ? lastLines(output, outcome === 'valid' ? FEW_LINES : OUTPUT_LINES) : []).map((line) =>
      `  > ${hide.output(line)}`.trimEnd(),
    ),
  ].join('\n');
};

/** An answer tells of all that it wanted to do. */
export const undoneWords = (blocks: readonly number[]): string =>
  `Not all of it was done: ${blocks.length === 1 ? `block ${blocks[0]} of the answer was` : `blocks ${blocks.join(', ')} of the answer were`} not applied.`;

const REASON_CHARS = 600;
const TOLD_CHARS = 300;
const OUTPUT_LINES = 6;
/** Of what a valid program printed, where it is not the one to change or the best. */
export const FEW_LINES = 2;
/** A line has so much on the average: a long last line stays whole, and lines before it go. */
const LINE_CHARS = 200;

/** A score beyond a bound, or too far beyond the best value known to be believed (docs/tasks.md, Scores). */
const isHeld = (reasons: readonly string[]): boolean => reasons[0]?.startsWith(QUARANTINED) === true;

/** The reason why a score is held back names the score. */
const reasonOf = (reasons: readonly string[], { scores }: Telling): string => {
  const held = isHeld(reasons);
  const told = held && scores === 'masked' ? reasons.slice(1) : reasons;
  return oneLine(told.join('; ')).slice(held && told === reasons ? QUARANTINED.length : 0);
};

/** The result of an attempt in words, with its score beside that of the program that it changed. */
export const resultOf = (
  { outcome, score, label, reasons, metrics: { [MEASURED_WITH]: measured } }: Attempt,
  { task, parent, scores, feedback = 'full' }: Told,
): string => {
  if (outcome !== 'valid') return isHeld(reasons) ? HELD_WORDS : OUTCOME_WORDS[outcome];
  if (scores === 'masked' || feedback !== 'full' || score === null)
    return `valid, ${{ improved: 'better than this program', degraded: 'worse than this program', unchanged: 'as good as this program', failed: 'not ranked' }[label]}`;
  const conditions = measured === undefined ? '' : ` (measured with ${measured})`;
  return `${task.scoreName} = ${showNumber(score)}${conditions}${difference(score, parent.score, task.direction)}`;
};

const difference = (score: number, before: number | null, direction: Task['direction']): string => {
  if (before === null) return ', while this program has no valid score';
  const gain = direction === 'maximise' ? score - before : before - score;
  return isTie(score, before)
    ? ', the same as this program'
    : `, ${gain > 0 ? 'better' : 'worse'} by ${showNumber(Math.abs(gain))}`;
};

/** The longest section on the rest of the run: 80 tokens of 4 characters. Two lines of the longest fit into it. */
const NOTE_CHARS = 320;
const NOTE_HEAD = ['# Elsewhere in this search', ''];
const NOTE_LINE = Math.floor((NOTE_CHARS - NOTE_HEAD.join('\n').length) / 2) - 1;
/** The longest result of a line; the words of the answer have the rest. */
const NOTE_RESULT = 80;
const NOTE_SAID = 40;

/**
 * What failed or made a program worse elsewhere in the run, the newest of each kind, three at most; empty where nothing
 * did.
 */
const elsewhereSection = (newest: readonly Attempt[], told: Told): string => {
  if ((told.feedback ?? 'full') !== 'full') return '';
  const hide = maskOf([told.parent, ...newest], told.scores ?? 'shown');
  const kinds = new Set<string>();
  const notes = newest.toReversed().flatMap((attempt): string[] => {
    const { outcome, label, reasons, told: said } = attempt;
    if (said === null || (outcome === 'valid' && label !== 'degraded')) return [];
    const result =
      outcome === 'valid'
        ? `no better than its parent${told.scores === 'masked' ? '' : `, ${told.task.scoreName} = ${showNumber(attempt.score!)}`}`
        : cut(isHeld(reasons) ? HELD_WORDS : hide.output(oneLine(reasons[0] ?? OUTCOME_WORDS[outcome])), NOTE_RESULT);
    const kind = outcome === 'valid' ? oneLine(said) : result.replace(/[\d.]+/g, '');
    if (kinds.has(kind)) return [];
    kinds.add(kind);
    return [
      `- "${cut(hide.prose(oneLine(said)), Math.max(NOTE_SAID, NOTE_LINE - '- "": '.length - result.length))}": ${result}`,
    ];
  });
  const section = [...NOTE_HEAD, ...notes.slice(0, 3)];
  while (section.join('\n').length > NOTE_CHARS) section.pop();
  return section.length <= NOTE_HEAD.length ? '' : section.join('\n').toWellFormed();
};

/** The last lines that are not empty: whole ones, as many as have room; the last one is cut where it alone has none. */
export const lastLines = (output: string, most: number): readonly string[] => {
  const all = output
    .slice(-OUTPUT_LINES * 1_000)
    .split(/\r\n?|\n|\u2028|\u2029/)
    .filter((line) => line.trim() !== '')
    .slice(-most);
  let room = Math.max(most, 3) * LINE_CHARS;
  return all
    .toReversed()
    .flatMap((line, back) => {
      room -= line.length;
      return room >= 0 ? [line] : back === 0 ? [cut(line, room + line.length)] : [];
    })
    .toReversed();
};

const oneLine = (text: string): string => text.replace(/[\s\u2028\u2029]+/g, ' ').trim();

/** At most so many characters, up to the end of a word where one ends in the last half; never half of a pair of surrogates. */
const cut = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const kept = text.slice(0, most - CUT.length).replace(/[\ud800-\udbff]$/, '');
  const end = text[kept.length] === ' ' ? kept.length : kept.lastIndexOf(' ');
  return `${end < most / 2 ? kept : kept.slice(0, end).replace(/[\s,;:]+$/, '')}${CUT}`;
};
const CUT = ' ...';

/** A request of a stream is planned before it leaves, and more answers may have come in between. */
const cameBy = (total: number, stream: boolean): string =>
  stream ? 'had come when this request was planned' : `${total === 1 ? 'has' : 'have'} come so far`;

const others = ({ total, alike, island }: Tried): string =>
  alike === null && island === null
    ? ''
    : [
        '# Other requests',
        '',
        ...(island === null
          ? []
          : [
              `${island.of} groups of programs, called islands, are searched side by side and began with the same program; this request is for island ${island.place}.`,
            ]),
        ...(alike === null
          ? []
          : [
              `This is request ${alike.place} of ${alike.of} for this program at the same time. So that they differ, think first about ${ANGLES[(total + alike.place - 1) % ANGLES.length]}.`,
            ]),
      ].join('\n');

/** No request knows what the others try, so each begins at another side of the problem. */
const ANGLES = [
  'what the best answers have in common',
  'where a search or a calculation should begin',
  'the step that is repeated most',
  'what is taken for granted and need not hold',
] as const;

/** Size and place of a change, as a sentence; null where the texts have the same lines. */
export const placeOfChange = (before: string, after: string): string | null => {
  const [old, now] = [before, after].map((text) =>
    text
      .trimEnd()
      .split(/\r?\n/)
      .map((line) => line.trimEnd()),
  ) as [string[], string[]];
  let first = 0;
  while (first < old.length && first < now.length && old[first] === now[first]) first++;
  let [end, endNow] = [old.length, now.length];
  while (end > first && endNow > first && old[end - 1] === now[endNow - 1]) [end, endNow] = [end - 1, endNow - 1];
  if (end === first && endNow === first) return null;
  const [gone, come] = [old.slice(first, end), now.slice(first, endNow)];
  const [added, removed] = [surplus(come, gone).length, surplus(gone, come).length];
  if (end === first) return `It adds ${count(added)} after line ${first}.`;
  if (end - first === 1 && endNow - first === 1) return `It changes line ${end}.`;
  const where = end - first === 1 ? `in line ${end}` : `between lines ${first + 1} and ${end}`;
  return added + removed === 0
    ? `It changes the order of lines ${where}.`
    : `It removes ${count(removed)} and adds ${added === 1 ? 'one' : added} ${where}.`;
};

const count = (lines: number): string => (lines === 1 ? '1 line' : `${lines} lines`);

/** The first line of prose of an answer: the model's words on its change. Null where it begins with code. */
export const firstWords = (answer: string): string | null => {
  for (const line of answer.slice(0, SAID_CHARS).split(/\r\n?|\n/)) {
    if (/^(?:<{5,}|`{3,}|~{3,}|={5,}|>{5,}|#DELTA-)/.test(line.trim())) return null;
    const words = line.replace(/^[\s#>*-]+/, '').trim();
    if (/\p{L}{3}/u.test(words)) return words;
  }
  return null;
};

const SAID_CHARS = 4_000;
