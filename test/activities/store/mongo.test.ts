// The contract of the store against a real server of MongoDB's protocol.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type timers from 'node:timers';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { connectCollections } from '../../../activities/store/mongo/connect-store.ts';
import { openEngine, openStore } from '../../../client/connect/connection.ts';
import { diagnoseParts } from '../../../client/doctor/diagnose-parts.ts';
import { diagnose } from '../../../client/doctor/diagnose-run.ts';
import { writeJsonAtomically } from '../../../deploy/host/files.ts';
import { scratchHome } from '../../deploy/scratch.ts';
import { upInfo } from '../../deploy/up-info.ts';
import { storeContract } from './contract.ts';
import { startDatabase, type TestDatabase } from './database.ts';

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.stop());

const freshDatabase = (): string => `test-${randomUUID()}`;

storeContract('mongo', () => connectCollections({ uri: server.uri, database: freshDatabase(), log: () => {} }));

test('a server that the workers have tested is only read from', async () => {
  const client = new MongoClient(server.uri);
  try {
    const database = freshDatabase();
    const made = async (tested: boolean): Promise<readonly string[]> => {
      const { collections, close } = await connectCollections({ uri: server.uri, database, log: () => {}, tested });
      expect(await collections.runs.find({ run: { $gte: '' } })).toEqual([]);
      await close();
      return (await client.db(database).listCollections().toArray()).map(({ name }) => name);
    };
    expect(await made(true)).toEqual([]);
    expect(await made(false)).toContain('programs');
  } finally {
    await client.close();
  }
});

test('a process that waits is not woken by the driver ten times a second', async () => {
  // The driver takes timers from this module at each call.
  const setTimer = vi.spyOn(createRequire(import.meta.url)('node:timers') as typeof timers, 'setTimeout');
  onTestFinished(() => setTimer.mockRestore());
  const database = freshDatabase();
  const { collections, close } = await connectCollections({ uri: server.uri, database, log: () => {}, tested: true });
  try {
    expect(await collections.runs.find({ run: { $gte: '' } })).toEqual([]);
    const ofPool = setTimer.mock.calls.filter(([work]) => String(work).includes('ensureMinPoolSize'));
    expect(ofPool.length).toBeGreaterThan(0);
    for (const [, ms] of ofPool) expect(ms).toBe(10_000);
  } finally {
    await close();
  }
});

test('`evolve doctor` says that a newer version works in the database, and so does every command', async () => {
  const home = scratchHome();
  const database = { uri: server.uri, kind: 'external', version: null, external: true };
  writeJsonAtomically(home.upFile, upInfo(home.root, { database }));
  const place = { home, env: {} };
  const client = new MongoClient(server.uri);
  const identity = client.db('durable_evolve').collection<{ _id: string; leastSchema: number }>('identity');
  try {
    await identity.updateOne({ _id: 'database' }, { $set: { leastSchema: 7 } }, { upsert: true });
    const refused = /^expected stored data of schema 4, but the database has schema 7: .*Update this one/;
    await expect(openStore(place)).rejects.toThrow(refused);
    const told = (await diagnoseParts(place)).filter(({ part }) => part === 'schema');
    expect(told).toEqual([
      {
        part: 'schema',
        ok: false,
        detail: expect.stringMatching(refused),
        fix: expect.stringContaining('npx evolve up'),
      },
    ]);
    const findings = await diagnose(
      { place, store: () => openStore(place), engineSoon: () => openEngine(place) },
      'a-run',
    );
    expect(findings.findings[0]).toMatchObject({
      about: 'database',
      ok: false,
      detail: expect.stringMatching(/schema 7/),
    });
  } finally {
    await client.db('durable_evolve').dropDatabase();
    await client.close();
  }
});
