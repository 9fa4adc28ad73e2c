// Sampling and commit of a whole step (32 parents with elites, diverse nodes and inspirations; 512 children) by how
// many programs are alive and how many remembered. Goals are for 2 cores and the default database.
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { connectStore } from '../../../activities/store/mongo/connect-store.ts';
import type { TestHome } from '../../support/machine/home.ts';
import type { Goal, Judge } from '../conditions.ts';
import { benchOpenEvolve } from './openevolve.ts';
import { uniqueShareOf } from './population-content.ts';
import { type BenchDatabase, openDatabaseAt, startDatabaseAlone } from './population-database.ts';
import { type Measuring, startMeasuring } from './population-measuring.ts';
import type { Measured } from './population-process.ts';
import { createGrowing, fill, type Grower, openGrower, PER_STEP } from './population-step.ts';
import { residentOf, sampleTree } from '../processes.ts';

export type PopulationFlags = {
  /** Goes on to 300,000 remembered. */
  readonly full: boolean;
  readonly openevolve: boolean;
  /** One run of this size in place of the usual ones: for a try. */
  readonly alive?: number | undefined;
  readonly remembered?: number | undefined;
  /** Measured steps a point; the median counts. */
  readonly steps: number;
};

type Growth = { readonly alive: number; readonly remembered: readonly number[] };
type Rebuilt = {
  readonly programs: number;
  readonly steps: number;
  readonly seconds: number;
  readonly differences: number;
};

const WARM_UP = 2;
const MOST_GROWTH = 1.2;

export const benchPopulation = async (
  home: TestHome,
  say: (line: string) => void,
  judge: Judge,
  flags: PopulationFlags,
): Promise<unknown> => {
  const growths = growthsOf(flags);
  const ours = await withDatabase(await startDatabaseAlone(home.env, say), (database) =>
    measureOn(database, growths, flags.steps, say, judge),
  );
  const uri = process.env.MONGODB_URI;
  const mongodb =
    uri === undefined || uri === ''
      ? null
      : await withDatabase(await openDatabaseAt(uri), (database) =>
          measureOn(database, growths, flags.steps, say, judge),
        );
  const openevolve = flags.openevolve ? await benchOpenEvolve(home.dir, say) : null;
  return { ...ours, ...(mongodb === null ? {} : { mongodb }), ...(openevolve === null ? {} : { openevolve }) };
};

const growthsOf = ({ full, alive, remembered }: PopulationFlags): readonly Growth[] => {
  if (alive !== undefined || remembered !== undefined)
    return [{ alive: alive ?? remembered!, remembered: [remembered ?? alive!] }];
  return [
    { alive: 1_000, remembered: [1_000, 10_000, 100_000] },
    { alive: 10_000, remembered: [10_000, 100_000, ...(full ? [300_000] : [])] },
  ];
};

const withDatabase = async <T>(database: BenchDatabase, work: (database: BenchDatabase) => Promise<T>): Promise<T> => {
  try {
    return await work(database);
  } finally {
    await database.stop();
  }
};

const measureOn = async (
  database: BenchDatabase,
  growths: readonly Growth[],
  steps: number,
  say: (line: string) => void,
  judge: Judge,
): Promise<Record<string, unknown>> => {
  say(`  database: ${database.product}`);
  const grower = await openGrower({ uri: database.uri, database: database.name, log: (line) => say(`  ${line}`) });
  const measuring = startMeasuring(database);
  try {
    // The first steps of a process are slow, whatever the population.
    await createGrowing(grower, 'warm', 100);
    await measuring.measure({ run: 'warm', warmUp: 3, steps: 1 });
    const points: Measured[] = [];
    let uniqueShare: number | null = null;
    let rebuilt: Rebuilt | null = null;
    for (const { alive, remembered } of growths) {
      const run = `alive${alive}`;
      await createGrowing(grower, run, alive);
      for (const target of remembered) {
        points.push(await measureAt({ grower, measuring, run, target, steps, say }));
        const last = points.at(-1)!;
        if (
          alive === growths.at(-1)!.alive &&
          (target === 100_000 || (target === remembered.at(-1) && rebuilt === null))
        ) {
          uniqueShare = await shareOfUnique(database, run);
          rebuilt = await rebuild(database, run, grower);
          say(
            `  alive ${last.alive}: ${(100 * uniqueShare).toFixed(2)} % unique; rebuild of ${rebuilt.programs} programs in ${rebuilt.steps} steps: ${rebuilt.seconds} s, ${rebuilt.differences} differences`,
          );
        }
      }
    }
    const databaseMb =
      database.pid === null ? null : Math.round(residentOf(sampleTree('database', database.pid))['database']! / 1e6);
    const keys = {
      ...summaryOf(points),
      uniqueShare,
      rebuildSeconds100k: rebuilt !== null && rebuilt.programs >= 100_000 ? rebuilt.seconds : null,
    };
    say(`  ${JSON.stringify(keys)}; database ${databaseMb ?? '?'} MB`);
    for (const { what, text } of goalsOf(keys).map(judge)) say(`  ${what}: ${text}`);
    return { database: database.product, perStep: PER_STEP, ...keys, rebuilt, databaseMb, points };
  } finally {
    await measuring.stop();
    await grower.close();
  }
};

