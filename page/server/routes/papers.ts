// Runs of all tasks beside the values of their papers and the best known ones, as `evolve report` shows them.
import { UsageError } from '../../../client/connect/errors.ts';
import { reportStored } from '../../../client/papers/task-report.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { NOTES, sumTables, taskTables } from '../../../evolution/reports/task-report.ts';
import type { Papers } from '../../api/run/papers.ts';
import type { Answers } from '../site/site.ts';

/** Each is read by itself. Without names, all runs are read at once. */
const MOST_RUNS = 60;

export const paperAnswers: Answers = (app, site) => {
  app.get('/papers', async (c) => {
    const store = await site.store();
    const names = [...new Set((c.req.query('runs') ?? '').split(',').filter((name) => name !== ''))];
    if (names.length > MOST_RUNS)
      throw new UsageError(
        `runs: expected the ids of at most ${MOST_RUNS} runs, separated by commas, got ${names.length}`,
      );
    const documents = [];
    for (const name of names) documents.push(await findRun(store, name));
    const { rows, notes } = await reportStored(store, names.length === 0 ? await store.listRuns() : documents);
    const answer: Papers = { tables: taskTables(rows), sums: sumTables(rows), notes: [...notes, ...NOTES] };
    return c.json(answer);
  });
};
