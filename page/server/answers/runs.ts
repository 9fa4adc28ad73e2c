// Answers about runs as a whole: the list of all, and the report of one.
import { withUnanswered } from '../../../activities/store/bookings.ts';
import { temporalUi } from '../../../client/connection.ts';
import { runReport } from '../../../client/report.ts';
import { findRun } from '../../../client/run-id.ts';
import type { Overview } from '../../data/runs.ts';
import type { Answers } from '../site/site.ts';

export const runAnswers: Answers = (app, site) => {
  app.get('/overview', async (c) => {
    const store = await site.store();
    const ui = temporalUi(site.place);
    const now = new Date();
    const runs = await withUnanswered(store, await store.listRuns());
    const answer: Overview = { runs: runs.map((run) => runReport(run, now, ui)), notes: [] };
    return c.json(answer);
  });
  app.get('/runs/:run/report', async (c) => {
    const store = await site.store();
    const [run] = await withUnanswered(store, [await findRun(store, c.req.param('run'))]);
    return c.json(runReport(run!, new Date(), temporalUi(site.place)));
  });
};
