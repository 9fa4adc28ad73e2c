// The interface for programs, a line a route: the objects are those that the command line prints with `--json`.
import { Readable } from 'node:stream';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { readProgram } from '../../../activities/results/program-texts.ts';
import { temporalUi } from '../../../client/connect/connection.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { runReport } from '../../../client/read/report.ts';
import { withUncommitted } from '../../../client/read/uncommitted.ts';
import { usageOf, usageRows } from '../../../client/read/usage.ts';
import { stepsOf } from '../../../client/read/views.ts';
import { curveRows } from '../../../client/rows/curve-rows.ts';
import { ProgramRows } from '../../../client/rows/program-rows.ts';
import { bestReport, showReport, shownProgram } from '../../../client/rows/shown-program.ts';
import type { Outcome } from '../../../evolution/types.ts';
import { type Site, storedRun } from '../site/site.ts';
import { ofThisRun, taskFacts } from '../routes/programs.ts';
import type { Asked, Route } from './route.ts';
import { watched } from './watched.ts';

/** Runs as they stand now. */
const reports = async (site: Site, documents: readonly RunDocument[]) => {
  const { runs } = await site.engine.asTheyStand(await site.withUnanswered(documents));
  const now = new Date();
  return (await withUncommitted(await site.store(), runs)).map((run) => runReport(run, now, temporalUi(site.place)));
};

const stored = ({ site, run }: Asked) => storedRun(site, run);

const programRows = async (asked: Asked) => {
  const { store, run } = await stored(asked);
  const { step, outcome, initial, code, elites, quarantined } = asked.query;
  return ProgramRows.of(store, run, {
    ...(step === undefined ? {} : { step: Number(step) }),
    ...(outcome === undefined ? {} : { outcome: outcome as Outcome }),
    ...{ initial: (initial ?? elites) === 'true', code: code === 'true' },
    ...{ elites: elites === 'true', quarantined: quarantined === 'true' },
  });
};

const shown = async ({ program, ...asked }: Asked) => {
  const { store, run } = await storedRun(asked.site, asked.run);
  const { texts, origin, state, mark } = await shownProgram(store, program);
  ofThisRun(run, texts.program);
  return { mark, ...showReport(texts, origin, state) };
};

const bestOf = async (asked: Asked) => {
  const { store, run } = await stored(asked);
  const texts = run.best === null ? null : await readProgram(store, run.best.program);
  if (run.best === null || texts === null) throw new UsageError(`run ${run.run} has no valid program yet`);
  return bestReport(run, run.best, texts, { code: true, solution: true });
};

const RUN = '/runs/:run';

export const ROUTES: readonly Route[] = [
  {
    ...{ path: '/site', as: 'one', answer: 'Site' },
    summary: 'the version of this server, its home, and whether it only reads',
    give: async ({ site }) => site.about(),
  },
  {
    ...{ path: '/runs', as: 'rows', answer: 'Run' },
    summary: 'every run, newest first, as `evolve list --json`',
    give: async ({ site }) => Readable.from(await reports(site, await (await site.store()).listRuns())),
  },
  {
    ...{ path: RUN, as: 'one', answer: 'Run' },
    summary: 'a run, as `evolve status --json`; `latest` is the newest',
    give: async (asked) => (await reports(asked.site, [(await stored(asked)).run]))[0],
  },
  {
    ...{ path: `${RUN}/programs`, as: 'rows', answer: 'Program' },
    query: ['step', 'outcome', 'initial', 'code', 'elites', 'quarantined'],
    summary: 'its programs, with all columns of `evolve programs --json`',
    give: programRows,
  },
  {
    ...{ path: `${RUN}/steps`, as: 'rows', answer: 'Step', query: ['all'] },
    summary: 'its committed steps, as `evolve steps --json`',
    give: async (asked) => {
      const { store, run } = await stored(asked);
      return stepsOf(store, run.run, asked.query.all === 'true');
    },
  },
  {
    ...{ path: `${RUN}/usage`, as: 'rows', answer: 'Usage' },
    summary: 'its tokens and dollars by model, role and step, as `evolve usage --csv`',
    give: async (asked) => {
      const { store, run } = await stored(asked);
      return Readable.from(usageRows(await usageOf(store, run)));
    },
  },
  {
    ...{ path: `${RUN}/curve`, as: 'rows', answer: 'Curve' },
    summary: 'its best program and sums after each step',
    give: async (asked) => {
      const { store, run } = await stored(asked);
      return curveRows(store, run);
    },
  },
  {
    ...{ path: `${RUN}/programs/:program`, as: 'one', answer: 'ProgramDetails' },
    summary: 'one program with its code, as `evolve show --json`',
    give: shown,
  },
  {
    ...{ path: `${RUN}/best`, as: 'one', answer: 'Best' },
    summary: 'its best program with code and solution',
    give: bestOf,
  },
  {
    ...{ path: `${RUN}/task`, as: 'one', answer: 'Task' },
    summary: 'its task: the direction and name of the score, and the function that a program defines (`entry`)',
    give: async (asked) => {
      const { store, run } = await stored(asked);
      return taskFacts(store, run);
    },
  },
  {
    ...{ path: `${RUN}/watch`, as: 'events', answer: 'Run' },
    summary: 'its states until it has ended, as `evolve watch --json`: server-sent events `state`, `end` and `failed`',
    give: watched,
  },
];
