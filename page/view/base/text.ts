// Numbers, times, outcomes and foreign texts as they are written. All texts of models, candidates and people are drawn
// as text; here characters that would change the look of other text are made visible.
import { duration } from '../../../evolution/reports/number-text.ts';
import { type Parked, parkedText } from '../../../evolution/run-states.ts';
import { UNSEEN } from '../../../evolution/visible.ts';

/** The character that draws the sign before it as an emoji. */
const EMOJI = 0xfe0f;

/** The text with hidden characters as their code points, such as `⟨U+202E⟩`. What makes a sign an emoji stays. */
export const shown = (text: string): string =>
  text.replace(UNSEEN, (char, at: number) =>
    char.charCodeAt(0) === EMOJI && /\p{Extended_Pictographic}$/u.test(text.slice(Math.max(0, at - 2), at))
      ? char
      : `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

export {
  alignedScore,
  alignedScores,
  amount,
  count,
  counted,
  decimalsOf,
  duration,
  score,
  dollars,
} from '../../../evolution/reports/number-text.ts';

export const percent = (value: number): string => `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;

/** The time zone of whoever looks. Every time of the page is in it; the foot of the page names it. */
export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const two = (value: number): string => String(value).padStart(2, '0');
/** `2026-11-23 16:30`, in the time zone of whoever looks. */
export const moment = (iso: string | number | Date): string => {
  const date = new Date(iso);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
};

/** A moment with its seconds, which tell apart what happened within one minute. */
export const exactMoment = (iso: string | number | Date): string => `${moment(iso)}:${two(new Date(iso).getSeconds())}`;

/** A sentence of the server with its times, such as `2026-11-23 02:50 UTC`, in the time zone of whoever looks. */
export const inZone = (sentence: string): string =>
  sentence.replace(
    /\b(\d{4}-\d\d-\d\d) (\d\d:\d\d)(:\d\d)? UTC\b/g,
    (_, day: string, minute: string, second?: string) => {
      const at = `${day}T${minute}${second ?? ''}Z`;
      return second === undefined ? moment(at) : exactMoment(at);
    },
  );

/** The sentence above everything on a page in a file, because nothing in it goes on. */
export const copyWords = (run: string | null, at: string): string =>
  `This is a copy${run === null ? '' : ` of the page of run ${shown(run)}`}, written on ${moment(at)}. It shows what was then, and does not change.`;

/** How a parked run waits, by the clock of whoever looks. */
export const parkedWords = (parked: Parked, nowMs: number): string =>
  parkedText(parked, { nowMs, timeText: (iso) => [exactMoment(iso), ''] });

export const ago = (iso: string | number | Date, now = Date.now()): string =>
  `${duration(Math.max(0, Math.round((now - new Date(iso).getTime()) / 1000)))} ago`;

/** A difference of two scores, with its sign. */
export const gain = (value: number): string =>
  value === 0 ? '0' : `${value > 0 ? '+' : '−'}${Number(Math.abs(value).toPrecision(3))}`;

const NAMES: readonly (readonly [outcome: string, name: string])[] = [
  ['valid', 'valid'],
  ['invalid', 'invalid'],
  ['no_solution', 'no solution'],
  ['duplicate', 'duplicate'],
  ['no_change', 'no change'],
  ['no_diff', 'no edit'],
  ['rejected', 'idea rejected'],
  ['unparsed', 'judge not readable'],
  ['idea_failed', 'no idea'],
  ['rm_failed', 'judge not reached'],
];
type OutcomeLook = {
  readonly outcome: string;
  readonly name: string;
  readonly colour: string;
  /** A pattern besides the colour: the program failed. */
  readonly striped: boolean;
};
/** The outcomes of programs in words and colours, in the order in which shares are stacked. */
export const OUTCOMES: readonly OutcomeLook[] = NAMES.map(([outcome, name]) => ({
  ...{ outcome, name, colour: `--${name.replaceAll(' ', '-')}`, striped: outcome === 'no_solution' },
}));

/** The word for an outcome, the same in every view. */
export const outcomeName = (outcome: string): string =>
  OUTCOMES.find((one) => one.outcome === outcome)?.name ?? outcome.replaceAll('_', ' ');

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
