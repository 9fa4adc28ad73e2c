// Two installations, each with a database of its own, on one Temporal namespace: the second starts no worker, starts
// no run, and says why; it gets the namespace only when the first is gone.
import { Client, Connection } from '@temporalio/client';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimNamespace, MARKER_ID, readMarker, replaceMarker } from '../../../deploy/servers/installation.ts';
import { startDatabase } from '../../activities/store/database.ts';
import { testHome, type TestHome, until } from '../../support/machine/home.ts';
import { FULL } from '../../support/sizes.ts';
import { startTemporal, type TemporalServer } from '../../support/engine/temporal-server.ts';

describe('two installations on one namespace', () => {
  let server: TemporalServer;
  let connection: Connection;
  let client: Client;
  let first: TestHome;
  let second: TestHome;
  const gone = { database: 'gone-1', servers: 'db.example:27017', host: 'elsewhere', home: '/home/ann/.evolve' };
  const statusOf = async (workflowId: string): Promise<string> =>
    (await client.workflow.getHandle(workflowId).describe()).status.name;

  beforeAll(async () => {
    server = await startTemporal();
    connection = await Connection.connect({ address: server.address });
    client = new Client({ connection });
    [first, second] = ['namespace-a', 'namespace-b'].map((name) =>
      testHome(name, { TEMPORAL_ADDRESS: server.address }),
    ) as [TestHome, TestHome];
    // An installation that is gone, of which a run is left.
    await claimNamespace(client, gone);
    await client.workflow.start('evolutionRun', {
      workflowId: 'run/theirs',
      taskQueue: 'evolve-workflow',
      args: [{ run: 'theirs' }],
    });
  });
  afterAll(async () => {
    await Promise.all([first.remove(), second.remove()]);
    await connection.close();
    await server.stop();
  });

  it('refuses to start beside another database, with its name and the ways out, and takes nothing', async () => {
    const up = await first.evolve(['up']);
    expect(up.code, up.stdout + up.stderr).toBe(3);
    for (const word of 'gone-1 db.example:27017 elsewhere TEMPORAL_NAMESPACE MONGODB_URI --take-namespace'.split(' '))
      expect(up.stderr).toContain(word);
    const run = await first.evolve(['run', '--run', 'mine', '--steps', '1', '--detach']);
    expect(run.code, run.stdout + run.stderr).toBe(3);
    expect(run.stderr).toContain('gone-1');
    const doctor = await first.evolve(['doctor']);
    expect(doctor.stdout).toMatch(/FAIL +namespace .*gone-1/);
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace: 'default',
      taskQueue: { name: 'evolve-workflow' },
      taskQueueType: 1,
    });
    expect(pollers ?? []).toEqual([]);
  });

  it('gets the namespace of one that is gone when what that left open is ended', async () => {
    const careful = await first.evolve(['up', '--take-namespace']);
    expect(careful.code, careful.stdout + careful.stderr).toBe(2);
    expect(careful.stderr).toContain('run/theirs');
    expect(await statusOf('run/theirs')).toBe('RUNNING');
    expect((await readMarker(client))?.owner).toEqual(gone);
    const taken = await first.evolve(['up', '--take-namespace', '--end-runs']);
    expect(taken.code, taken.stdout + taken.stderr).toBe(0);
    expect(taken.stdout).toContain('run/theirs of the other database is terminated');
    expect(await statusOf('run/theirs')).toBe('TERMINATED');
    expect(await statusOf(MARKER_ID)).toBe('RUNNING');
    expect((await first.evolve(['doctor'])).stdout).toMatch(/ok +namespace/);
  });

  it('lets the same database come again, and keeps another out while workers are at work', async () => {
    const again = await first.evolve(['up']);
    expect(again.code, again.stdout + again.stderr).toBe(0);
    const run = await first.evolve('run --run mine --steps 1 --batch 1 --responses 1 --detach'.split(' '));
    expect(run.code, run.stdout + run.stderr).toBe(0);
    const up = await second.evolve(['up']);
    expect(up.code, up.stdout + up.stderr).toBe(3);
    expect(up.stderr).toContain(first.dir);
    const taken = await second.evolve(['up', '--take-namespace', '--end-runs']);
    expect(taken.code, taken.stdout + taken.stderr).toBe(2);
    expect(taken.stderr).toMatch(/asked evolve-\w+ for work \d+ s ago/);
    expect((await readMarker(client))?.owner.home).toBe(first.dir);
    // A second home with the same database is the same installation.
    const joined = await second.evolve(['up'], { MONGODB_URI: first.up().database.uri });
    expect(joined.code, joined.stdout + joined.stderr).toBe(0);
  });

  it('refuses to start or steer runs from a home whose database is not that of the workers', async () => {
    // Its workers run; up.json leads to another database now, as after an edit by hand or a restored server.
    const other = await startDatabase();
    try {
      const up = second.up();
      await second.evolve(['down']);
      writeFileSync(
        join(second.dir, 'up.json'),
        JSON.stringify({ ...up, processes: [], database: { ...up.database, uri: other.uri } }),
      );
      const run = await second.evolve(
        'run --run strayed --steps 1 --detach --set evaluation.sandbox=bubblewrap'.split(' '),
      );
      expect(run.code, run.stdout + run.stderr).toBe(3);
      expect(run.stderr).toContain('works with another database');
      await expect(statusOf('run/strayed')).rejects.toThrow();
    } finally {
      await other.stop();
    }
  });

  it.runIf(FULL)(
    'ends the workers of a database that the namespace was taken from while it was taken for gone',
    async () => {
      const pid = first.pid('worker');
      await replaceMarker(client, await readMarker(client), gone, 'a test');
      await until('workers that are refused', 120_000, () =>
        first.up().processes.some((one) => one.name === 'worker' && one.pid !== pid),
      );
      const up = await first.evolve(['up']);
      expect(up.code, up.stdout + up.stderr).toBe(3);
      expect(up.stderr).toContain('gone-1');
    },
  );
});

describe('a home that changes its database', () => {
  let home: TestHome;
  afterAll(() => home.remove());

  it.runIf(FULL)('is told so, and goes on with the new one at once when that is meant', async () => {
    home = testHome('namespace-c');
    const up = await home.evolve(['up']);
    expect(up.code, up.stdout + up.stderr).toBe(0);
    const other = await startDatabase();
    try {
      const refused = await home.evolve(['up'], { MONGODB_URI: other.uri });
      expect(refused.code, refused.stdout + refused.stderr).toBe(3);
      expect(refused.stderr).toContain('or this one changes its database');
      const taken = await home.evolve(['up', '--take-namespace'], { MONGODB_URI: other.uri });
      expect(taken.code, taken.stdout + taken.stderr).toBe(0);
    } finally {
      await home.evolve(['down']);
      await other.stop();
    }
  });
});
