// evolve report: runs of all tasks in one table, beside the values of the papers and the best known values; also as
// Markdown, CSV or an HTML page.
import { writeFileSync } from 'node:fs';
import { UsageError } from '../../client/errors.ts';
import { findRun } from '../../client/run-id.ts';
import { reportStored } from '../../client/task-report.ts';
import {
  LEAST_FIRST,
  NOTES,
  reportCsv,
  reportMarkdown,
  reportPage,
  reportTable,
} from '../../evolution/reports/task-report.ts';
import { act, describe } from '../flags/command.ts';
import { withStates } from '../flags/open.ts';
import { document, json, line, lines, note } from '../terminal/output.ts';
import { statePaint, widthOf } from '../terminal/screen.ts';
import { table } from '../terminal/table.ts';

type Options = {
  readonly json?: boolean;
  readonly markdown?: string;
  readonly csv?: string;
  readonly page?: string;
  readonly sweep?: string;
};

export const reportCommand = () =>
  describe('report')
    .argument('[runs...]', 'ids of runs; all when left out')
    .option('--sweep <name>', 'only the runs of this sweep')
    .option('--markdown <file>', 'write the table as Markdown; - for the standard output')
    .option('--csv <file>', 'write it as CSV; - for the standard output')
    .option('--page <file>', 'write it as one HTML file')
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
            write(options.page, () =>
              reportPage(rows, new Date().toISOString().slice(0, 16).replace('T', ' ').concat(' UTC')),
            ),
          ];
          if (context.json) return json(rows);
          if (written.includes('-')) return;
          const fit = {
            width: widthOf(process.stdout),
            drop: LEAST_FIRST,
            cut: { task: 16, run: 20 },
            paint: { state: statePaint(process.stdout) },
          };
          for (const text of table(reportTable(rows), fit)) line(text);
          line();
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
