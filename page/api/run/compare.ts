// GET compare?runs=a,b: runs of one task side by side, as `evolve compare` shows them. GET papers?runs=a,b: runs beside
// the values of their papers, as `evolve report` shows them; without names all runs.
import type { Axis, ComparedGroup, Comparison } from '../../../evolution/reports/compare.ts';
import type { RunReport } from './runs.ts';
import type { Direction } from '../../../evolution/types.ts';
import type { sumTables, TaskTable } from '../../../evolution/reports/task-report.ts';

export type { ComparedGroup } from '../../../evolution/reports/compare.ts';

export type Compared = Comparison & {
  readonly task: string;
  readonly direction: Direction;
  readonly scoreName: string;
  readonly notes: readonly string[];
  readonly bestKnown: number | null;
};

export type Band = {
  readonly mean: readonly (number | null)[];
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
};

/** The mean of a group at the checkpoints of an axis, with one standard deviation on either side. */
export const bandOf = ({ at }: Pick<ComparedGroup, 'at'>, axis: Axis): Band => ({
  mean: at[axis].map(({ mean }) => mean),
  low: at[axis].map(({ mean, sd }) => (mean === null ? null : mean - (sd ?? 0))),
  high: at[axis].map(({ mean, sd }) => (mean === null ? null : mean + (sd ?? 0))),
});

const MOST_OF_A_TEXT = 40;

/** The label of a group with its long texts, such as hints, by their beginnings. */
export const shortLabel = (label: string): string =>
  label.replace(/“([^”]*)”/g, (whole, text: string) =>
    text.length <= MOST_OF_A_TEXT ? whole : `“${text.slice(0, MOST_OF_A_TEXT).trimEnd()} …”`,
  );

type Comparable = Pick<RunReport, 'run' | 'task' | 'programs' | 'createdAt' | 'scoresInvented'>;
/** As many as have a colour of their own. */
const FIRST = 8;
/** One that has made less than this part of the usual number of programs is a dot beside the lines of the others. */
const LEAST_SHARE = 0.1;

const newestFirst = (a: Comparable, b: Comparable): number => b.createdAt.localeCompare(a.createdAt);

/** Scores of a run without evaluations are invented, and compared with none. */
const hasScores = ({ programs, scoresInvented }: Comparable): boolean => programs > 0 && !scoresInvented;

/** The task of the newest run that has made a program; else that of the newest. */
export const firstTask = (runs: readonly Comparable[]): string | null => {
  const newest = [...runs].sort(newestFirst);
  return (newest.find(hasScores) ?? newest[0])?.task ?? null;
};

/** The runs that are compared before anybody has chosen: the newest of a task. */
export const firstCompared = (runs: readonly Comparable[], task: string): readonly string[] => {
  const own = runs.filter((run) => run.task === task && hasScores(run));
  const sizes = own.map(({ programs }) => programs).sort((a, b) => a - b);
  const usual = sizes[sizes.length >> 1] ?? 0;
  return own
    .filter(({ programs }) => programs >= LEAST_SHARE * usual)
    .sort(newestFirst)
    .slice(0, FIRST)
    .map(({ run }) => run);
};

export type Papers = {
  readonly tables: readonly TaskTable[];
  readonly sums: ReturnType<typeof sumTables>;
  readonly notes: readonly string[];
};
