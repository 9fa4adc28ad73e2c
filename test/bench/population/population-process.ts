// The measured process of the population bench: like a store worker it lives through all points, plans and commits,
// and keeps nothing of its own. Forked by population-measuring.ts; MONGODB_URI and BENCH_DATABASE say where,
// BENCH_DATABASE_PID which process where it is ours.
import { loadavg } from 'node:os';
import { createLedger, sampleTree } from '../processes.ts';
import { openGrower, PER_STEP, readRun, takeStep, type StepTimes } from './population-step.ts';

export type Request = { readonly run: string; readonly warmUp: number; readonly steps: number };

/** Medians over the steps, unless a name says otherwise. Seconds. */
export type Measured = {
  /** Alive when the steps began; remembered when they began and when they ended. */
  readonly alive: number;
  readonly remembered: number;
  readonly rememberedAfter: number;
  /** Of planStep and commitStep together. */
  readonly stepSeconds: number;
  readonly planSeconds: number;
  readonly commitSeconds: number;
  /** Of the measured process, and of the database where it is ours (hundredths), in planStep and commitStep. */
  readonly cpuSeconds: number;
  readonly databaseCpuSeconds: number | null;
  /** Hashes of the 512 looked up among all remembered: not part of the step's time. */
  readonly lookupSeconds: number;
  readonly programsPerSecond: number;
  readonly allStepSeconds: readonly number[];
  /** First look at the population, from the database alone. */
  readonly loadSeconds: number;
  /** After the steps; and the most since the process began. */
  readonly residentMb: number;
  readonly peakMb: number;
  readonly load: number;
};

const round = (value: number): number => Number(value.toFixed(3));
const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return round((sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2);
};

const pid = Number(process.env.BENCH_DATABASE_PID) || null;
const ledger = createLedger();
const databaseCpu = (): number => (pid === null ? 0 : (ledger.add(sampleTree('database', pid))['database'] ?? 0));
const grower = await openGrower({
  uri: process.env.MONGODB_URI!,
  database: process.env.BENCH_DATABASE!,
  log: () => {},
});

const measure = async ({ run, warmUp, steps }: Request): Promise<Measured> => {
  const began = performance.now();
  await grower.store.population(run);
  const loadSeconds = round((performance.now() - began) / 1000);
  for (let step = 0; step < warmUp; step += 1) await takeStep(grower, run);
  const before = await readRun(grower, run);
  const times: StepTimes[] = [];
  for (let step = 0; step < steps; step += 1) times.push(await takeStep(grower, run, { databaseCpu }));
  const stepSeconds = times.map(({ planSeconds, commitSeconds }) => planSeconds + commitSeconds);
  return {
    alive: before.population.size,
    remembered: before.totals.programs,
    rememberedAfter: (await readRun(grower, run)).totals.programs,
    stepSeconds: median(stepSeconds),
    planSeconds: median(times.map(({ planSeconds }) => planSeconds)),
    commitSeconds: median(times.map(({ commitSeconds }) => commitSeconds)),
    cpuSeconds: median(times.map(({ cpuSeconds }) => cpuSeconds)),
    databaseCpuSeconds: pid === null ? null : median(times.map(({ databaseCpuSeconds }) => databaseCpuSeconds)),
    lookupSeconds: median(times.map(({ lookupSeconds }) => lookupSeconds)),
    programsPerSecond: Number((PER_STEP / median(stepSeconds)).toFixed(1)),
    allStepSeconds: stepSeconds.map(round),
    loadSeconds,
    residentMb: Math.round(process.memoryUsage().rss / 1e6),
    peakMb: Math.round((process.resourceUsage().maxRSS * 1024) / 1e6),
    load: round(loadavg()[0]!),
  };
};

process.on('message', (request: Request) => {
  measure(request).then(
    (measured) => process.send!(measured),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
