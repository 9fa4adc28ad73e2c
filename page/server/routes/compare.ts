// Runs of one task side by side, as `evolve compare` shows them.
import { compareStored } from '../../../client/read/compare.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { findRun } from '../../../client/read/run-id.ts';
import type { Compared } from '../../api/run/compare.ts';
import type { Answers } from '../site/site.ts';

/** Of each axis; the ends of groups are between them. */
const CHECKPOINTS = 60;
const MOST_RUNS = 60;

export const compareAnswers: Answers = (app, site) => {
  app.get('/compare', async (c) => {
    const names = [...new Set((c.req.query('runs') ?? '').split(',').filter((name) => name !== ''))];
    if (names.length === 0 || names.length > MOST_RUNS)
      throw new UsageError(
        `runs: expected the ids of 1 to ${MOST_RUNS} runs, separated by commas, got ${names.length}`,
      );
    const store = await site.store();
    const documents = [];
    for (const name of names) documents.push(await findRun(store, name));
    const { report, bestKnown } = await compareStored(store, documents, CHECKPOINTS, 'longest');
    const answer: Compared = { ...report, bestKnown };
    return c.json(answer);
  });
};
