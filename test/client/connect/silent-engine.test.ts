// Commands that only show something, where the workflow engine takes connections and never answers, as a server does
// that was stopped (SIGSTOP): they say what the database knows, and that the engine does not answer.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openParts, openStore } from '../../../client/connect/connection.ts';
import { diagnoseParts } from '../../../client/doctor/diagnose-parts.ts';
import { diagnose } from '../../../client/doctor/diagnose-run.ts';
import { DurableEvolve } from '../../../client/durable-evolve.ts';
import { writeJsonAtomically } from '../../../deploy/host/files.ts';
import { startDatabase, type TestDatabase } from '../../activities/store/database.ts';
import { newRun } from '../../activities/store/fixtures.ts';
import { scratchHome } from '../../deploy/scratch.ts';
import { upInfo } from '../../deploy/up-info.ts';

/** The longest patience of what only shows, on however busy a machine, and what is done besides. */
const MOST_MS = 50_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

const placeWithSilentEngine = async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const home = scratchHome();
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeJsonAtomically(
    home.upFile,
    upInfo(home.root, {
      temporal: { address, namespace: 'default', ui: null, external: false },
      database: { uri: database.uri, kind: 'secantusdb', version: '1', external: false },
    }),
  );
  const place = { home, env: {} };
  const store = await openStore(place);
  try {
    await store.createRun(newRun('silent')).catch(() => undefined);
  } finally {
    await store.close();
  }
  return { place, address };
};

const took = async <T>(work: () => Promise<T>): Promise<T> => {
  const beganMs = performance.now();
  const result = await work();
  expect(performance.now() - beganMs).toBeLessThan(MOST_MS);
  return result;
};

test('a list and a doctor say what the database knows, and that the engine does not answer, within seconds', async () => {
  const { place, address } = await placeWithSilentEngine();
  const told: string[] = [];
  const evolve = new DurableEvolve(place, (text) => told.push(text));
  const parts = openParts(place);
  onTestFinished(async () => {
    await Promise.all([evolve.close(), parts.close()]);
  });
  // At the same time, because each of them waits.
  const [runs, ofParts, ofRun] = await Promise.all([
    took(() => evolve.list()),
    took(() => diagnoseParts(place)),
    took(() => diagnose(parts, 'silent')),
  ]);
  expect(runs.map(({ run }) => run)).toContain('silent');
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^states are those of the database, for the workflow engine could not be asked: /);
  expect(told[0]).toContain(address);
  expect(ofParts.find(({ part }) => part === 'Temporal')).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^slow: /),
  });
  expect(ofParts.map(({ part }) => part)).toContain('runs');
  expect(ofRun.findings.map(({ about, ok }) => [about, ok])).toEqual([
    ['engine', false],
    ['run', true],
  ]);
  // What is asked next is not waited for again.
  const beganMs = performance.now();
  await expect(parts.engineSoon()).rejects.toThrow('does not answer');
  expect(performance.now() - beganMs).toBeLessThan(1_000);
}, 120_000);
