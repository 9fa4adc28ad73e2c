// The secret of hidden draws: it is the same on all hosts of an installation, a data directory of an earlier version
// brings its own, and a process whose data directory has another one than the database does not start.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { drawSecret, readSecret, trialSecret } from '../../../workers/draw-secret.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'evolve-secret-'));
  file = join(home, 'secret');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** What a thread of its own reads. */
const readBeside = (): Promise<unknown> => {
  const code = `import(${JSON.stringify(join(import.meta.dirname, '../../../workers/draw-secret.ts'))})
    .then(({ readSecret }) => require('node:worker_threads').parentPort.postMessage(readSecret(${JSON.stringify(file)})))`;
  return new Promise((resolve, reject) => {
    new Worker(code, { eval: true, execArgv: [] }).on('message', resolve).on('error', reject);
  });
};

it('in a file is the same for all who ask for it first at the same moment, and for its owner alone', async () => {
  const read = await Promise.all(Array.from({ length: 4 }, readBeside));
  expect(new Set(read)).toEqual(new Set([readSecret(file)]));
  expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('that is damaged is not replaced: the data of open runs would change', () => {
  writeFileSync(file, 'abc');
  expect(() => readSecret(file)).toThrow(/secret: expected 64 hexadecimal digits/);
  expect(readFileSync(file, 'utf8')).toBe('abc');
});

it('of a data directory is brought into the store, and hosts without one have the same', async () => {
  const store = memoryStore();
  const other = mkdtempSync(join(tmpdir(), 'evolve-secret-'));
  try {
    expect(await drawSecret(store, home)).toBe(await drawSecret(store, other));
    const own = memoryStore();
    const brought = readSecret(file);
    expect(trialSecret(home)).toBe(brought);
    expect(await drawSecret(own, home)).toBe(brought);
    // A trial on a host that has no secret leaves one of its own, which is not the installation's.
    trialSecret(other);
    expect(await drawSecret(own, other)).toBe(brought);
    await expect(drawSecret(store, home)).rejects.toThrow(
      /secret: expected the secret for hidden data that the database keeps, got another one/,
    );
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});
