// The evaluator's words on a program as one line (DeltaEvolve Figure 6), with hidden scores for Blind-Elite (3.3).
import type { Outcome } from '../types.ts';

export type Feedback = {
  /** Scores of single cases, and whatever else the evaluator reports, in the order in which they are shown. */
  readonly values: { readonly [name: string]: number | string | boolean };
  /** Null where nothing went wrong. */
  readonly error: string | null;
};

type Evaluated = {
  readonly scoreName: string;
  readonly outcome: Outcome;
  /** The raw objective; null unless the program is valid. */
  readonly score: number | null;
  readonly metrics: Feedback['values'];
  readonly reasons: readonly string[];
};

const MAX_CHARACTERS = 2000;
const CUT = '... [cut]';
const DIGITS = 10;
/** Relative: two numbers that are closer than this are the same score. */
const CLOSE = 1e-9;
const HIDDEN = '[hidden]';

/** Values that are measured times: they differ from run to run, and a prompt must not. */
const MEASURED: ReadonlySet<string> = new Set(['runtime_s']);

export const feedbackOf = ({ scoreName, outcome, score, metrics, reasons }: Evaluated): Feedback => ({
  values: Object.fromEntries([
    ...(score === null ? [] : [[scoreName, score] as const]),
    ...Object.entries(metrics).filter(([name]) => !MEASURED.has(name) && !(name === scoreName && score !== null)),
  ]),
  error: outcome === 'valid' ? null : reasons.length > 0 ? reasons.join('; ') : outcome,
});

/** Compact JSON on one line, with numbers of ten significant digits; beyond 2000 characters it is cut, visibly. */
export const showFeedback = ({ values, error }: Feedback): string => {
  const shown = Object.entries(values).map(
    ([name, value]) => [name, typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value] as const,
  );
  return oneLine(
    JSON.stringify(Object.fromEntries([...shown, ...(error === null ? [] : [['error', error] as const])])),
  );
};

/** The feedback without its numbers; in the text that is left, `scores` are hidden. */
export const maskedFeedback = ({ values, error }: Feedback, scores: ReadonlySet<number>): Feedback => ({
  values: Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'number' ? [] : [[name, typeof value === 'string' ? hideScores(value, scores) : value] as const],
    ),
  ),
  error: error === null ? null : hideScores(error, scores),
});

/** Hides each number that is a score, whatever its sign; from three digits on, also one rounded or cut from it. */
export const hideScores = (text: string, scores: ReadonlySet<number>): string =>
  scores.size === 0
    ? text
    : text.replace(/(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (literal) =>
        isScore(literal, scores) ? HIDDEN : literal,
      );

const isScore = (literal: string, scores: ReadonlySet<number>): boolean => {
  const value = Math.abs(Number(literal));
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  const digits = mantissa.replace(/\D/g, '').replace(/^0+/, '').length;
  const unit = decimals > 0 && digits >= 3 ? 10 ** (Number(exponent) - decimals) : 0;
  return [...scores].some((score) => Math.abs(Math.abs(score) - value) <= Math.max(unit, Math.abs(score) * CLOSE));
};

/** JSON leaves two kinds of line end as they are, so they are escaped here. A pair of surrogates is never cut apart. */
const oneLine = (json: string): string => {
  const line = json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return line.length <= MAX_CHARACTERS
    ? line
    : `${line.slice(0, MAX_CHARACTERS - CUT.length).replace(/[\ud800-\udbff]$/, '')}${CUT}`;
};
