// The secret of a data directory: workers that start at the same moment read the same one, whole.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSecret } from '../../workers/draw-secret.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'evolve-secret-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** What a thread of its own reads. */
const readBeside = (): Promise<unknown> => {
  const code = `import(${JSON.stringify(join(import.meta.dirname, '../../workers/environment.ts'))})
    .then(({ readSecret }) => require('node:worker_threads').parentPort.postMessage(readSecret(${JSON.stringify(home)})))`;
  return new Promise((resolve, reject) => {
    new Worker(code, { eval: true, execArgv: [] }).on('message', resolve).on('error', reject);
  });
};

it('is the same for all who ask for it first at the same moment, and for its owner alone', async () => {
  const read = await Promise.all(Array.from({ length: 4 }, readBeside));
  expect(new Set(read)).toEqual(new Set([readSecret(home)]));
  expect(readFileSync(join(home, 'secret'), 'utf8')).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(join(home, 'secret')).mode & 0o777).toBe(0o600);
});

it('that is damaged is not replaced: the data of open runs would change', () => {
  writeFileSync(join(home, 'secret'), 'abc');
  expect(() => readSecret(home)).toThrow(/secret: expected 64 hexadecimal digits/);
  expect(readFileSync(join(home, 'secret'), 'utf8')).toBe('abc');
});
