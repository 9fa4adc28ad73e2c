// GET papers: runs beside the values of their papers, as `evolve report` shows them. `papers?runs=a,b` has these alone.
import type { sumTables, TaskTable } from '../../../evolution/reports/task-report.ts';

export type Papers = {
  readonly tables: readonly TaskTable[];
  readonly sums: ReturnType<typeof sumTables>;
  readonly notes: readonly string[];
};
