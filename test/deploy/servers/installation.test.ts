// Which database works in a namespace: the decision and its words, and the marker on a real Temporal server.
import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openText, pollingText } from '../../../client/connect/namespace.ts';
import {
  claimNamespace,
  type Installation,
  installationOf,
  MARKER_ID,
  readMarker,
  refusal,
  replaceMarker,
} from '../../../deploy/servers/installation.ts';
import { startTemporal, type TemporalServer } from '../../support/engine/temporal-server.ts';

const a: Installation = { database: 'aaaa-1', servers: 'db-a:27017', host: 'alpha', home: '/home/a/.evolve' };
const b: Installation = { database: 'bbbb-2', servers: 'db-b:27017', host: 'beta', home: '/home/b/.evolve' };
const since = new Date('2026-11-20T10:00:00Z');

describe('whose the namespace is', () => {
  it('goes by the id of the database, not by where it is or who uses it', () => {
    expect(refusal('default', { owner: a, since }, a)).toBeNull();
    expect(refusal('default', { owner: a, since }, { ...b, database: a.database })).toBeNull();
    expect(refusal('default', { owner: a, since }, { ...a, database: b.database })).not.toBeNull();
  });

  it('is said in one line, with both databases, since when, and the ways out', () => {
    const text = refusal('science', { owner: a, since }, b)!;
    for (const word of [
      'namespace science',
      'aaaa-1 (db-a:27017, used by /home/a/.evolve on host alpha)',
      '2026-11-20T10:00:00.000Z',
      'bbbb-2 (db-b:27017',
      'TEMPORAL_NAMESPACE',
      'MONGODB_URI',
      '--take-namespace',
    ])
      expect(text).toContain(word);
    expect(text).not.toContain('\n');
  });

  it('names servers without user, password or options', () => {
    const named = (uri: string): string => installationOf({ database: 'x', uri, home: '/h' }).servers;
    expect(named('mongodb://ann:s%40cret@one:27017,two:27018/data?replicaSet=rs0&tlsCAFile=/ca.pem')).toBe(
      'one:27017,two:27018',
    );
    expect(named('mongodb+srv://ann:secret@cluster.example.net/data')).toBe('cluster.example.net');
  });
});

describe('taking a namespace', () => {
  const poll = (atMs: number, worker = '77@alpha') => ({ worker, queue: 'evolve-db', atMs });

  it('waits until every worker has been silent for longer than a poll lasts', () => {
    expect(pollingText('default', [], 1_000_000)).toBeNull();
    expect(pollingText('default', [poll(900_000)], 1_000_000)).toBeNull();
    expect(pollingText('default', [poll(900_000), poll(980_000, '78@alpha'), poll(910_000)], 1_000_000)).toMatch(
      /78@alpha asked evolve-db for work 20 s ago.*evolve down.*try again in 70 s/,
    );
    expect(pollingText('default', [poll(1_005_000)], 1_000_000), "a clock that is behind the server's").toContain(
      '0 s ago',
    );
  });

  it('says what is open, not more than a few by name', () => {
    const text = openText('default', {
      workflows: Array.from({ length: 12 }, (_, i) => `run/r${i}`),
      schedules: ['nightly'],
    });
    expect(text).toContain('run/r0, run/r1');
    expect(text).toContain('and 3 more');
    expect(text).toContain('--end-runs');
    expect(openText('default', { workflows: [], schedules: ['nightly'] })).toContain('schedule nightly');
  });
});

describe('the marker on a Temporal server', () => {
  let server: TemporalServer;
  let connection: Connection;
  beforeAll(async () => {
    server = await startTemporal();
    connection = await Connection.connect({ address: server.address });
  });
  afterAll(async () => {
    await connection.close();
    await server.stop();
  });

  /** A namespace of a test's own, as `temporal operator namespace create` makes it. */
  const freshNamespace = async (): Promise<Client> => {
    const namespace = `test-${randomUUID()}`;
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    const client = new Client({ connection, namespace });
    // The server's caches learn of a new namespace some time later.
    for (let attempt = 0; ; attempt += 1) {
      try {
        await readMarker(client);
        return client;
      } catch (error) {
        if (attempt > 150) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  };

  it('is made by the first, kept for it, and refuses the second', async () => {
    const client = await freshNamespace();
    expect(await readMarker(client)).toBeNull();
    const made = await claimNamespace(client, a);
    expect(made).toMatchObject({ owner: a, open: true });
    expect(await claimNamespace(client, { ...a, host: 'another machine' })).toEqual(made);
    const forB = await claimNamespace(client, b);
    expect(forB).toEqual(made);
    expect(refusal(client.options.namespace, forB, b)).toContain('aaaa-1');
  });

  it('goes to one of many who come first at the same time', async () => {
    const client = await freshNamespace();
    const many = Array.from({ length: 8 }, (_, i): Installation => ({ ...a, database: `database-${i}` }));
    const owners = (await Promise.all(many.map((one) => claimNamespace(client, one)))).map(
      ({ owner }) => owner.database,
    );
    expect(new Set(owners).size).toBe(1);
    expect((await readMarker(client))?.owner.database).toBe(owners[0]);
  });

  it('is handed over, to one of two who take it at the same time', async () => {
    const client = await freshNamespace();
    const before = await claimNamespace(client, a);
    const c: Installation = { ...b, database: 'cccc-3' };
    const taken = await Promise.all([b, c].map((one) => replaceMarker(client, before, one, 'a test')));
    const owner = taken[0]!.owner.database;
    expect(taken.map((one) => one.owner.database)).toEqual([owner, owner]);
    expect(['bbbb-2', 'cccc-3']).toContain(owner);
    expect(refusal('x', await claimNamespace(client, a), a)).toContain(owner);
  });

  it('counts where a person closed it by hand, and is made again by its database', async () => {
    const client = await freshNamespace();
    await claimNamespace(client, a);
    await client.workflow.getHandle(MARKER_ID).terminate('cleaned up');
    expect(await claimNamespace(client, b)).toMatchObject({ owner: a, open: false });
    expect(await claimNamespace(client, a)).toMatchObject({ owner: a, open: true });
  });

  it('says in the UI what it is', async () => {
    const client = await freshNamespace();
    await claimNamespace(client, a);
    const { staticSummary, staticDetails } = await (async () => {
      const description = await client.workflow.getHandle(MARKER_ID).describe();
      return { staticSummary: await description.staticSummary(), staticDetails: await description.staticDetails() };
    })();
    expect(staticSummary).toContain('leave it open');
    expect(staticDetails).toContain('aaaa-1');
  });
});
