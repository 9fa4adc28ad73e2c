// The overview of a run beside its report and its steps: the values to reach, the limits and the first of them, the
// changes that made each best, the first failure of each kind, the islands. All functions are pure.
import type { StopReason } from '../../../evolution/budget/limits.ts';
import type { Cause } from '../../../client/read/program-origin.ts';
import type { IslandsReport } from '../../../client/read/views.ts';
import { counted } from '../../../evolution/reports/number-text.ts';
import { type Advice, type LimitUse, type Move, shareOfLimit } from '../../../evolution/steering/advice/advice.ts';
import type { Direction } from '../../../evolution/types.ts';
import type { RunReport } from '../../../client/read/shapes.ts';
import type { Failure, Rate, Steps } from './steps.ts';

export type { IslandsReport } from '../../../client/read/views.ts';
export type { StopReason } from '../../../evolution/budget/limits.ts';

/** The values to reach, by the run's task and the papers. */
export type Goals = {
  readonly title: string;
  readonly direction: Direction;
  readonly scoreName: string;
  /** The value of the paper of the run's method; null where it prints none for such a run. */
  readonly paper: number | null;
  readonly bestKnown: { readonly value: number; readonly strict: boolean; readonly source: string | null } | null;
};

/** GET runs/<run>/overview: all of it is of one committed step. */
export type AtAGlance = {
  readonly report: RunReport;
  readonly glance: Glance;
  readonly steps: Steps;
};

export type Glance = {
  /** Null where the task cannot be read any more. */
  readonly known: Goals | null;
  readonly limits: readonly LimitUse[];
  /** The next step of a person in a sentence; `urgent` where nothing goes on without it. */
  readonly next: { readonly urgent: boolean; readonly what: string };
  /** The verbs that it proposes. */
  readonly moves: readonly Move[];
  readonly advice: readonly Advice[];
  /** The prices of all its models are known. */
  readonly priced: boolean;
  readonly atMs: number;
  /** The length of all pauses when it last went on. */
  readonly pausedMs: number;
};

/** GET runs/<run>/records: newest first. */
export type RecordLine = Gained & {
  readonly program: string;
  readonly step: number;
  readonly score: number | null;
  /** What it was made from. */
  readonly cause: Cause;
  readonly parentScore: number | null;
  /** The change in the model's own words; null where it gave none. */
  readonly change: { readonly from: string; readonly to: string; readonly components: readonly string[] } | null;
  /** How the answer begins that made it, where nothing else says the change; null where it begins with code. */
  readonly said: string | null;
  /** The lines that its edits changed; null where they were not counted. */
  readonly lines: LineCounts | null;
  /** The first lines that went and came against what it was made from; only of the newest without words. */
  readonly diff: { readonly went: readonly string[]; readonly came: readonly string[] } | null;
  readonly idea: string | null;
};
/** Lines that went are counted where the code of the parent is at hand. */
export type LineCounts = { readonly added: number; readonly deleted: number | null };
/** So many bests are shown before somebody asks for more. */
export const RECORDS_AT_FIRST = 12;
export type Records = { readonly records: readonly RecordLine[]; readonly more: number };

type Gained = {
  /** What the run gained by it over its best before; null for the first. */
  readonly runGain: number | null;
  /** 1 to 3 for the largest gains of the run; null for all others. */
  readonly place: number | null;
};
const PLACES = 3;

/**
 * What each of these bests gained over the one before it, and the places of the largest gains. Oldest first. One that
 * `beginsAnew`, by a new version of the task, gained nothing: its score does not compare with the one before.
 */
export const runGains = <B extends { readonly ranking: number }>(
  bests: readonly B[],
  beginsAnew: (best: B) => boolean = () => false,
): readonly Gained[] => {
  // Each best is better than the one before, so that no direction is needed.
  const gains = bests
    .slice(1)
    .map((best, index) => (beginsAnew(best) ? null : Math.abs(best.ranking - bests[index]!.ranking)));
  const largest = gains
    .filter((gain) => gain !== null)
    .toSorted((a, b) => b - a)
    .slice(0, PLACES);
  return bests.map((_, index): Gained => {
    const runGain = gains[index - 1] ?? null;
    const place = runGain === null ? 0 : largest.indexOf(runGain) + 1;
    return { runGain, place: place === 0 ? null : place };
  });
};

