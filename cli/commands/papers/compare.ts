// evolve compare: runs of one task side by side, their best so far against programs, tokens, cost and time. Runs that
// differ only in their seed are one group; a fork is none of the seeds of the run that it comes from.
import { compareStored } from '../../../client/read/compare.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { axisRows, comparisonCsv, finalRows } from '../../../evolution/reports/compare-text.ts';
import { AXES } from '../../../evolution/reports/compare.ts';
import { act, type Build } from '../../flags/command.ts';
import { withStates } from '../../flags/open.ts';
import { json, line, lines, wholeFrom, writeText } from '../../terminal/output.ts';
import { heightOf, widthOf } from '../../terminal/screen.ts';
import { headed, table } from '../../terminal/table.ts';

type Options = { readonly csv?: string; readonly points: string };

/** Columns that can be left out in a narrow window, the least needed first. */
const FINAL_LEAST_FIRST = ['time', 'cost', 'tokens', 'in run', 'programs', 'best of all', 'runs'];
const MOST_POINTS = 1_000;

export const build: Build = (command) =>
  command
    .argument('<runs...>', 'ids of runs')
    .option('--points <n>', 'checkpoints of each table', '5')
    .option('--csv <file>', 'write the checkpoints as CSV; - for the standard output')
    .action(
      act((context, { csv, points }: Options, ids: readonly string[]) =>
        withStates(context, async (store, { stand }) => {
          const most = Math.min(wholeFrom(points, '--points', 1), MOST_POINTS);
          const documents = [];
          for (const id of ids) documents.push(await findRun(store, id));
          const { report } = await compareStored(store, await stand(documents), most);
          if (csv !== undefined) writeText(csv, comparisonCsv(report));
          if (csv === '-') return;
          if (context.json) json(report);
          else print(report);
        }),
      ),
    );

const print = (report: Awaited<ReturnType<typeof compareStored>>['report']): void => {
  const { task, direction, scoreName, notes, groups } = report;
  line(`${task}: ${scoreName}, ${direction === 'maximise' ? 'higher' : 'lower'} is better`);
  lines(notes.map((text) => `note: ${text}`));
  line();
  const several = groups.some(({ runs }) => runs.length > 1);
  const width = widthOf(process.stdout);
  const height = heightOf(process.stdout);
  // The end of the settings is what tells them apart.
  const cut = { settings: 34, 'in run': 16 };
  for (const text of headed(table(finalRows(groups), { width, drop: FINAL_LEAST_FIRST, cut }), height)) line(text);
  for (const axis of AXES) {
    if (report.checkpoints[axis].length === 0) continue;
    line();
    line(several ? 'best so far, mean ± standard deviation over seeds, at' : 'best so far, at');
    const rows = axisRows(report, axis);
    // The last checkpoints tell most, so the first ones are left out first.
    for (const text of headed(table(rows, { width, drop: rows[0]!.slice(1, -1), cut: { [rows[0]![0]!]: 34 } }), height))
      line(text);
  }
};
