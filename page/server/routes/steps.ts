// A run's committed steps as lines over time.
import type { RunDocument, StepDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { findRun } from '../../../client/read/run-id.ts';
import { rankingScore } from '../../../evolution/scoring/ranking.ts';
import {
  Curve,
  FAILURES,
  type Failure,
  type SettingsMark,
  type StepPoint,
  type StepRecord,
  type Steps,
} from '../../api/run/steps.ts';
import { ReadOn } from '../site/read-on.ts';
import { type Answers, storedRun } from '../site/site.ts';

const RUNS_KEPT = 8;

type Reading = {
  readonly of: string;
  readonly curve: Curve;
  readonly records: StepRecord[];
  readonly settings: SettingsMark[];
  readonly firstSeen: { [outcome in Failure]?: number };
  readonly migrated: { readonly step: number; readonly atMs: number }[];
  firstOwn: number;
  next: number;
  firstMs: number | null;
  lastMigration: number;
  migrations: number;
};

/** A run of many steps has more migrations than anybody reads. */
const MIGRATIONS_KEPT = 200;

const begin = (of: string): Reading => ({
  of,
  curve: new Curve(),
  records: [],
  settings: [],
  firstSeen: {},
  migrated: [],
  firstOwn: 0,
  next: 0,
  firstMs: null,
  lastMigration: 0,
  migrations: 0,
});

const add = (reading: Reading, run: RunDocument, marker: StepDocument): void => {
  const { step, totals, best, at, pausedMs, population, configVersion } = marker;
  reading.next = step + 1;
  reading.firstMs ??= at.getTime();
  if (population.lastMigration !== reading.lastMigration) {
    reading.lastMigration = population.lastMigration;
    reading.migrations += 1;
    reading.migrated.push({ step, atMs: at.getTime() });
    if (reading.migrated.length > MIGRATIONS_KEPT) reading.migrated.shift();
  }
  const before = reading.curve.last();
  for (const outcome of FAILURES)
    if ((totals.failures[outcome] ?? 0) > (before?.failures[outcome] ?? 0)) reading.firstSeen[outcome] ??= step;
  const point: StepPoint = {
    step,
    programs: totals.programs,
    valid: totals.valid,
    failures: totals.failures,
    tokens: totals.tokens.in + totals.tokens.out,
    costUsd: totals.costUsd,
    atMs: at.getTime(),
    pausedMs,
    // The run that a fork comes from may have gone on later.
    seconds: Math.max(before?.seconds ?? 0, (at.getTime() - reading.firstMs) / 1000),
    alive: population.size,
    migrations: reading.migrations,
  };
  reading.curve.add(point);
  if (marker.run !== run.run) reading.firstOwn = step + 1;
  // The versions of a fork's first steps count the settings of another run.
  else if (reading.settings.at(-1)?.version !== configVersion)
    reading.settings.push({ step, programs: before?.programs ?? 0, version: configVersion, atMs: at.getTime() });
  if (best !== null && best.program !== reading.records.at(-1)?.program)
    reading.records.push({
      ...{ step, programs: point.programs, tokens: point.tokens, costUsd: point.costUsd, atMs: point.atMs },
      ...{ seconds: point.seconds, program: best.program, score: best.score, strict: best.strictScore },
      ranking: rankingScore(best, run.config.evaluation.scoring),
    });
};

/** Answers of other subjects read the same steps. */
export const stepsOf = new ReadOn<Reading>({
  most: RUNS_KEPT,
  begin: ({ createdAt, generation }) => begin(`${createdAt.getTime()}-${generation}`),
  async readOn(reading, store, run) {
    if (reading.next > run.committedStep) return;
    for await (const marker of store.eachStep(run, reading.next)) add(reading, run, marker);
  },
});

/**
 * A run and its steps up to the same commit: meanwhile another question may have read further than this one's document.
 */
export const readTogether = async (
  store: Store,
  seen: RunDocument,
): Promise<{ readonly run: RunDocument; readonly steps: Steps }> => {
  for (let run = seen; ; run = await findRun(store, seen.run)) {
    const { of, curve, records, settings, firstOwn, firstSeen, next } = await stepsOf.of(store, run);
    if (next === run.committedStep + 1)
      return {
        run,
        steps: {
          ...{ run: run.run, lineage: of, points: curve.points(), records: [...records], settings: [...settings] },
          ...{ firstOwn, firstSeen: { ...firstSeen } },
          ...rescoredIn(run),
        },
      };
  }
};

const rescoredIn = ({ rescorings = [], committedStep }: RunDocument): Pick<Steps, 'rescored'> => {
  const rescored = rescorings.flatMap(({ step, refused }) =>
    step !== null && step <= committedStep && refused === undefined ? [step] : [],
  );
  return rescored.length === 0 ? {} : { rescored };
};

export const stepAnswers: Answers = (app, site) => {
  app.get('/runs/:run/progress', async (c) => {
    const { store, run } = await storedRun(site, c.req.param('run'));
    return c.json((await readTogether(store, run)).steps);
  });
};