/** GET runs/<run>/failures */
export type FailureLine = {
  readonly outcome: Failure;
  readonly count: number;
  readonly first: { readonly program: string; readonly step: number; readonly reason: string | null } | null;
};
export type Failures = { readonly failures: readonly FailureLine[] };

/** GET runs/<run>/islands */
export type Islands = IslandsReport & { readonly direction: Direction };

export type Forecast = LimitUse & {
  /** 0 to 1; null where no share can be told, as of a score. */
  readonly share: number | null;
  /** Seconds until it is reached at the present rate; null where the rate says nothing. */
  readonly seconds: number | null;
};

/**
 * `sinceBest` grows with programs only as long as nothing better comes, and the forecast says so by its limit's name.
 */
export const forecast = ({ limit, of, spent }: LimitUse, rate: Rate | null): Forecast => {
  const perHour: { readonly [limit in StopReason]: number | null } = {
    steps: rate?.steps ?? null,
    programs: rate?.programs ?? null,
    tokens: rate?.tokens ?? null,
    costUsd: rate?.costUsd ?? null,
    wallSeconds: 3600,
    noImprovementPrograms: rate?.programs ?? null,
    stagnantEpochs: rate?.steps ?? null,
    targetScore: null,
  };
  const share = shareOfLimit({ limit, of, spent });
  const hourly = perHour[limit];
  const seconds = share === 1 ? 0 : hourly === null || !(hourly > 0) ? null : ((of - spent) / hourly) * 3600;
  return { limit, of, spent, share, seconds };
};

/** The one that is reached first, of those of which that can be told. */
export const firstOf = (forecasts: readonly Forecast[]): Forecast | null =>
  forecasts
    .filter(({ seconds }) => seconds !== null)
    .reduce<Forecast | null>((first, one) => (first === null || one.seconds! < first.seconds! ? one : first), null);

/** The gain over its parent, below 0 where it is worse; null where either has no score. */
export const gainOf = (score: number | null, parent: number | null, direction: Direction): number | null =>
  score === null || parent === null ? null : direction === 'maximise' ? score - parent : parent - score;

/** The number of improvements in words. The first score, mostly that of the initial program, is none. */
export const improvementWords = (records: readonly { readonly step: number }[]): string => {
  const better = Math.max(0, records.length - 1);
  return better === 0 ? 'not better yet' : `better ${better === 1 ? 'once' : `in ${better} steps`}`;
};

/** Tokens of answers that a rewind set aside: they were paid, and are in no step. */
export const setAsideTokens = ({
  paid,
  tokens,
  unanswered,
}: Pick<RunReport, 'paid' | 'tokens' | 'unanswered'>): number =>
  paid.tokens - tokens.in - tokens.out - unanswered.tokens.in - unanswered.tokens.out;

/** A line that was rewritten counts on both sides. */
export const linesInWords = ({ added, deleted }: LineCounts): string => {
  if (deleted === null) return `${counted(added, 'line')} new or rewritten`;
  const went = `${counted(deleted, 'line')} went`;
  if (added === 0 && deleted > 0) return went;
  return deleted === 0 ? `${counted(added, 'line')} came` : `${counted(added, 'line')} came and ${went}`;
};

export const STRICT_MEANING =
  'strict: every constraint is met exactly; tolerant: within the small tolerance that the task allows';

/** Both scores of a program, where their texts differ; null where one number says it all. */
export const strictWords = (
  best: { readonly score: number; readonly strictScore: number | null },
  text: (value: number) => string,
): string | null =>
  best.strictScore !== null && text(best.strictScore) === text(best.score)
    ? null
    : `${best.strictScore === null ? 'no strict score' : `strict ${text(best.strictScore)}`}, tolerant ${text(best.score)}`;
