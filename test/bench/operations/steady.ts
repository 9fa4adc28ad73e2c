// Share of the ideal with `schedule: continuous`: with W programs in flight and answers that take L on average, W / L
// programs a second. Latencies are spread evenly over half to one and a half times the mean, evaluations take no time,
// and what is measured goes over two seams between windows and more. How a run begins and how it ends is left out.
import { MongoClient } from 'mongodb';
import { startModel, until } from '../../support/machine/home.ts';
import type { OperationsSuite } from '../operations.ts';

const IN_FLIGHT = 32;
const BATCH = 16;
const LATENCIES_MS = [200, 500, 1_000, 2_000] as const;
/** Windows end at 1,024 programs. */
const PROGRAMS = 2_432;
/** At least so long, because the moments of the first and the last commit that count are uncertain by 0.3 s. */
const SECONDS = 50;
const PROGRAMS_FULL = 4_096;
const LEFT_OUT = 128;
const SHARE_GOAL = 0.97;

export const steadySuite: OperationsSuite<'steady'> = async (home, say, judge, { full }) => {
  const up = await home.evolve(['up']);
  if (up.code !== 0) throw new Error(`${up.stdout}${up.stderr}`);
  const client = new MongoClient(home.up().database.uri as string);
  const database = client.db('durable_evolve');
  const runs = database.collection<{ _id: string; committedStep: number; status: string }>('runs');
  const steps = database.collection<{ run: string; at: Date; totals: { programs: number } }>('steps');
  const steady: { latencyMs: number; share: number }[] = [];
  try {
    for (const latencyMs of LATENCIES_MS) {
      const inTime = BATCH * Math.ceil((SECONDS * 1000 * IN_FLIGHT) / latencyMs / BATCH);
      const programs = Math.max(full ? PROGRAMS_FULL : PROGRAMS, inTime);
      const last = programs / BATCH;
      const model = await startModel(
        ...['--trivial', '--latency-ms', String(latencyMs / 2), '--latency-jitter-ms', String(latencyMs)],
      );
      try {
        const run = `steady-${latencyMs}`;
        const { code, stdout, stderr } = await home.evolve([
          ...['run', '--run', run, '--method', 'openevolve', '--seed', '1'],
          ...['--batch', String(BATCH), '--responses', '1', '--steps', String(last)],
          ...['--base-url', model.url, '--model', 'offline-gp', '--set', 'evaluation.sandbox=noop'],
          ...['--set', 'schedule=continuous', '--set', `inFlight=${IN_FLIGHT}`, '--detach'],
        ]);
        if (code !== 0) throw new Error(`${stdout}${stderr}`);
        await until(`run ${run} to end`, 60_000 + 8 * ((programs * latencyMs) / IN_FLIGHT), async () => {
          const found = await runs.findOne({ _id: run }, { projection: { committedStep: 1, status: 1 } });
          if (found?.status === 'needs attention') throw new Error(`run ${run} needs attention`);
          return found !== null && found.committedStep >= last;
        });
        const made = (await steps.find({ run }, { projection: { at: 1, totals: 1 } }).toArray())
          .filter(({ totals }) => totals.programs >= LEFT_OUT && totals.programs <= programs - LEFT_OUT)
          .sort((a, b) => a.totals.programs - b.totals.programs);
        const [from, to] = [made[0]!, made.at(-1)!];
        const rate = ((to.totals.programs - from.totals.programs) * 1000) / (to.at.getTime() - from.at.getTime());
        const ideal = (IN_FLIGHT * 1000) / latencyMs;
        const share = Number((rate / ideal).toFixed(3));
        steady.push({ latencyMs, share });
        const judged = judge({ what: `share of the ideal at ${latencyMs} ms`, value: share, atLeast: SHARE_GOAL });
        say(
          `    ${latencyMs} ms, ${IN_FLIGHT} in flight: ${rate.toFixed(1)} programs/s of ${ideal.toFixed(1)}, share ${share}; ${judged.text}`,
        );
      } finally {
        await model.stop();
      }
    }
    return { steady };
  } finally {
    await client.close();
  }
};
