// The best of each run after some of its steps, and when it became the best: what the list of runs draws and tells. Few
// markers of steps are read, and each once.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import { rankingScore } from '../../../evolution/scoring/ranking.ts';
import type { RunCard } from '../../api/run/runs.ts';
import { lineageOf } from '../rows/run-rows.ts';
import { Kept } from './kept.ts';
import { turnsOf } from './turns.ts';

const MOST_POINTS = 24;
const MOST_RUNS = 20_000;
const AT_ONCE = 4;

/** Steps at equal distances, which doubles as a run grows: so those that are wanted later are mostly known. */
export const spreadSteps = (last: number): readonly number[] => {
  let distance = 1;
  while (last / distance >= MOST_POINTS) distance *= 2;
  return range(0, Math.floor(last / distance) + 1).map((place) => place * distance);
};

export type TrendOf = (store: Pick<Store, 'stepsAt'>, run: RunDocument) => Promise<Pick<RunCard, 'trend' | 'improved'>>;

type Point = { readonly at: Date; readonly best: number | null };

/** As exact as a small picture and its words need it. */
const short = (value: number): number => Number(value.toPrecision(8));

export const trends = (): TrendOf => {
  const kept = new Kept<Map<number, Point>>(MOST_RUNS);
  const turn = turnsOf({ atOnce: AT_ONCE });
  return async (store, run) => {
    const { committedStep, best, config } = run;
    const { scoring } = config.evaluation;
    if (best === null || committedStep < 0) return { trend: [], improved: null };
    const points = await kept.get(`${run.run} ${lineageOf(run)} ${scoring}`, async () => new Map<number, Point>());
    const steps = spreadSteps(committedStep);
    const lacking = [...new Set([...steps, best.step])].filter((step) => !points.has(step));
    const markers = lacking.length === 0 ? [] : await turn(() => store.stepsAt(run, lacking));
    for (const marker of markers)
      points.set(marker.step, { at: marker.at, best: marker.best && rankingScore(marker.best, scoring) });
    const known = steps.flatMap((step) => {
      const value = points.get(step)?.best ?? null;
      return value === null ? [] : [[step, short(value)] as const];
    });
    const now = [committedStep, short(rankingScore(best, scoring))] as const;
    const at = points.get(best.step)?.at;
    return {
      trend: known.at(-1)?.[0] === committedStep ? known : [...known, now],
      improved: at === undefined ? null : { step: best.step, at: at.toISOString() },
    };
  };
};
