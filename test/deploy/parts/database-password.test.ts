// The database of a home asks for the home's own password.
import { MongoClient } from 'mongodb';
import { spawn } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Home } from '../../../deploy/host/home.ts';
import { databaseDirectory, writeMarker } from '../../../deploy/parts/database/database-marker.ts';
import { databasePassword, databasePasswordFile, localUri } from '../../../deploy/parts/database/database-password.ts';
import { ensureDatabase } from '../../../deploy/parts/database/database.ts';
import { findFreePort } from '../../../deploy/parts/free-port.ts';
import { answersWithoutPassword, ensureMongoUser } from '../../../deploy/parts/database/mongo-user.ts';
import { pinnedVersion } from '../../../deploy/parts/python/venv.ts';
import { checkExternalDatabase, withoutPassword } from '../../../deploy/servers/external-servers.ts';
import { eventually, scratchHome } from '../scratch.ts';

const PARTS = process.env['EVOLVE_PARTS'] ?? resolve(import.meta.dirname, '../../../.evolve');
const noPython = !existsSync(join(PARTS, 'venv', 'bin', 'secantusd-py'));

type Server = { readonly port: number; readonly stop: () => Promise<void> };

const started = async (file: string, argsFor: (port: number) => readonly string[], home: Home): Promise<Server> => {
  const port = (await findFreePort())!;
  const child = spawn(file, [...argsFor(port)], { cwd: home.root, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  onTestFinished(stop);
  await eventually('the server', () =>
    answersWithoutPassword(port).then(
      () => true,
      () => false,
    ),
  );
  return { port, stop };
};

const withoutQuestion = (home: Home): Promise<Server> =>
  started(
    join(PARTS, 'venv', 'bin', 'secantusd-py'),
    (port) => [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--storage-path',
      databaseDirectory(home),
      '--sync-on-commit',
      '--log-level',
      'WARNING',
    ],
    home,
  );

const asUpStartsIt = async (home: Home): Promise<Server & { readonly args: readonly string[] }> => {
  const database = await ensureDatabase(
    { home: { ...home, parts: PARTS }, say: () => undefined, dockerHost: null },
    { EVOLVE_DATABASE: 'secantusdb' },
  );
  if (database.kind === 'external') throw new Error('expected a database of our own');
  const server = await started(database.command(0).file, (port) => database.command(port).args, home);
  return { ...server, args: database.command(server.port).args };
};

const withClient = async <T>(uri: string, work: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 60_000 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
};
const openUri = (port: number): string => `mongodb://127.0.0.1:${port}/?directConnection=true`;
const kept = (client: MongoClient) => client.db('evolve').collection<{ _id: string }>('kept');

describe('the password of a home', () => {
  it('is made once, of 256 bits, for its owner alone', () => {
    const home = scratchHome();
    const before = process.umask(0);
    try {
      expect(databasePassword(home)).toMatch(/^[0-9a-f]{64}$/);
    } finally {
      process.umask(before);
    }
    expect(databasePassword(home)).toBe(databasePassword(home));
    expect(statSync(databasePasswordFile(home)).mode & 0o777).toBe(0o600);
    expect(databasePassword(scratchHome())).not.toBe(databasePassword(home));
  });

  it('is refused where the file holds something else', () => {
    const home = scratchHome();
    writeFileSync(databasePasswordFile(home), 'admin\n');
    expect(() => databasePassword(home)).toThrow(/database-password: expected 64 hexadecimal digits/);
  });

  it('is in no address that is shown', () => {
    expect(withoutPassword(localUri(27_017, 'a'.repeat(64)))).not.toContain('aaaa');
    for (const uri of [
      'mongodb://ann:p%40ss@db.example:27017/x?tls=true',
      'mongodb://ann:p@ss/word@db.example/',
      'mongodb+srv://ann:pass@db.example/?authMechanismProperties=AWS_SESSION_TOKEN:pass&w=1',
      'mongodb://db.example/?tlsCertificateKeyFilePassword=pass',
    ]) {
      expect(withoutPassword(uri)).not.toMatch(/pass|p@ss|p%40ss/);
      expect(withoutPassword(uri)).toContain('db.example');
    }
  });
});

describe('MONGODB_URI', () => {
  it('is in no error with its password, however it is written', async () => {
    for (const uri of [
      'mongodb://ann:geheim@',
      'mongodb+srv://ann:geheim@127.0.0.1:1/',
      'mongodb://ann:geheim@127.0.0.1:99999/',
    ]) {
      const refused = await checkExternalDatabase(uri).catch((error: unknown) => error);
      expect(refused, uri).toBeInstanceOf(Error);
      expect(String((refused as Error).stack), uri).not.toContain('geheim');
    }
  });
});

describe.skipIf(noPython)('the embedded database', () => {
  // Attempt: files, settings and the machine.
  it('asks for it from its first moment, nothing shows it, and data outlive a lost one', async () => {
    const home = scratchHome();
    const password = databasePassword(home);
    writeMarker(home, { kind: 'secantusdb', version: pinnedVersion('secantusdb', 'SecantusDB') });
    const { port, args, stop } = await asUpStartsIt(home);
    expect(await answersWithoutPassword(port)).toBe(false);
    expect(args.join(' ')).not.toContain(password);
    await withClient(localUri(port, password), (client) => kept(client).insertOne({ _id: 'one' }));
    await expect(withClient(openUri(port), (client) => kept(client).findOne({}))).rejects.toThrow(/authentication/);
    await expect(withClient(localUri(port, '0'.repeat(64)), (client) => kept(client).findOne({}))).rejects.toThrow(
      /authentication failed/i,
    );
    await stop();
    rmSync(databasePasswordFile(home));
    const other = databasePassword(home);
    const again = await asUpStartsIt(home);
    expect(await withClient(localUri(again.port, other), (client) => kept(client).findOne({}))).toEqual({ _id: 'one' });
    await expect(withClient(localUri(again.port, password), (client) => kept(client).findOne({}))).rejects.toThrow(
      /authentication failed/,
    );
  });
});

describe.skipIf(noPython)('a mongod without users', () => {
  it('is given ours once', async () => {
    // SecantusDB without its question lets everybody make users, which is what a new mongod does for the first one.
    const home = scratchHome();
    const { port } = await withoutQuestion(home);
    const password = databasePassword(home);
    await ensureMongoUser(port, password);
    await withClient(localUri(port, password), (client) => kept(client).insertOne({ _id: 'one' }));
    await ensureMongoUser(port, password);
  });
});
