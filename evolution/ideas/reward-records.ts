// Reviewed papers as data of a reward model (AlphaResearch 2.3.1, Tables 1 and 2): split, files, and agreement.
import type { Judged } from '../prompts/idea-prompts.ts';
import { drawDistinct, rng } from '../rng.ts';
import { GATE_DEFAULTS, HIGHEST_SCORE, UNPARSED } from './idea.ts';
import { meanOf } from '../statistics.ts';

export type ReviewRecord = {
  readonly id: string;
  readonly year: number;
  /** YYYY-MM-DD or YYYY-MM: when its reviews became known. */
  readonly date: string;
  readonly title: string;
  readonly abstract: string;
  /** Overall ratings, from 0 to 10. */
  readonly ratings: readonly number[];
};

export type SplitSettings = {
  /** The first day, YYYY-MM-DD, that is too late for training. */
  readonly trainBefore: string;
  /** The first day of the test; it is not before `trainBefore`, so that no date is in both parts. */
  readonly evalFrom: string;
  /** The number of records of the test, drawn uniformly; all of them where there are fewer. */
  readonly evalCount: number;
  readonly seed: number;
};

/** ICLR 2017 to 2024 for training, and 2025 for the test (AlphaResearch, Table 1). */
export const SPLIT_DEFAULTS: SplitSettings = {
  trainBefore: '2024-01-01',
  evalFrom: '2024-10-01',
  evalCount: 100,
  seed: 42,
};

type Dropped = { readonly id: string; readonly reason: string };
export type Split = {
  readonly train: readonly ReviewRecord[];
  readonly eval: readonly ReviewRecord[];
  readonly dropped: readonly Dropped[];
};

/**
 * Splits the records into two parts without a common id, title or date. The earliest record of an id or title counts,
 * so a paper that was submitted again is for training only. Both parts keep the order; others are listed with the
 * reason, except those not drawn.
 */
export const splitRecords = (
  records: readonly ReviewRecord[],
  { trainBefore, evalFrom, evalCount, seed }: SplitSettings,
): Split => {
  if (!DAY.test(trainBefore) || !DAY.test(evalFrom) || evalFrom < trainBefore) {
    throw new RangeError(
      `reward model: expected days YYYY-MM-DD, evalFrom not before trainBefore, got trainBefore ${trainBefore} and evalFrom ${evalFrom}`,
    );
  }
  const dropped: Dropped[] = [];
  const usable = records.filter((record) => {
    const reason =
      whyUnusable(record) ??
      (dayOf(record) >= trainBefore && dayOf(record) < evalFrom
        ? `dated between ${trainBefore} and ${evalFrom}`
        : null);
    if (reason !== null) dropped.push({ id: record.id, reason });
    return reason === null;
  });
  const taken = { ids: new Set<string>(), titles: new Set<string>() };
  const isFirst = (record: ReviewRecord): boolean => {
    const title = titleKey(record);
    const reason = taken.ids.has(record.id)
      ? 'its id is there already'
      : taken.titles.has(title)
        ? 'its title is there already'
        : null;
    if (reason !== null) dropped.push({ id: record.id, reason });
    else {
      taken.ids.add(record.id);
      taken.titles.add(title);
    }
    return reason === null;
  };
  const train = usable.filter((record) => dayOf(record) < trainBefore).filter(isFirst);
  const candidates = usable.filter((record) => dayOf(record) >= evalFrom).filter(isFirst);
  return { train, eval: sample(candidates, evalCount, seed), dropped };
};

/** The mean rating. Throws where there are no ratings. */
const meanRating = ({ id, ratings }: Pick<ReviewRecord, 'id' | 'ratings'>): number => {
  if (ratings.length === 0) throw new RangeError(`reward model: expected at least one rating of record ${id}`);
  return meanOf(ratings)!;
};

const DATE = /^\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$/;
const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

const whyUnusable = ({ date, title, abstract, ratings }: ReviewRecord): string | null => {
  if (!DATE.test(date)) return `expected a date YYYY-MM-DD or YYYY-MM, got ${JSON.stringify(date)}`;
  if (title.trim() === '') return 'it has no title';
  if (abstract.trim() === '') return 'it has no abstract';
  if (ratings.length === 0) return 'it has no rating';
  const wrong = ratings.find((rating) => !(rating >= 0 && rating <= HIGHEST_SCORE));
  return wrong === undefined ? null : `expected ratings from 0 to ${HIGHEST_SCORE}, got ${wrong}`;
};

/** A month counts as its first day. */
const dayOf = ({ date }: ReviewRecord): string => (date.length === 7 ? `${date}-01` : date);

/** Case, punctuation and spacing do not make another paper. A title that consists of signs alone stands for itself. */
const titleKey = ({ title }: ReviewRecord): string =>
  title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '') || title;

/** Drawn uniformly, and given in the order of the list. */
const sample = <T>(list: readonly T[], count: number, seed: number): readonly T[] => {
  const drawn = new Set(drawDistinct([...list.keys()], count, rng(seed, 'reward-model', 'eval')));
  return list.filter((_, index) => drawn.has(index));
};

/** The mean rating with one decimal, halves up: the form of the scores at the gate (AlphaResearch 2.3.1). */
export const targetOf = (record: ReviewRecord): string => (Math.round(meanRating(record) * 10) / 10).toFixed(1);

/** A line of rm-train.jsonl without its end: `question` and `response`, and the same as chat `messages`. */
export const trainLine = (record: ReviewRecord, ask: (judged: Judged) => string): string => {
  const question = ask({ title: record.title, idea: record.abstract });
  const response = `\\boxed{${targetOf(record)}}`;
  return JSON.stringify({
    question,
    response,
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: response },
    ],
  });
};

/** A line of rm-eval.jsonl, without its line end. The mean is not rounded: 5.54 must count as above 5.5. */
export const evalLine = (record: ReviewRecord): string =>
  JSON.stringify({ title: record.title, abstract: record.abstract, avg_rating: meanRating(record) });

/** The text of a file, in which every line ends. */
export const jsonLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** A model's answer on a record of rm-eval.jsonl. `score` is -1 where it has none; `rating` is the mean rating. */
export type Prediction = { readonly score: number; readonly rating: number };

export type Accuracy = {
  readonly count: number;
  readonly unparsed: number;
  /** The share of all predictions that are right; one that could not be parsed is wrong. Null without predictions. */
  readonly accuracy: number | null;
  /** The same share of the parsed predictions alone; null where there are none. */
  readonly accuracyParsed: number | null;
  readonly mae: number | null;
  readonly mse: number | null;
};

/** Right is a score on the rating's side of the threshold; equality counts as below (AlphaResearch Table 2). */
export const accuracyOf = (predictions: readonly Prediction[], threshold = GATE_DEFAULTS.threshold): Accuracy => {
  const parsed = predictions.filter(({ score }) => score !== UNPARSED);
  const right = parsed.filter(({ score, rating }) => score > threshold === rating > threshold).length;
  return {
    count: predictions.length,
    unparsed: predictions.length - parsed.length,
    accuracy: predictions.length === 0 ? null : right / predictions.length,
    accuracyParsed: parsed.length === 0 ? null : right / parsed.length,
    mae: meanOf(parsed.map(({ score, rating }) => Math.abs(score - rating))),
    mse: meanOf(parsed.map(({ score, rating }) => (score - rating) ** 2)),
  };
};
