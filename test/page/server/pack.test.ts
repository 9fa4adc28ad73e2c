// What the packed server leaves out until it is needed.
import { build } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadedLater } from '../../../page/server/start/pack.ts';

type Packed = { readonly saslprep: (text: string) => string };

it('prepares a plain password without the tables of SASLprep, and every other one with them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-pack-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'packed.cjs');
  await build({
    stdin: { contents: `export { saslprep } from '@mongodb-js/saslprep'`, resolveDir: import.meta.dirname },
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    plugins: [
      loadedLater,
      // The tables are a package beside the packed script here, so that it can be seen whether they are loaded.
      {
        name: 'beside',
        setup: ({ onLoad }) => onLoad({ filter: /saslprep/ }, ({ path }) => ({ contents: TOLD(path) })),
      },
    ],
  });
  const before = tables();
  const { saslprep } = createRequire(import.meta.url)(outfile) as Packed;
  expect(['4f0a 9~!"', ''].map(saslprep)).toEqual(['4f0a 9~!"', '']);
  expect(tables()).toBe(before);
  // A hyphen that is not seen goes, and a control character is refused.
  expect(saslprep('a\u00adb')).toBe('ab');
  expect(() => saslprep('a\u0007b')).toThrow('Prohibited');
  expect(tables()).toBe(before + 1);
});

const READ = Symbol.for('tables of SASLprep were read');
const tables = (): number => ((globalThis as Record<symbol, unknown>)[READ] as number | undefined) ?? 0;
const TOLD = (path: string): string => `
  globalThis[Symbol.for('tables of SASLprep were read')] = ${tables() + 1};
  module.exports = process.getBuiltinModule('module').createRequire(${JSON.stringify(import.meta.url)})(${JSON.stringify(path)});`;
