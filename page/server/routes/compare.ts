// Runs of one task side by side, as `evolve compare` shows them, and beside the values of papers, as `evolve report`
// does.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { compareStored } from '../../../client/read/compare.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { findRun } from '../../../client/read/run-id.ts';
import type { Compared, Papers } from '../../api/run/compare.ts';
import type { Answers } from '../site/site.ts';
import { reportStored } from '../../../client/papers/task-report.ts';
import { NOTES, sumTables, taskTables } from '../../../evolution/reports/task-report.ts';

/** Checkpoints of each axis; the ends of groups are between them. */
const CHECKPOINTS = 60;
/** Each is read by itself. */
const MOST_RUNS = 60;

/** The runs that a query names; none where it names none and need not. */
const runsIn = async (store: Store, query: string, least: 0 | 1): Promise<readonly RunDocument[]> => {
  const names = [...new Set(query.split(',').filter((name) => name !== ''))];
  if (names.length < least || names.length > MOST_RUNS)
    throw new UsageError(
      `runs: expected the ids of ${least === 0 ? 'at most' : '1 to'} ${MOST_RUNS} runs, separated by commas, got ${names.length}`,
    );
  const documents = [];
  for (const name of names) documents.push(await findRun(store, name));
  return documents;
};

export const compareAnswers: Answers = (app, site) => {
  app.get('/compare', async (c) => {
    const store = await site.store();
    const documents = await runsIn(store, c.req.query('runs') ?? '', 1);
    const { report, bestKnown } = await compareStored(store, documents, CHECKPOINTS, 'longest');
    const answer: Compared = { ...report, bestKnown };
    return c.json(answer);
  });
  app.get('/papers', async (c) => {
    const store = await site.store();
    const named = await runsIn(store, c.req.query('runs') ?? '', 0);
    // Without names, all runs are read at once.
    const { rows, notes } = await reportStored(store, named.length === 0 ? await store.listRuns() : named);
    const tables = taskTables(rows);
    const isShown = (note: string): boolean =>
      !note.startsWith('hidden:') || tables.some(({ head }) => head.includes('hidden'));
    const answer: Papers = { tables, sums: sumTables(rows), notes: [...notes, ...NOTES].filter(isShown) };
    return c.json(answer);
  });
};
