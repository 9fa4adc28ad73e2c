// The columns of a table that are no runs of their own: the best programs of other runs, scored on named instances
// (CodeEvolve Tables 3 to 5). It is done on demand, because an instance may take a program hours.
import type { Store } from '../../activities/store/store.ts';
import { type CellReport, cellReport, type CellRun } from '../../evolution/experiments/beside.ts';
import type { Case } from '../../evolution/experiments/spec.ts';
import type { Place } from '../connect/connection.ts';
import type { PreparedExperiment } from './experiments.ts';
import { taskFolder } from '../tasks/task-folder.ts';
import { bestCodeOf, scoreOnInstances } from './task-instances.ts';

/**
 * The same reports, with numbers of ours in the cells whose programs were scored. Runs without a valid program are
 * passed over. `tell` is told of every score.
 */
export const withScoredCases = async (
  place: Place,
  store: Store,
  { file, plan, directions }: Pick<PreparedExperiment, 'file' | 'plan' | 'directions'>,
  reports: readonly CellReport[],
  tell: (text: string) => void,
): Promise<readonly CellReport[]> => {
  const scored = new Map<string, CellRun[]>();
  const columns = file.experiment.cases.filter(({ scores }) => scores !== undefined);
  for (const { row, case: source, ours } of reports) {
    const ownColumns = columns.filter(({ scores }) => scores === source);
    if (ownColumns.length === 0) continue;
    for (const run of ours?.runs ?? []) {
      const document = await store.readRun(run);
      if (document === null || document.best === null) continue;
      const code = await bestCodeOf(store, document);
      const scores = await onInstances(place, ownColumns, code, (text) => tell(`${run}: ${text}`));
      for (const [id, score] of scores) {
        const key = cellKey(row, id);
        const before = scored.get(key) ?? [];
        const { totals, config, status } = document;
        const one: CellRun = {
          run,
          seed: config.seed,
          state: status,
          score,
          programs: totals.programs,
          tokens: totals.tokens.in + totals.tokens.out,
          costUsd: totals.costUsd,
          hours: 0,
        };
        scored.set(key, [...before, one]);
      }
    }
  }
  return reports.map((report, index) => {
    const runs = scored.get(cellKey(report.row, report.case));
    const cell = plan.cells[index]!;
    return runs === undefined ? report : cellReport(cell, runs, directions.get(report.case)!);
  });
};

const cellKey = (row: string, id: string): string => JSON.stringify([row, id]);

/** By case, the score in the unit of the table; null where the program has none there. */
const onInstances = async (
  place: Place,
  columns: readonly Case[],
  code: string,
  tell: (text: string) => void,
): Promise<readonly (readonly [id: string, score: number | null])[]> => {
  const folder = await taskFolder(columns[0]!.task);
  const instances = columns.map(({ instance }) => instance!).join(',');
  const rows = await scoreOnInstances(
    place,
    { folder, code, instances, seed: 42, smoke: false, isolation: null },
    ({ instance, outcome, score }) => tell(`${instance}: ${outcome}${score === null ? '' : `, score ${score}`}`),
  );
  return columns.map(({ id, instance }) => {
    const row = rows.find((one) => one.instance === instance);
    return [id, row?.table?.ours ?? row?.score ?? null];
  });
};
