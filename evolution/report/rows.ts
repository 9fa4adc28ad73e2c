// Runs beside the values of their papers and the best values known: the rows of `evolve report`. Pure; called by cli/library/task-report.ts.
import { excelOf } from '../ideas/human-best.ts';
import type { Task } from '../task.ts';
import type { Direction } from '../types.ts';

export type ReportedRun = {
  readonly run: string; readonly task: string; readonly method: string; readonly seed: number; readonly state: string;
  /** Best tolerant and best strict objective, which may be of two programs; null without one. */
  readonly best: number | null; readonly bestStrict: number | null;
  /** Of the best program on hidden instances, which no run is ranked by; null where the task has none, or it was not run on them. */
  readonly hidden: number | null;
  readonly programs: number; readonly tokens: number; readonly costUsd: number;
  /** Programs whose score was held back (evolution/quarantine.ts). */
  readonly quarantined: number;
  readonly offlineModel: boolean;
};

export type ReportRow = ReportedRun & {
  readonly scoreName: string; readonly direction: Direction;
  /** Of the paper of the run's method; null where it has none for this task. */
  readonly paper: number | null;
  readonly bestKnown: { readonly value: number; readonly strict: boolean } | null;
  /** AlphaResearch's excel@best, (best - human)·d / |human|: above 0 where the human best is beaten. Of the strict value where the human's is strict. */
  readonly excel: number | null;
};

type Judged = Pick<Task, 'references' | 'direction' | 'scoreName'>;

export const reportRow = (run: ReportedRun, { references, direction, scoreName }: Judged): ReportRow => {
  const human = references.find((reference) => reference.human === true);
  const best = references.find((reference) => reference.best === true);
  const own = human?.strict ? run.bestStrict : run.best;
  return {
    ...run, scoreName, direction,
    paper: references.find(({ paper }) => paper === run.method)?.value ?? null,
    bestKnown: best === undefined ? null : { value: best.value, strict: best.strict },
    excel: human === undefined || own === null || human.value === 0 ? null : excelOf({ best: own, human: human.value, direction }),
  };
};
