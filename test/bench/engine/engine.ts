// Orchestration overhead: CPU per program of all that is this home's, and programs per second, with a zero-latency
// model and a no-op evaluator, at population 0, 1,000 and 10,000.
import { resolveHome } from '../../../deploy/host/home.ts';
import { containersOf } from '../../../deploy/parts/docker/engine-address.ts';
import { startModel, type TestHome, until } from '../../support/machine/home.ts';
import type { Judge } from '../conditions.ts';
import { createLedger, sampleHome } from '../processes.ts';

const BATCH = 32;
const RESPONSES = 16;
const PER_STEP = BATCH * RESPONSES;
const WINDOW_STEPS = 4;
/** CPU per program at 10,000 alive relative to none. */
const MOST_GROWTH = 1.2;

type Point = { readonly step: number; readonly atMs: number; readonly byProcess: Readonly<Record<string, number>> };

const total = ({ byProcess }: Point): number => Object.values(byProcess).reduce((sum, seconds) => sum + seconds, 0);

export const benchEngine = async (home: TestHome, say: (line: string) => void, judge: Judge): Promise<unknown> => {
  const model = await startModel('--trivial');
  const last = Math.ceil(10_000 / PER_STEP) + WINDOW_STEPS;
  try {
    const run = await home.evolve([
      ...'run --run bench --seed 1 --batch'.split(' '),
      String(BATCH),
      '--responses',
      String(RESPONSES),
      '--steps',
      String(last),
      '--base-url',
      model.url,
      ...'--model offline-gp --set evaluation.sandbox=noop --detach'.split(' '),
    ]);
    if (run.code !== 0) throw new Error(`${run.stdout}${run.stderr}`);
    const points = await follow(home, last);
    const rows = ([0, 1_000, 10_000] as const).map((population) => {
      const from = points.find((point) => point.step * PER_STEP >= population && point.step >= 0)!;
      const to = points.find((point) => point.step === from.step + WINDOW_STEPS)!;
      const programs = (to.step - from.step) * PER_STEP;
      const perProgram = (now: number, before: number): number =>
        Number(((1000 * (now - before)) / programs).toFixed(2));
      return {
        population,
        programs,
        cpuMsPerProgram: perProgram(total(to), total(from)),
        programsPerSecond: Number(((1000 * programs) / (to.atMs - from.atMs)).toFixed(1)),
        byProcess: Object.fromEntries(
          Object.entries(to.byProcess).map(([name, cpu]) => [name, perProgram(cpu, from.byProcess[name] ?? 0)]),
        ),
      };
    });
    for (const row of rows)
      say(
        `  population ${row.population}: ${row.cpuMsPerProgram} ms CPU per program, ${row.programsPerSecond} programs/s  ${JSON.stringify(row.byProcess)}`,
      );
    const growth = Number((rows[2]!.cpuMsPerProgram / rows[0]!.cpuMsPerProgram).toFixed(3));
    say(
      "  Docker's own daemon serves every installation of the machine: it is not counted, the containers of this home are",
    );
    say(
      `  CPU per program at 10,000 relative to 0: ${growth}; ${judge({ what: 'growth of CPU per program', value: growth, atMost: MOST_GROWTH }).text}`,
    );
    return { batch: BATCH, responses: RESPONSES, rows, growth0To10k: growth };
  } finally {
    await model.stop();
  }
};

/** Samples the CPU seconds of a home by process, since the first sample. */
export const homeCpu = async (home: TestHome): Promise<() => Readonly<Record<string, number>>> => {
  const { hash } = resolveHome(home.env);
  const { host } = home.up().docker;
  /** A database that runs in a container. */
  const others =
    host === null
      ? []
      : (await containersOf(host, hash))
          .filter(({ names }) => names.includes(`/evolve-mongo-${hash}`))
          .map(({ id }) => id);
  const ledger = createLedger();
  return () => ledger.add(sampleHome(hash, home.up().processes, others));
};

/**
 * A point at each commit, samples more often than that. The model server of the bench is not part of the system and
 * is not counted.
 */
const follow = async (home: TestHome, last: number): Promise<Point[]> => {
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(home.up().database.uri as string);
  const points: Point[] = [];
  const cpu = await homeCpu(home);
  try {
    const runs = client.db('durable_evolve').collection<{ _id: string; committedStep: number; status: string }>('runs');
    await until('the bench run to end', 900_000, async () => {
      const byProcess = cpu();
      const run = await runs.findOne({ _id: 'bench' }, { projection: { committedStep: 1, status: 1 } });
      if (!run) return false;
      if (run.status === 'needs attention') throw new Error('the bench run needs attention: evolve status bench');
      if (run.committedStep > (points.at(-1)?.step ?? -1)) {
        points.push({ step: run.committedStep, atMs: Date.now(), byProcess });
      }
      return run.committedStep >= last;
    });
    return points;
  } finally {
    await client.close();
  }
};