/** The warm-up is the last of the way to the target. */
const measureAt = async ({
  grower,
  measuring,
  run,
  target,
  steps,
  say,
}: {
  readonly grower: Grower;
  readonly measuring: Measuring;
  readonly run: string;
  readonly target: number;
  readonly steps: number;
  readonly say: (line: string) => void;
}): Promise<Measured> => {
  const began = performance.now();
  await fill(grower, run, target - WARM_UP * PER_STEP);
  const fillSeconds = ((performance.now() - began) / 1000).toFixed(0);
  const point = await measuring.measure({ run, warmUp: WARM_UP, steps });
  say(
    `  ${point.alive} alive, ${point.remembered} remembered: ${point.stepSeconds} s a step (plan ${point.planSeconds}, commit ${point.commitSeconds}; CPU ${point.cpuSeconds}, database ${point.databaseCpuSeconds ?? '?'}), ` +
      `${point.programsPerSecond} programs/s; load ${point.loadSeconds} s, lookup ${point.lookupSeconds} s; ${point.residentMb} MB, at most ${point.peakMb}  (${point.allStepSeconds.join(' ')}; filled in ${fillSeconds} s, load average ${point.load})`,
  );
  return point;
};

const goalsOf = ({
  stepSecondsAt10k,
  cpuGrowth1kTo100k,
  residentMb,
  rebuildSeconds100k,
}: Readonly<Record<string, number | null>>): readonly Goal[] => [
  { what: 'a step at 10,000 alive', value: stepSecondsAt10k ?? null, atMost: 1.5, unit: ' s' },
  { what: 'CPU at 100,000 remembered relative to 1,000', value: cpuGrowth1kTo100k ?? null, atMost: MOST_GROWTH },
  { what: 'memory of the worker', value: residentMb ?? null, atMost: 400, unit: ' MB' },
  { what: 'rebuild of 100,000', value: rebuildSeconds100k ?? null, atMost: 120, unit: ' s' },
];

const summaryOf = (points: readonly Measured[]): Record<string, number | null> => {
  const at = (alive: number): readonly Measured[] =>
    points.filter((point) => point.alive >= 0.9 * alive && point.alive <= alive);
  /** Last over first. */
  const growth = (of: readonly Measured[], value: (point: Measured) => number): number | null =>
    of.length < 2 ? null : Number((value(of.at(-1)!) / value(of[0]!)).toFixed(3));
  const wall = ({ stepSeconds }: Measured): number => stepSeconds;
  return {
    stepSecondsAt10k: at(10_000).at(-1)?.stepSeconds ?? null,
    growth1kTo100k: growth(at(1_000), wall),
    // What others do on the machine meanwhile shows less in CPU time.
    cpuGrowth1kTo100k: growth(
      at(1_000),
      ({ cpuSeconds, databaseCpuSeconds }) => cpuSeconds + (databaseCpuSeconds ?? 0),
    ),
    growthAt10k: growth(at(10_000), wall),
    residentMb: points.at(-1)?.residentMb ?? null,
    peakMb: points.at(-1)?.peakMb ?? null,
    loadSeconds100k: points.findLast(({ remembered }) => remembered >= 100_000)?.loadSeconds ?? null,
  };
};

const shareOfUnique = async ({ uri, name }: BenchDatabase, run: string): Promise<number> => {
  const store = await connectStore({ uri, database: name, log: () => {} });
  try {
    const { members } = await store.population(run);
    return uniqueShareOf((await store.getPrograms([...members.keys()])).values());
  } finally {
    await store.close();
  }
};

const rebuild = async ({ uri, name }: BenchDatabase, run: string, { loadTask }: Grower): Promise<Rebuilt> => {
  const store = await connectStore({ uri, database: name, log: () => {} });
  try {
    const { programs, steps, differenceCount, ms } = await rebuildRun({ store, loadTask }, run);
    return { programs, steps, seconds: Number((ms / 1000).toFixed(1)), differences: differenceCount };
  } finally {
    await store.close();
  }
};
