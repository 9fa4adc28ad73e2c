// Releases of the workflows in the middle of accidents: a new version comes while workers are killed, while servers stand
// still, are cut off or have another primary, or while an endpoint refuses. It becomes the current one, the run goes
// over to it at its next step, and nothing is lost or there twice. No history of one release replays under another.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readVersions } from '../../../deploy/versions/versions.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { rng } from '../../../evolution/rng.ts';
import { startDatabase, type TestDatabase } from '../../activities/store/database.ts';
import { type Endpoint, startEndpoint } from '../../support/models/endpoint.ts';
import { connectEngine, type TestEngine } from '../../support/engine/engine.ts';
import { failedTasks } from '../../support/engine/failed-tasks.ts';
import { runs as isRunning, testHome, type TestHome, until } from '../../support/machine/home.ts';
import { type Network, networkTo } from '../../support/machine/network.ts';
import { releaseHost, type ReleaseHost } from '../../support/engine/release-host.ts';
import { type ReplicaSet, replicaSetTo } from '../../support/machine/replica-set.ts';
import { type SetClock, settableClock } from '../../support/machine/set-clock.ts';
import { FULL } from '../../support/sizes.ts';
import { startTemporal, type TemporalServer } from '../../support/engine/temporal-server.ts';
import { expectWhole } from '../../support/machine/whole.ts';

const RUN = 'released';
const [BATCH, RESPONSES] = [2, 2];
/** Longer than heartbeats are waited for, so that what was under way is given to somebody else. */
const OUTAGE_MS = FULL ? 12_000 : 6_000;
const PATIENCE_MS = 180_000;

/** An accident that begins, lets the release come (`release`), and is over when it resolves. */
type Accident = (release: () => ReleaseHost) => Promise<void>;

