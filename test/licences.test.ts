// docs/licences.md holds what the lock files hold. It is made of files of the clone alone, so that it needs no network.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { licencesText } from '../deploy/licences.ts';

const ROOT = join(import.meta.dirname, '..');
const page = (): string => readFileSync(join(ROOT, 'docs', 'licences.md'), 'utf8');

test('the page of licences is that of the lock files', () => {
  expect(
    page() === licencesText(),
    'docs/licences.md is older than package-lock.json or the lists of Python packages: make it again with `node_modules/.bin/node deploy/licences.ts`',
  ).toBe(true);
});

test('it names every package with a licence, and says that the default database is under the GPL', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; name?: string }>;
  };
  const text = page();
  for (const [path, { version, name }] of Object.entries(packages))
    if (path !== '') expect(text).toContain(`| ${name ?? path.split('node_modules/').at(-1)} | ${version} | `);
  expect(text).toMatch(/\*\*SecantusDB, the default database, is GPL-2\.0-only\.\*\* It is a process of its own/);
  expect(text).not.toMatch(/\| (undefined|null|UNKNOWN|SEE LICENSE.*) \|$/m);
});
