// Runs and sweeps as a whole: the lists of all, the report of one.
import type { RunDocument, SweepDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { temporalUi } from '../../../client/connect/connection.ts';
import { runReport } from '../../../client/read/report.ts';
import { limitsOf, paceOf } from '../../../client/read/advice.ts';
import { isPriced, modelNames } from '../../../evolution/models/ensemble.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import type { Overview, RunCard } from '../../api/run/runs.ts';
import type { Answers } from '../site/site.ts';
import { trends } from '../site/trends.ts';
import { nextOf } from './overview.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { experimentReport, experimentsOf, madeBy } from '../../../client/papers/experiments.ts';
import { experimentFigure } from '../../../client/papers/figures.ts';
import { besideTable } from '../../../evolution/experiments/beside.ts';
import { sweepReportWithDirections } from '../../../client/read/sweep-report.ts';
import type { PaperFigure, PaperFigures, SweepAnswer, SweepList } from '../../api/run/sweeps.ts';

const sweepNamed = async (store: Store, name: string): Promise<SweepDocument> => {
  const sweep = await store.readSweep(name);
  if (sweep === null) throw new UsageError('there is no sweep of this name: `npx evolve sweep list` names them');
  return sweep;
};

/** The rate of so many runs is read. */
const MOST_RATES = 24;

/** The settings that the sweeps of these runs vary, by run. */
const variedOf = async (store: Store, runs: readonly RunDocument[]): Promise<ReadonlyMap<string, RunCard['varied']>> =>
  runs.every(({ sweep }) => sweep === null)
    ? new Map()
    : new Map(
        (await store.listSweeps()).flatMap((sweep) =>
          sweep.runs.map(({ run, group }) => [run, sweep.groups[group] ?? null] as const),
        ),
      );

export const runAnswers: Answers = (app, site) => {
  const trendOf = trends();
  app.get('/overview', async (c) => {
    const store = await site.store();
    const now = new Date();
    const { runs, note } = await site.engine.asTheyStand(await site.withUnanswered(await store.listRuns()));
    const open = new Set(runs.filter((run) => !hasEnded(run)).slice(0, MOST_RATES));
    const varied = await variedOf(store, runs);
    const cards = runs.map(async (run): Promise<RunCard> => ({
      ...runReport(run, now, temporalUi(site.place)),
      known: await site.known(run),
      limits: limitsOf(run, now),
      rate: open.has(run) ? await paceOf(store, run, now) : null,
      ...(await trendOf(store, run)),
      next: nextOf(run, now).next,
      model: modelNames(run.config),
      priced: isPriced(run.config),
      varied: varied.get(run.run) ?? null,
    }));
    const answer: Overview = { runs: await Promise.all(cards), notes: note === null ? [] : [note] };
    return c.json(answer);
  });
  app.get('/sweeps', async (c) => {
    const sweeps = await (await site.store()).listSweeps();
    const answer: SweepList = {
      sweeps: sweeps.map(({ _id, status, runs, groups, createdAt }) => ({
        sweep: _id,
        status,
        runs: runs.length,
        groups: groups.length,
        createdAt: createdAt.toISOString(),
      })),
    };
    return c.json(answer);
  });
  app.get('/sweeps/:sweep/figures', async (c) => {
    const store = await site.store();
    const figures: PaperFigure[] = [];
    for (const made of await experimentsOf(await sweepNamed(store, c.req.param('sweep')))) {
      const { experiment } = made.file;
      const cells = await experimentReport(store, made);
      const { panels } = await experimentFigure(store, made, cells);
      const table = besideTable(experiment, cells);
      if (panels.length > 0) figures.push({ title: experiment.title, source: experiment.source, table, panels });
    }
    return c.json({ figures } satisfies PaperFigures);
  });
  app.get('/sweeps/:sweep', async (c) => {
    const store = await site.store();
    const sweep = await sweepNamed(store, c.req.param('sweep'));
    const { report, directions } = await sweepReportWithDirections(store, sweep);
    const ofPaper = madeBy(sweep) !== null;
    return c.json({ ...report, ofPaper, directions: Object.fromEntries(directions) } satisfies SweepAnswer);
  });
};
