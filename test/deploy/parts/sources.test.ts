import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { hashSources, WORKER_CODE } from '../../../deploy/versions/sources.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

it('refuses to hash code that is not there: a file that moved would never count as changed again', () => {
  expect(() => hashSources(['deploy/no-such-file.ts'])).toThrow(/ENOENT.*no-such-file/);
  expect(hashSources(['deploy/versions/sources.ts'])).not.toBe(hashSources(['deploy/parts']));
});

it('workers are restarted whichever folder they import from has changed', () => {
  const imported = readdirSync(join(ROOT, 'workers'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, 'workers', file), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, from]) =>
        relative(ROOT, join(ROOT, 'workers', dirname(file), from!)),
      ),
    );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((path) => !WORKER_CODE.some((folder) => path.startsWith(`${folder}/`)))).toEqual([]);
});
