// Seconds from `kill -9` of the worker to the next stored program (response, evaluation or commit), nobody helping.
import { MongoClient } from 'mongodb';
import type { Judge } from '../conditions.ts';
import { startModel, type TestHome, until } from '../../support/machine/home.ts';

const ROUNDS = 3;
/** A dead worker is noticed after 5 s at most (its heartbeat), and another one started meanwhile. */
const SECONDS_GOAL = 10;

export const benchRecovery = async (home: TestHome, say: (line: string) => void, judge: Judge): Promise<unknown> => {
  const model = await startModel('--trivial', '--latency-ms', '200');
  const client = new MongoClient(home.up().database.uri as string);
  try {
    const run = await home.evolve([
      ...'run --run bench --seed 1 --batch 16 --responses 16 --steps 200 --base-url'.split(' '),
      model.url,
      ...'--model offline-gp --set evaluation.sandbox=noop --set model.nativeN=false --detach'.split(' '),
    ]);
    if (run.code !== 0) throw new Error(`${run.stdout}${run.stderr}`);
    const stored = () => client.db('durable_evolve').collection('rollouts').countDocuments({ run: 'bench' });
    const seconds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await stored();
      await until('the run to make programs', 600_000, async () => (await stored()) > before + 40);
      process.kill(home.pid('worker'), 'SIGKILL');
      const killedAt = Date.now();
      const atKill = await stored();
      await until('a program after the kill', 600_000, async () => (await stored()) > atKill);
      seconds.push((Date.now() - killedAt) / 1000);
      say(`  round ${round + 1}: ${seconds.at(-1)!.toFixed(1)} s`);
    }
    await home.evolve(['stop', 'bench', '--now']);
    const worst = Math.max(...seconds);
    say(
      `  worst ${worst.toFixed(1)} s; ${judge({ what: 'worst recovery', value: worst, atMost: SECONDS_GOAL, unit: ' s' }).text}`,
    );
    return { seconds, worst };
  } finally {
    await client.close();
    await model.stop();
  }
};
