// A run's committed steps as lines over time. What was read is kept by run and only what is new is read after it, so
// that a page that follows a run costs one small read for each commit.
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
import type { Answers } from '../site/site.ts';

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

class StepsReader {
  readonly #all = new WeakMap<Store, Map<string, Promise<Reading>>>();

  /** Reads one after the other, so that no step is counted twice. */
  read(store: Store, run: RunDocument): Promise<Reading> {
    const readings = this.#all.get(store) ?? new Map<string, Promise<Reading>>();
    this.#all.set(store, readings);
    const reading = this.#extend(store, run, readings.get(run.run));
    readings.delete(run.run);
    readings.set(run.run, reading);
    if (readings.size > RUNS_KEPT) readings.delete(readings.keys().next().value!);
    return reading;
  }

  async #extend(store: Store, run: RunDocument, before: Promise<Reading> | undefined): Promise<Reading> {
    // A rewind raises the generation, and a name may be given again after a run was removed.
    const of = `${run.createdAt.getTime()}-${run.generation}`;
    const last = await before?.catch(() => undefined);
    const reading = last?.of === of ? last : begin(of);
    if (reading.next <= run.committedStep)
      for await (const marker of store.eachStep(run, reading.next)) add(reading, run, marker);
    return reading;
  }
}

/** Answers of other subjects read the same steps. */
export const stepsOf = new StepsReader();

/**
 * A run and its steps up to the same commit: meanwhile another question may have read further than this one's document.
 */
export const readTogether = async (
  store: Store,
  seen: RunDocument,
): Promise<{ readonly run: RunDocument; readonly steps: Steps }> => {
  for (let run = seen; ; run = await findRun(store, seen.run)) {
    const { of, curve, records, settings, firstOwn, firstSeen, next } = await stepsOf.read(store, run);
    if (next === run.committedStep + 1)
      return {
        run,
        steps: {
          ...{ run: run.run, lineage: of, points: curve.points(), records: [...records], settings: [...settings] },
          ...{ firstOwn, firstSeen: { ...firstSeen } },
        },
      };
  }
};

export const stepAnswers: Answers = (app, site) => {
  app.get('/runs/:run/steps', async (c) => {
    const store = await site.store();
    return c.json((await readTogether(store, await findRun(store, c.req.param('run')))).steps);
  });
};
