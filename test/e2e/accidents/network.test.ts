// The network between the workers and their servers is slow, narrow and cut in the middle of a run, the database takes no
// writes for a while, and the workers stand still: the run goes on by itself and is whole.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDatabase, type TestDatabase } from '../../activities/store/database.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { connectEngine, type TestEngine } from '../../support/engine/engine.ts';
import { testHome, type TestHome } from '../../support/machine/home.ts';
import { endpointFor } from '../../support/machine/live.ts';
import { type Network, networkTo, refusingWrites } from '../../support/machine/network.ts';
import { FULL } from '../../support/sizes.ts';
import { startTemporal, type TemporalServer } from '../../support/engine/temporal-server.ts';
import { expectWhole } from '../../support/machine/whole.ts';

const RUN = 'networked';
const STEPS = 14;
/** Longer than heartbeats are waited for, so that what was under way is given to somebody else. */
const OUTAGE_MS = 12_000;
/** A message and its answer take 120 ms longer, as between two continents. */
const SLOW = { latencyMs: 60, bytesPerSecond: 250_000 };

describe.runIf(FULL)('servers that are reached badly', () => {
  let server: TemporalServer;
  let database: TestDatabase;
  let toTemporal: Network;
  let toDatabase: Network;
  let home: TestHome;
  let engine: TestEngine;
  let readOnly = false;

  beforeAll(async () => {
    [server, database] = await Promise.all([startTemporal(), startDatabase()]);
    const { port } = new URL(database.uri);
    toTemporal = await networkTo(Number(server.address.split(':')[1]));
    toDatabase = await networkTo(
      Number(port),
      refusingWrites(() => readOnly),
    );
    home = testHome('network', {
      TEMPORAL_ADDRESS: `127.0.0.1:${toTemporal.port}`,
      MONGODB_URI: database.uri.replace(`:${port}`, `:${toDatabase.port}`),
    });
    const up = await home.evolve(['up']);
    expect(up.code, up.stdout + up.stderr).toBe(0);
    const direct = { temporal: { ...home.up().temporal, address: server.address }, database: { uri: database.uri } };
    engine = await connectEngine({ ...home, up: () => ({ ...home.up(), ...direct }) });
  });
  afterAll(async () => {
    readOnly = false;
    await engine?.close();
    await home?.remove();
    await Promise.all([toTemporal?.stop(), toDatabase?.stop()]);
    await Promise.all([server?.stop(), database?.stop()]);
  });

  it('a run goes on through a slow network, cuts of either server and a read-only database', async () => {
    const endpoint = await endpointFor({ latencyMs: 100 });
    await engine.start(RUN, {
      seed: 3,
      batch: 2,
      responses: 2,
      limits: { steps: STEPS },
      model: { name: 'small', baseUrl: endpoint.url },
      evaluation: { sandbox: 'noop' },
    });
    const further = async (steps: number): Promise<void> => {
      const { committedStep } = await engine.document(RUN);
      const reached = committedStep + steps;
      await engine.seen(RUN, `step ${reached}`, (run) => run.committedStep >= reached, 180_000);
    };
    await engine.seen(RUN, 'step 1', (run) => run.committedStep >= 1);
    for (const network of [toTemporal, toDatabase]) network.slow(SLOW);
    await further(2);
    for (const network of [toTemporal, toDatabase]) network.slow(null);
    for (const network of [toTemporal, toDatabase]) {
      network.cut();
      await sleep(OUTAGE_MS);
      network.mend();
      await further(2);
    }
    readOnly = true;
    await sleep(OUTAGE_MS);
    const { committedStep } = await engine.document(RUN);
    await sleep(1_000);
    expect((await engine.document(RUN)).committedStep).toBe(committedStep);
    readOnly = false;
    await further(2);
    expect(await engine.ended(RUN)).toMatchObject({ status: 'finished', stopReason: 'steps' });
    await expectWhole(engine.store, RUN, { steps: STEPS, perStep: 4 });
  });

  /** Every process of the home stands still by itself for longer than heartbeats are waited for by default. */
  const stalled = async (run: string, steps: number): Promise<void> => {
    const endpoint = await endpointFor({ latencyMs: 1_500 });
    await engine.start(run, {
      ...{ seed: 5, batch: 2, responses: 2, limits: { steps }, schedule: 'steps' },
      model: { name: 'small', baseUrl: endpoint.url },
      evaluation: { sandbox: 'noop' },
    });
    for (const name of ['worker', 'sandbox']) {
      const before = (await engine.seen(run, 'a step', (document) => document.committedStep >= 0)).committedStep;
      await engine.seen(run, 'another step', (document) => document.committedStep > before);
      const { pid } = home.up().processes.find((one) => one.name === name)!;
      process.kill(pid, 'SIGSTOP');
      try {
        await sleep(OUTAGE_MS);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
    }
    expect(await engine.ended(run, 180_000)).toMatchObject({ status: 'finished', stopReason: 'steps' });
    await expectWhole(engine.store, run, { steps, perStep: 4 });
  };
  /** The most attempts that an activity of the run's steps needed. */
  const attemptsIn = async (run: string, steps: number): Promise<number> => {
    const ids = Array.from({ length: steps + 1 }, (_, step) => stepWorkflowId(run, step));
    const histories = await Promise.all(ids.map((id) => engine.client.workflow.getHandle(id).fetchHistory()));
    const attempts = histories.flatMap(({ events }) =>
      events!.map(({ activityTaskStartedEventAttributes: started }) => started?.attempt ?? 0),
    );
    return Math.max(...attempts);
  };

  it('processes that stand still lose nothing, and with a longer heartbeat timeout nothing is done again', async () => {
    await stalled('stalled', 8);
    expect(await attemptsIn('stalled', 8)).toBeGreaterThan(1);
    const up = await home.evolve(['up'], { EVOLVE_HEARTBEAT_TIMEOUT: '60' });
    expect(up.code, up.stdout + up.stderr).toBe(0);
    await stalled('patient', 8);
    expect(await attemptsIn('patient', 8)).toBe(1);
  });
});
