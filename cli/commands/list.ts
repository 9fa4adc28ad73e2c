// evolve list: every run, newest first.
import { act, describe } from '../command.ts';
import { temporalUi, withStore } from '../connection.ts';
import { json, line, score, table } from '../output.ts';
import { runReport } from '../report.ts';

export const listCommand = () => describe('list', 'list all runs, newest first')
  .action(act(async (context, _options: { readonly json?: boolean }) => withStore(context, async (store) => {
    const runs = await store.listRuns();
    const ui = temporalUi(context);
    if (context.json) return json(runs.map((run) => runReport(run, new Date(), ui)));
    if (runs.length === 0) return line('no runs yet: start one with `npm start` or `npx evolve run`');
    const rows = runs.map((run) => [
      run.run, run.status, run.config.task, run.config.method, `step ${Math.max(0, run.committedStep)}`,
      `${run.totals.programs} programs`, `best ${score(run.best?.score)}`, run.createdAt.toISOString().slice(0, 16).replace('T', ' '),
    ]);
    for (const text of table(rows)) line(text);
  })));
