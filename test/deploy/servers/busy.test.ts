// Servers of a machine that is busy: they take connections and answer late, or not at all.
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeJsonAtomically } from '../../../deploy/host/files.ts';
import { self } from '../../../deploy/host/process-identity.ts';
import { diagnose, type Finding } from '../../../deploy/stack/diagnose.ts';
import { isHealthy, probe } from '../../../deploy/supervisor/health.ts';
import { grpcServer } from '../../support/engine/grpc-server.ts';
import { scratchHome } from '../scratch.ts';
import { upInfo } from '../up-info.ts';

const NEVER_MS = 600_000;
/** Longer than the doctor takes for usual (SLOW_MS of diagnose.ts). */
const LATE_MS = 2_100;
const NOBODY = { pid: 0, log: '' };

/** Answers a greeting as a database that takes writes does. */
const database = async (afterMs: number, words = 'isWritablePrimary\0\x01'): Promise<number> => {
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const answer = Buffer.concat([Buffer.alloc(16), Buffer.from(words)]);
      answer.writeInt32LE(answer.length, 0);
      timers.add(setTimeout(() => socket.write(answer), afterMs));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const timer of timers) clearTimeout(timer);
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

const closedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const engine = async (afterMs: number): Promise<number> =>
  (await grpcServer(() => ({ code: 0, body: Uint8Array.of(0x08, 1), afterMs }))).port;

describe('a probe', () => {
  it.each([
    ['mongo', database],
    ['temporal', engine],
  ] as const)('of %s tells one that is late from one that is away', async (kind, server) => {
    expect(await probe({ kind, port: await server(0) }, NOBODY)).toBe('well');
    expect(await isHealthy({ kind, port: await server(500) }, NOBODY)).toBe(true);
    expect(await probe({ kind, port: await server(NEVER_MS) }, NOBODY, 300)).toBe('slow');
    expect(await probe({ kind, port: await closedPort() }, NOBODY)).toBe('away');
  });
  it('tells one that answers that it is not ready', async () => {
    expect(await probe({ kind: 'mongo', port: await database(0, 'isWritablePrimary\0\0') }, NOBODY)).toBe('ill');
    const { port } = await grpcServer(() => ({ code: 0, body: Uint8Array.of(0x08, 2) }));
    expect(await probe({ kind: 'temporal', port }, NOBODY)).toBe('ill');
  });
});

describe('evolve doctor on a busy machine', () => {
  const found = async (
    ports: { readonly mongo: number; readonly temporal: number },
    patienceMs = 3_000,
  ): Promise<Readonly<Record<string, Finding | undefined>>> => {
    const home = scratchHome();
    writeJsonAtomically(
      home.upFile,
      upInfo(home.root, {
        temporal: { address: `127.0.0.1:${ports.temporal}`, namespace: 'default', ui: null, external: false },
        database: { uri: `mongodb://127.0.0.1:${ports.mongo}/`, kind: 'secantusdb', version: '1', external: false },
        processes: ['temporal', 'database'].map((name) => ({
          name,
          ...self(),
          port: 1,
          log: `${name}.log`,
          role: 'r',
          healthy: true,
          restarts: 0,
        })),
      }),
    );
    return Object.fromEntries((await diagnose(home, { patienceMs })).map((finding) => [finding.part, finding]));
  };

  it('servers that answer late are well, and slow', async () => {
    const { Temporal, database: db } = await found({ mongo: await database(LATE_MS), temporal: await engine(LATE_MS) });
    for (const finding of [Temporal, db])
      expect(finding).toMatchObject({
        ok: true,
        detail: expect.stringMatching(/; slow: it answered after \d+\.\d s$/),
      });
  });
  it('servers that have not answered are slow, not gone: `up` would change nothing', async () => {
    const { Temporal, database: db } = await found(
      { mongo: await database(NEVER_MS), temporal: await engine(NEVER_MS) },
      400,
    );
    for (const finding of [Temporal, db])
      expect(finding).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/^slow: .* takes connections and has not answered in 0.4 s$/),
        fix: expect.stringContaining('less busy'),
      });
  });
  it('a server whose process lives and whose port is not open yet is starting', async () => {
    const { database: db } = await found({ mongo: await closedPort(), temporal: await engine(0) });
    expect(db).toMatchObject({
      ok: false,
      detail: expect.stringContaining(`its process ${process.pid} lives`),
      fix: expect.stringContaining('database.log'),
    });
  });
});
