// Reviewed papers as training data of a reward model (AlphaResearch 2.3.1, Table 1): which can be used, and which are
// for training and which for the test.
import type { Judged } from '../prompts/idea-prompts.ts';
import { rng } from '../rng.ts';
import { GATE_DEFAULTS, HIGHEST_SCORE, UNPARSED } from './idea.ts';
import { meanOf } from '../statistics.ts';

export type ReviewRecord = {
  readonly id: string;
  readonly year: number;
  /** YYYY-MM-DD or YYYY-MM: when its reviews became known. */
  readonly date: string;
  readonly title: string;
  readonly abstract: string;
  /** Overall ratings, 0 .. 10. */
  readonly ratings: readonly number[];
};

export type SplitSettings = {
  /** The first day, YYYY-MM-DD, that is too late for training. */
  readonly trainBefore: string;
  /** The first day of the test; not before `trainBefore`, so that no date is in both. */
  readonly evalFrom: string;
  /** Records of the test, drawn uniformly; all where there are fewer. */
  readonly evalCount: number;
  readonly seed: number;
};

/** ICLR 2017 to 2024 against 2025 (AlphaResearch, Table 1). */
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
 * Disjoint by id, title and date; each id and each title once, the earliest given. A paper that was submitted again
 * is for training only. Both parts keep the order of the records. What is in neither is listed with the reason, but
 * for records that the draw leaves out.
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

/** Mean rating. Throws without ratings. */
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

/** Case, punctuation and spacing do not make another paper. A title of signs alone stands for itself. */
const titleKey = ({ title }: ReviewRecord): string =>
  title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '') || title;

/** In the order of the list. */
const sample = <T>(list: readonly T[], count: number, seed: number): readonly T[] => {
  const random = rng(seed, 'reward-model', 'eval');
  const left = list.map((_, index) => index);
  const drawn = new Set<number>();
  while (drawn.size < count && left.length > 0) drawn.add(left.splice(random.int(left.length), 1)[0]!);
  return list.filter((_, index) => drawn.has(index));
};

// The lines of rm-train.jsonl and rm-eval.jsonl (AlphaResearch 2.3.1).
/** Mean rating, one decimal, halves up: what the gate's scores are made of. */
export const targetOf = (record: ReviewRecord): string => (Math.round(meanRating(record) * 10) / 10).toFixed(1);

/**
 * One JSON text without a line end: `question` (what the gate asks) and `response`, and the same as chat `messages`.
 */
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

/** One JSON text without a line end. The mean is not rounded: 5.54 is above 5.5. */
export const evalLine = (record: ReviewRecord): string =>
  JSON.stringify({ title: record.title, abstract: record.abstract, avg_rating: meanRating(record) });

/** As a file: every line ends. */
export const jsonLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

// How well a reward model tells good ideas from others on rm-eval.jsonl (AlphaResearch 2.3.1, Table 2).
/** `score`: of parseVerdict. `rating`: avg_rating. */
export type Prediction = { readonly score: number; readonly rating: number };

export type Accuracy = {
  readonly count: number;
  readonly unparsed: number;
  /** Share of all; what is not parsed is wrong. Null without predictions. */
  readonly accuracy: number | null;
  /** Of what is parsed alone; null where nothing is. */
  readonly accuracyParsed: number | null;
  readonly mae: number | null;
  readonly mse: number | null;
};

/** Right: score and rating are on the same side of the threshold, equality is below. */
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
