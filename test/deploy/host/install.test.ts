// Packages that somebody else installed are taken as they are, also where this user may not write beside them.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { scratchDirectory } from '../scratch.ts';

const INSTALL = join(import.meta.dirname, '..', '..', '..', 'deploy', 'install.mjs');
const PACKAGES = JSON.stringify({ packages: { 'node_modules/one': { version: '1.0.0' } } });

it.each([
  ['is empty', ''],
  ['says nothing', 'xyz'],
  ['names a process whose number another one has', `${process.pid} 1`],
  ['names a process that is gone', '4000000 1'],
])('a lock that a dead start left holds nobody up: it %s', (_what, left) => {
  const clone = join(scratchDirectory(), 'a clone');
  for (const folder of ['deploy', 'cli', 'node_modules/.bin', 'home'])
    mkdirSync(join(clone, folder), { recursive: true });
  cpSync(INSTALL, join(clone, 'deploy', 'install.mjs'));
  writeFileSync(join(clone, 'cli', 'evolve.mjs'), '');
  writeFileSync(join(clone, 'package-lock.json'), PACKAGES);
  // Stands for npm, and says that the packages are there.
  const npm = join(clone, 'npm-cli.js');
  const made = join(clone, 'node_modules', '.package-lock.json');
  writeFileSync(npm, `require('fs').writeFileSync(${JSON.stringify(made)}, ${JSON.stringify(PACKAGES)})`);
  const lock = join(clone, 'home', 'install.lock');
  writeFileSync(lock, left);
  const before = new Date(Date.now() - 60_000);
  utimesSync(lock, before, before);
  const code = `import(${JSON.stringify(pathToFileURL(join(clone, 'deploy', 'install.mjs')).href)})
    .then((install) => install.ensureInstalled())`;
  const env = { ...process.env, EVOLVE_HOME: join(clone, 'home'), npm_execpath: npm };
  const said = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8', env, timeout: 60_000 });
  expect(said).not.toContain('waiting');
  expect(existsSync(made)).toBe(true);
});

it.each([
  [
    'musl',
    undefined,
    /^error: expected glibc 2\.28 or newer, got another C library \(musl, as in Alpine\): .*node:24-slim/,
  ],
  ['an old glibc', '2.17', /^error: expected glibc 2\.28 or newer, got glibc 2\.17: .*Debian 10/],
])('nothing is fetched where the C library is none that fits: %s', (_what, found, words) => {
  const clone = join(scratchDirectory(), 'a clone');
  for (const folder of ['deploy', 'home']) mkdirSync(join(clone, folder), { recursive: true });
  cpSync(INSTALL, join(clone, 'deploy', 'install.mjs'));
  writeFileSync(join(clone, 'package-lock.json'), PACKAGES);
  const npm = join(clone, 'npm-cli.js');
  writeFileSync(npm, `require('fs').writeFileSync(${JSON.stringify(join(clone, 'fetched'))}, '')`);
  const code = `process.report.getReport = () => ({ header: { glibcVersionRuntime: ${JSON.stringify(found)} } });
    import(${JSON.stringify(pathToFileURL(join(clone, 'deploy', 'install.mjs')).href)})
      .then((install) => install.ensureInstalled())`;
  const env = { ...process.env, EVOLVE_HOME: join(clone, 'home'), npm_execpath: npm };
  const { status, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8', env, timeout: 60_000 });
  expect(status).toBe(1);
  expect(stderr).toMatch(words);
  expect(existsSync(join(clone, 'fetched'))).toBe(false);
});

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
