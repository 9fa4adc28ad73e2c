// evolve report: runs of all tasks in one table, beside the values of the papers and the best known values; also as
// Markdown, CSV, LaTeX or a page of one file.
import { resolve } from 'node:path';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { packageVersion } from '../../../deploy/host/home.ts';
import { reportStored } from '../../../client/papers/task-report.ts';
import {
  LEAST_FIRST,
  NOTES,
  reportCsv,
  reportLatex,
  reportMarkdown,
  type ReportRow,
  reportTable,
} from '../../../evolution/reports/task-report.ts';
import { methodSummaries, spreadTable, summaryTable, taskSpreads } from '../../../evolution/reports/method-summary.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { withStates } from '../../flags/open.ts';
import { json, line, lines, note, notes, writeText } from '../../terminal/output.ts';
import { heightOf, statePaint, widthOf } from '../../terminal/screen.ts';
import { headed, table } from '../../terminal/table.ts';

type Options = {
  readonly markdown?: string;
  readonly csv?: string;
  readonly latex?: string;
  readonly page?: string;
  readonly summary?: boolean;
  readonly sweep?: string;
};

export const build: Build = (command) =>
  command
    .argument('[runs...]', 'ids of runs; all when left out')
    .option('--sweep <name>', 'only the runs of this sweep')
    .option('--markdown <file>', 'write the table as Markdown; - for the standard output')
    .option('--csv <file>', 'write it as CSV; - for the standard output')
    .option('--latex <file>', 'write it as LaTeX tables for \\input; - for the standard output')
    .option('--page <file>', 'write it as one HTML file that opens from disk, with the comparison of each task')
    .option('--summary', 'only what it comes to: spread over runs, mean excel@best and wins of each method')
    .action(
      act((context, options: Options, ids: readonly string[]) =>
        withStates(context, async (store, { stand }) => {
          const chosen = await chosenRuns(store, ids, options.sweep);
          const report = await reportStored(store, await stand(chosen));
          const { rows } = report;
          notes(report.notes.map((text) => `note: ${text}`));
          if (options.markdown !== undefined) writeText(options.markdown, reportMarkdown(rows));
          if (options.csv !== undefined) writeText(options.csv, reportCsv(rows));
          if (options.latex !== undefined) writeText(options.latex, reportLatex(rows));
          if (options.page !== undefined) await page(context, chosen, options.page);
          const summary = options.summary === true;
          if (context.json)
            return json(summary ? { spreads: taskSpreads(rows), methods: methodSummaries(rows) } : rows);
          if (![options.markdown, options.csv, options.latex].includes('-')) print(rows, summary);
        }),
      ),
    );

const chosenRuns = async (
  store: Store,
  ids: readonly string[],
  sweep: string | undefined,
): Promise<readonly RunDocument[]> => {
  const named = [];
  for (const id of ids) named.push(await findRun(store, id));
  const all = ids.length === 0 ? await store.listRuns() : named;
  const chosen = all.filter((run) => sweep === undefined || run.sweep === sweep);
  if (chosen.length > 0) return chosen;
  throw new UsageError(
    sweep === undefined
      ? 'there are no runs yet: start one with `npm start` or `npx evolve run`'
      : `there are no runs of a sweep "${sweep}" among these`,
  );
};

const print = (rows: readonly ReportRow[], summary: boolean): void => {
  const width = widthOf(process.stdout);
  const isOneTask = new Set(rows.map(({ task }) => task)).size === 1;
  const drop = [...(isOneTask ? ['task'] : []), 'programs', 'worst', 'best'];
  const tables = [
    ...(summary
      ? []
      : [
          table(reportTable(rows), {
            ...{ width, drop: LEAST_FIRST, cut: { task: 16, run: 20 } },
            paint: { state: statePaint(process.stdout) },
          }),
        ]),
    ...[spreadTable(rows), summaryTable(rows)]
      .filter(({ length }) => length > 1)
      .map((sum) => table(sum, { width, cut: { task: 16, method: 15, settings: 26 }, drop })),
  ];
  const told = tables.flatMap((one) => [...headed(one, heightOf(process.stdout)), '']);
  for (const text of told) line(text);
  // Notes on what is not shown push the tables out of a small window.
  lines(NOTES.filter((text) => told.some((shown) => shown.includes(text.split(/[: ]/)[0]!))));
};

/** The page's table of runs beside their papers, with their comparison. */
const page = async (context: Context, documents: readonly RunDocument[], to: string): Promise<void> => {
  if (to === '-') throw new UsageError('--page: expected a file, got -: a page is no text to read along');
  // Is loaded here, for the page's server and its bundler are large.
  const [{ exportPapers }, { bundle }, { openSite }, { pageFolder }] = await Promise.all([
    import('../../../page/export/export-papers.ts'),
    import('../../../page/bundle.ts'),
    import('../../../page/server/site/site.ts'),
    import('../../../page/server/rows/row-files.ts'),
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
