// Answers about runs as a whole: the list of all, and the report of one.
import { withUnanswered } from '../../../activities/store/bookings.ts';
import type { RunDocument } from '../../../activities/store/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { temporalUi } from '../../../client/connection.ts';
import { runReport } from '../../../client/report.ts';
import { aboutRun } from '../../../client/state-findings.ts';
import { modelNames } from '../../../evolution/models/ensemble.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import type { Overview, RunCard } from '../../data/runs.ts';
import type { Answers, Site } from '../site/site.ts';

/** A rate is that of so many steps, and of so many runs it is looked at. */
const RATE_STEPS = 10;
const MOST_RATES = 24;

/** Programs an hour, until now, so that a run that stands still becomes slower. */
const perHour = async (store: Store, run: RunDocument, now: Date): Promise<number | null> => {
  if (run.status !== 'running' || run.committedStep < 1) return null;
  const first = Math.max(0, run.committedStep - RATE_STEPS);
  for await (const { at, totals } of store.eachStep(run.run, first)) {
    const hours = (now.getTime() - at.getTime()) / 3_600_000;
    return hours > 0 ? (run.totals.programs - totals.programs) / hours : null;
  }
  return null;
};

const cardOf = async (site: Site, store: Store, run: RunDocument, rated: boolean, now: Date): Promise<RunCard> => {
  const [finding] = aboutRun({ run, live: null, now });
  return {
    ...runReport(run, now, temporalUi(site.place)),
    known: await site.known(run),
    perHour: rated ? await perHour(store, run, now) : null,
    next: { urgent: finding?.ok === false, what: finding?.detail ?? run.status, command: finding?.command ?? null },
    model: modelNames(run.config),
  };
};

export const runAnswers: Answers = (app, site) => {
  app.get('/overview', async (c) => {
    const store = await site.store();
    const now = new Date();
    const { runs, note } = await site.engine.asTheyStand(await withUnanswered(store, await store.listRuns()));
    const open = new Set(runs.filter((run) => !hasEnded(run)).slice(0, MOST_RATES));
    // All at once, because what is known of a run is read by a process.
    await Promise.all(runs.map(site.known));
    const cards: RunCard[] = [];
    for (const run of runs) cards.push(await cardOf(site, store, run, open.has(run), now));
    const answer: Overview = { runs: cards, notes: note === null ? [] : [note] };
    return c.json(answer);
  });
  app.get('/runs/:run/report', async (c) => {
    const store = await site.store();
    const { runs } = await site.engine.asTheyStand([await site.looks.run(c.req.param('run'))]);
    const [run] = await withUnanswered(store, runs);
    return c.json(runReport(run!, new Date(), temporalUi(site.place)));
  });
};
