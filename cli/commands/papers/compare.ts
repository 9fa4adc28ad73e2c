// evolve compare: runs of one task side by side, their best so far against programs, tokens, cost and time. Runs that
// differ only in their seed are one group; a fork is none of the seeds of the run that it comes from.
import { Option } from 'commander';
import { writeFileSync } from 'node:fs';
import { compareStored } from '../../../client/read/compare.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { comparisonSvg, PLOT_AXES, type PlotAxis } from '../../../evolution/reports/compare-plot.ts';
import { axisRows, comparisonCsv, finalRows } from '../../../evolution/reports/compare-text.ts';
import { AXES } from '../../../evolution/reports/compare.ts';
import { act, describe } from '../../flags/command.ts';
import { withStates } from '../../flags/open.ts';
import { document, json, line, lines, note, wholeFrom } from '../../terminal/output.ts';
import { widthOf } from '../../terminal/screen.ts';
import { table } from '../../terminal/table.ts';

type Options = {
  readonly json?: boolean;
  readonly csv?: string;
  readonly svg?: string;
  readonly axis: PlotAxis;
  readonly gap?: boolean;
  readonly points: string;
};

/** Columns that can be left out in a narrow window, the least needed first. */
const FINAL_LEAST_FIRST = ['time', 'cost', 'tokens', 'in run', 'programs', 'best of all', 'runs'];

export const compareCommand = () =>
  describe('compare')
    .argument('<runs...>', 'ids of runs')
    .option('--points <n>', 'checkpoints of each table', '5')
    .option('--csv <file>', 'write the checkpoints as CSV; - for the standard output')
    .option('--svg <file>', 'draw best so far')
    .addOption(
      new Option('--axis <axis>', 'what the drawing runs along').choices(Object.keys(PLOT_AXES)).default('programs'),
    )
    .option('--gap', 'draw the distance to the best known value, on a logarithmic axis')
    .action(
      act(async (context, options: Options, ids: readonly string[]) =>
        withStates(context, async (store, stand) => {
          const points = wholeFrom(options.points, '--points', 1);
          const documents = [];
          for (const id of ids) documents.push(await findRun(store, id));
          const { report, runs, bestKnown } = await compareStored(
            store,
            await stand(documents),
            Math.min(points, 1_000),
          );
          const { task, direction, scoreName, notes, groups } = report;
          const title = `${task}: ${scoreName}, ${direction === 'maximise' ? 'higher' : 'lower'} is better`;
          if (options.gap === true && bestKnown === null)
            throw new UsageError(
              `--gap: expected a task that names a best known value (references in its task.yaml), got ${task}`,
            );
          if (options.svg !== undefined) {
            writeFileSync(
              options.svg,
              comparisonSvg(runs, {
                title,
                scoreName,
                labels: groups.map(({ label, runs: own }) => `${label} (${own.length})`),
                axis: PLOT_AXES[options.axis],
                ...(options.gap === true ? { gapTo: { value: bestKnown!, direction } } : {}),
              }),
            );
            note(`wrote ${options.svg}`);
          }
          if (options.csv !== undefined && options.csv !== '-') {
            writeFileSync(options.csv, comparisonCsv(report));
            note(`wrote ${options.csv}`);
          }
          if (options.csv === '-') {
            document(comparisonCsv(report));
            return;
          }
          if (context.json) return json(report);
          line(title);
          lines(notes.map((text) => `note: ${text}`));
          line();
          const several = groups.some(({ runs: own }) => own.length > 1);
          const width = widthOf(process.stdout);
          for (const text of table(finalRows(groups), {
            width,
            drop: FINAL_LEAST_FIRST,
            cut: { settings: 12, 'in run': 16 },
          }))
            line(text);
          for (const axis of AXES) {
            if (report.checkpoints[axis].length === 0) continue;
            line();
            line(several ? 'best so far, mean ± standard deviation over seeds, at' : 'best so far, at');
            const rows = axisRows(report, axis);
            // The last checkpoints tell most, so the first ones are left out first.
            for (const text of table(rows, { width, drop: rows[0]!.slice(1, -1) })) line(text);
          }
        }),
      ),
    );