describe('a release in the middle of an accident', () => {
  let server: TemporalServer;
  let database: TestDatabase;
  let toTemporal: Network;
  let set: ReplicaSet;
  let endpoint: Endpoint;
  let home: TestHome;
  let engine: TestEngine;
  let clock: SetClock;
  const hosts: ReleaseHost[] = [];

  beforeAll(async () => {
    [server, database, endpoint] = await Promise.all([
      startTemporal(),
      startDatabase(),
      startEndpoint({ latencyMs: 1_000 }),
    ]);
    toTemporal = await networkTo(Number(server.address.split(':')[1]));
    set = await replicaSetTo(Number(new URL(database.uri).port));
    home = testHome('releases', { TEMPORAL_ADDRESS: `127.0.0.1:${toTemporal.port}`, MONGODB_URI: set.uri });
    const up = await home.evolve(['up']);
    expect(up.code, up.stdout + up.stderr).toBe(0);
    const direct = { temporal: { ...home.up().temporal, address: server.address }, database: { uri: database.uri } };
    engine = await connectEngine({ ...home, up: () => ({ ...home.up(), ...direct }) });
    clock = settableClock(join(home.dir, 'clock'));
  });
  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.stop()));
    await engine?.close();
    await home?.remove();
    await Promise.all([toTemporal?.stop(), set?.stop(), endpoint?.stop()]);
    await Promise.all([server?.stop(), database?.stop()]);
  });

  const hostOf = (number: number): ReleaseHost => {
    const host = releaseHost(home, number, clock.env);
    hosts.push(host);
    return host;
  };
  const current = async (): Promise<string | undefined> =>
    (await readVersions(engine.client)).find((version) => version.current)?.build;
  const buildOf = async (step: number): Promise<string | null> => {
    const { raw } = await engine.client.workflow.getHandle(stepWorkflowId(RUN, step)).describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? null;
  };

  /** Kills of whichever process does the work, at whichever moment. */
  const kills =
    (times: number): Accident =>
    async (release) => {
      const draw = rng('kills', times);
      const host = release();
      for (let n = 0; n < times; n += 1) {
        await sleep(draw.int(2_000));
        const part = draw.pick(['worker', 'sandbox', 'host'] as const);
        // One that was killed a moment ago is not there yet.
        const pid = home.up().processes.find(({ name }) => name === part)?.pid;
        if (part === 'host') host.kill();
        else if (pid !== undefined && isRunning(pid)) process.kill(pid, 'SIGKILL');
      }
    };
  const lasting =
    (begin: () => unknown, end: () => unknown): Accident =>
    async (release) => {
      await begin();
      try {
        release();
        await sleep(OUTAGE_MS);
      } finally {
        await end();
      }
    };
  const frozen = (pid: () => number): Accident =>
    lasting(
      () => process.kill(pid(), 'SIGSTOP'),
      () => process.kill(pid(), 'SIGCONT'),
    );
  const cut = (network: () => Network): Accident =>
    lasting(
      () => network().cut(),
      () => network().mend(),
    );
  /** Name of the accident: what happens. */
  const accidents: { readonly [name: string]: Accident } = {
    'processes are killed': kills(FULL ? 20 : 4),
    'the Temporal server stands still': frozen(() => server.pid),
    ...(FULL
      ? {
          'the database stands still': frozen(() => database.pid!),
          'the workers stand still': frozen(() => home.pid('worker')),
          'the database has another primary': async (release) => {
            release();
            await set.failOver(OUTAGE_MS);
          },
          'a primary steps down': async (release) => {
            release();
            await sleep(1_000);
            set.stepDown();
          },
          'the Temporal server is cut off': cut(() => toTemporal),
          'the Temporal server is far away': lasting(
            () => toTemporal.slow({ latencyMs: 60, bytesPerSecond: 250_000 }),
            () => toTemporal.slow(null),
          ),
          'the endpoint has no room': lasting(
            () => endpoint.be('busy'),
            () => endpoint.be('answers'),
          ),
          'the endpoint is gone': lasting(
            () => endpoint.goAway(),
            () => endpoint.comeBack(),
          ),
          'the disk of the database is full': lasting(
            () => set.full(true),
            () => set.full(false),
          ),
          // Beside workers whose clock is right.
          'the clock of its host is set an hour on and two hours back': async (release) => {
            release();
            for (const hours of [0, 1, -1, 0]) {
              clock.set(hours * 3_600_000);
              await sleep(OUTAGE_MS / 4);
            }
          },
          // Nobody calls `evolve up`, which would make the version of the package the current one again.
          'the supervisor is killed': async (release) => {
            process.kill(home.up()['supervisor'].pid as number, 'SIGKILL');
            release();
          },
        }
      : {}),
  };

  it('is at work at the next step; nothing fails, is lost or is there twice', async ({ skip }) => {
    if (database.pid === null) return skip('MONGODB_URI names a database of its own kind');
    await engine.start(RUN, {
      ...{ seed: 7, batch: BATCH, responses: RESPONSES, limits: { steps: 5_000 }, schedule: 'steps' },
      model: { name: 'small', baseUrl: endpoint.url },
      evaluation: { sandbox: 'noop' },
    });
    const { committedStep } = await engine.seen(RUN, 'a step', (run) => run.committedStep >= 1, PATIENCE_MS);
    const builds = [await buildOf(committedStep)];
    let retired: ReleaseHost | undefined;
    for (const [index, [name, accident]] of Object.entries(accidents).entries()) {
      const build = `release-${index + 1}`;
      let host: ReleaseHost | undefined;
      await accident(() => (host = hostOf(index + 1)));
      await until(`${build} to be current after: ${name}`, PATIENCE_MS, async () => (await current()) === build);
      // The step under way ends on the version before; the next one is begun on this one.
      const least = (await engine.document(RUN)).committedStep + 2;
      await engine.seen(RUN, `step ${least} after: ${name}`, (run) => run.committedStep >= least, PATIENCE_MS);
      builds.push(build);
      await retired?.stop();
      retired = host;
    }
    await engine.signal(RUN, 'stop', { mode: 'step' });
    const { committedStep: steps } = await engine.ended(RUN, PATIENCE_MS);
    await expectWhole(engine.store, RUN, { steps, perStep: BATCH * RESPONSES });
    const used = await Promise.all(Array.from({ length: steps }, (_, index) => buildOf(index + 1)));
    expect(used.filter((build, index) => build !== used[index - 1])).toEqual(builds);
    expect(await failedTasks(engine.client, 'WorkflowType != "installation"')).toEqual([]);
  });
});
