// evolve report: runs of all tasks in one table, beside the values of the papers and the best known values; also as
// Markdown, CSV or a page of one file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { compareStored } from '../../../client/read/compare.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { packageVersion } from '../../../deploy/host/home.ts';
import { reportStored } from '../../../client/papers/task-report.ts';
import { LEAST_FIRST, NOTES, reportCsv, reportMarkdown, reportTable } from '../../../evolution/reports/task-report.ts';
import { inventsScores } from '../../../evolution/config/noop.ts';
import { comparisonSvg, PLOT_AXES } from '../../../evolution/reports/compare-plot.ts';
import { methodSummaries, spreadTable, summaryTable, taskSpreads } from '../../../evolution/reports/method-summary.ts';
import { taskName } from '../../../evolution/task.ts';
import { act, type Context, describe } from '../../flags/command.ts';
import { withStates } from '../../flags/open.ts';
import { document, json, line, lines, note } from '../../terminal/output.ts';
import { statePaint, widthOf } from '../../terminal/screen.ts';
import { table } from '../../terminal/table.ts';

type Options = {
  readonly json?: boolean;
  readonly markdown?: string;
  readonly csv?: string;
  readonly page?: string;
  readonly plots?: string;
  readonly summary?: boolean;
  readonly sweep?: string;
};

export const reportCommand = () =>
  describe('report')
    .argument('[runs...]', 'ids of runs; all when left out')
    .option('--sweep <name>', 'only the runs of this sweep')
    .option('--markdown <file>', 'write the table as Markdown; - for the standard output')
    .option('--csv <file>', 'write it as CSV; - for the standard output')
    .option('--page <file>', 'write it as one HTML file that opens from disk, with the comparison of each task')
    .option('--plots <folder>', 'draw the runs of each task against programs, tokens and cost, as SVG files')
    .option('--summary', 'only what it comes to: spread over runs, mean excel@best and wins of each method')
    .action(
      act(async (context, options: Options, ids: readonly string[]) =>
        withStates(context, async (store, stand) => {
          const documents = [];
          for (const id of ids) documents.push(await findRun(store, id));
          const chosen = (ids.length === 0 ? await store.listRuns() : documents).filter(
            ({ sweep }) => options.sweep === undefined || sweep === options.sweep,
          );
          if (chosen.length === 0)
            throw new UsageError(
              options.sweep === undefined
                ? 'there are no runs yet: start one with `npm start` or `npx evolve run`'
                : `there are no runs of a sweep "${options.sweep}" among these`,
            );
          const { rows, notes } = await reportStored(store, await stand(chosen));
          for (const text of notes) note(`note: ${text}`);
          const written = [
            write(options.markdown, () => reportMarkdown(rows)),
            write(options.csv, () => reportCsv(rows)),
          ];
          if (options.page !== undefined) await page(context, chosen, options.page);
          if (options.plots !== undefined) await drawn(store, chosen, options.plots);
          const below = { spreads: taskSpreads(rows), methods: methodSummaries(rows) };
          if (context.json) return json(options.summary === true ? below : rows);
          if (written.includes('-')) return;
          const fit = {
            width: widthOf(process.stdout),
            drop: LEAST_FIRST,
            cut: { task: 16, run: 20 },
            paint: { state: statePaint(process.stdout) },
          };
          if (options.summary !== true) {
            for (const text of table(reportTable(rows), fit)) line(text);
            line();
          }
          for (const sum of [spreadTable(rows), summaryTable(rows)].filter(({ length }) => length > 1)) {
            for (const text of table(sum, { width: fit.width, cut: { task: 16, method: 12 } })) line(text);
            line();
          }
          lines(NOTES);
        }),
      ),
    );

const write = (file: string | undefined, text: () => string): string | undefined => {
  if (file === '-') document(text());
  else if (file !== undefined) {
    writeFileSync(file, text());
    note(`wrote ${file}`);
  }
  return file;
};

/** The page's table of runs beside their papers, with their comparison. */
const page = async (context: Context, documents: readonly RunDocument[], to: string): Promise<void> => {
  if (to === '-') throw new UsageError('--page: expected a file, got -: a page is no text to read along');
  // Is loaded here, for the page's server and its bundler are large.
  const [{ exportPapers }, { bundle }, { openSite }, { pageFolder }] = await Promise.all([
    import('../../../page/export/export-papers.ts'),
    import('../../../page/bundle.ts'),
    import('../../../page/server/site/site.ts'),
    import('../../../page/server/site/page-folder.ts'),
  ]);
  const site = openSite(context, { version: packageVersion(), readOnly: null });
  try {
    const { refused } = await exportPapers(site, await bundle(pageFolder(context.home)), documents, resolve(to));
    for (const { path, message } of refused) note(`note: without ${path}: ${message}`);
    note(`wrote ${to}`);
  } finally {
    await site.close();
  }
};

/** Three drawings a task: the distance to the best known value on a logarithmic axis, or the best score without one. */
const drawn = async (store: Store, documents: readonly RunDocument[], folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const real = documents.filter(({ config, committedStep }) => committedStep >= 0 && !inventsScores(config));
  for (const [task, own] of Map.groupBy(real, ({ config }) => taskName(config.task))) {
    const { report, runs, bestKnown } = await compareStored(store, own, 1);
    const { direction, scoreName, groups } = report;
    for (const axis of ['programs', 'tokens', 'cost'] as const) {
      const file = join(folder, `${task}-${axis}.svg`);
      const plot = comparisonSvg(runs, {
        title: `${task}: ${scoreName}, ${direction === 'maximise' ? 'higher' : 'lower'} is better`,
        scoreName,
        labels: groups.map(({ label, runs: members }) => `${label} (${members.length})`),
        axis: PLOT_AXES[axis],
        ...(bestKnown === null ? {} : { gapTo: { value: bestKnown, direction } }),
      });
      writeFileSync(file, plot);
      note(`wrote ${file}`);
    }
  }
};
