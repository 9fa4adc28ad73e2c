// Packages that somebody else installed are taken as they are, also where this user may not write beside them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { scratchDirectory } from '../scratch.ts';

const INSTALL = join(import.meta.dirname, '..', '..', '..', 'deploy', 'install.mjs');
const PACKAGES = JSON.stringify({ packages: { 'node_modules/one': { version: '1.0.0' } } });

it('takes packages of the right versions that another user installed', () => {
  const clone = join(scratchDirectory(), 'a clone');
  for (const folder of ['deploy', 'cli', 'node_modules/.bin']) mkdirSync(join(clone, folder), { recursive: true });
  cpSync(INSTALL, join(clone, 'deploy', 'install.mjs'));
  writeFileSync(join(clone, 'cli', 'evolve.mjs'), '');
  writeFileSync(join(clone, 'package-lock.json'), PACKAGES);
  writeFileSync(join(clone, 'node_modules', '.package-lock.json'), PACKAGES);
  // Not even root can write a file where a folder is.
  mkdirSync(join(clone, 'node_modules', '.evolve-install'));
  const code = `import(${JSON.stringify(pathToFileURL(join(clone, 'deploy', 'install.mjs')).href)})
    .then((install) => install.ensureInstalled()).then(console.log)`;
  const said = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  expect(said.trim()).toBe(process.execPath);
});
