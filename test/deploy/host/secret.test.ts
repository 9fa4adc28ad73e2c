// The secret of hidden draws is the same on all hosts of an installation.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { drawSecret, readSecret, trialSecret } from '../../../workers/roles/draw-secret.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'evolve-secret-'));
  file = join(home, 'secret');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The readings of a thread of its own. */
const readBeside = (): Promise<unknown> => {
  const code = `import(${JSON.stringify(join(import.meta.dirname, '../../../workers/roles/draw-secret.ts'))})
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

it('in a store is drawn once, and a trial on a host has one of its own', async () => {
  const store = memoryStore();
  const drawn = await drawSecret(store);
  expect(await drawSecret(store)).toBe(drawn);
  expect(trialSecret(home)).not.toBe(drawn);
});
