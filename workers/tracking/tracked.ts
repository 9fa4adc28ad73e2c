// A run as it is sent to trackers: one point of numbers for each step. The time of a point is that of the commit, so that
// a repeated point is the same point.
import type { RunDocument, StepDocument } from '../../activities/store/documents/documents.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';

export type Point = {
  readonly step: number;
  readonly marker: string;
  readonly at: Date;
  readonly values: readonly (readonly [name: string, value: number])[];
};

/** The last point that a tracker has (step -1: none), and the length of its file, where it has one. */
export type Had = { readonly step: number; readonly marker: string | null; readonly bytes: number };

export type Tracked = {
  readonly run: RunDocument;
  /** It is the same for each attempt, and another one after a rewind of steps that the tracker had. */
  readonly name: string;
  readonly had: Had;
  /** The committed steps from this one on. */
  readonly points: (from: number) => AsyncIterable<Point>;
  /** The best program, the settings and what else a run leaves, by the names of the files. */
  readonly files: () => Promise<ReadonlyMap<string, string>>;
  readonly signal: AbortSignal;
};

/** Sends what the tracker lacks, or the first part of it. What was sent before may be sent again. */
export type Sender = (tracked: Tracked) => Promise<Had>;

/** The tracker takes other runs, but not this one. Any other error keeps all runs from it. */
export class Refused extends Error {
  override name = 'Refused';
}

/** `programs` is the last value, so that a tracker which has it has the point. Sums are over all steps so far. */
export const pointOf = (run: RunDocument, { _id, step, at, best, totals, pausedMs }: StepDocument): Point => {
  const { config, createdAt } = run;
  const { valid, programs, tokens, costUsd, failures } = totals;
  const known = inventsScores(config) ? null : best;
  const values: readonly (readonly [string, number | null | undefined])[] = [
    ['best', known && rankingScore(known, config.evaluation.scoring)],
    ['best_strict', known?.strictScore],
    ['valid_rate', programs === 0 ? null : valid / programs],
    ['cost_usd', costUsd],
    ['tokens_in', tokens.in],
    ['tokens_out', tokens.out],
    ['seconds', (at.getTime() - createdAt.getTime() - pausedMs) / 1000],
    ['outcomes/valid', valid],
    ...Object.entries(failures).map(([outcome, count]) => [`outcomes/${outcome}`, count] as const),
    ['programs', programs],
  ];
  return {
    ...{ step, marker: _id, at },
    values: values.flatMap(([name, value]) => (Number.isFinite(value) ? [[name, value!] as const] : [])),
  };
};

/** True where the tracker may lack the best program. */
export const hasNewBest = ({ run: { best }, had }: Tracked): boolean => best !== null && best.step > had.step;

/** The first `most` points. The next attempts send the others: attempts are short, so that other workers may take over. */
export const firstPoints = async (points: AsyncIterable<Point>, most: number): Promise<readonly Point[]> => {
  const first: Point[] = [];
  for await (const point of points) if (first.push(point) >= most) break;
  return first;
};

/** What the tracker has once it took these points; `bytes` is the new length of its file. */
export const hasNow = (had: Had, points: readonly Point[], bytes = 0): Had => {
  const { step, marker } = points.at(-1) ?? had;
  return { step, marker, bytes };
};
