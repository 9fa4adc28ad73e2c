// What a machine lacks is told at once, before anything is fetched.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Engine } from '../../../deploy/parts/docker/docker-engine.ts';
import { SetupError } from '../../../deploy/host/run-command.ts';
import { whereComplete } from '../../../deploy/stack/ensure-parts.ts';
import { scratchHome } from '../scratch.ts';

const SECCOMP: Engine = { kind: 'none', host: null, level: 'bubblewrap', message: 'no engine' };
const RUNNING: Engine = { kind: 'running', host: 'unix:///x', level: 'docker' };
const NONE = () => Promise.reject<Engine>(new SetupError('no Docker engine answers: run `one`'));

/** A PATH with a Python of this minor version, which may lack venv; none where it is left out. */
const machine = (minor?: number, hasVenv = 1) => {
  const home = scratchHome();
  const path = join(home.root, 'path');
  mkdirSync(path, { recursive: true });
  if (minor !== undefined) {
    const python = join(path, 'python3');
    writeFileSync(python, `#!/bin/sh\nprintf '${python}\\tCPython\\t3\\t${minor}\\t${hasVenv}\\n'\n`);
    chmodSync(python, 0o755);
  }
  vi.stubEnv('PATH', path);
  onTestFinished(() => void vi.unstubAllEnvs());
  return home;
};

test.each([
  [
    'none',
    machine,
    /^no CPython 3\.10 to 3\.13 on PATH; run: sudo apt-get install .*python3 python3-venv .*MONGODB_URI/,
  ],
  ['a newer one', () => machine(14), /^no CPython 3\.10 to 3\.13 on PATH; run: /],
  ['one without venv', () => machine(12, 0), /lacks venv; run: sudo apt-get install .*python3\.12-venv/],
])('without an engine the database needs a Python, and there is %s', async (_, made, words) => {
  const home = made();
  await expect(whereComplete(Promise.resolve(SECCOMP), home, {})).rejects.toThrow(words);
  const both = new RegExp(`^no Docker engine answers: run \`one\`\\nand .*${words.source.replace('^', '')}`);
  await expect(whereComplete(NONE(), home, {})).rejects.toThrow(both);
  // Another server can take its place.
  expect(await whereComplete(Promise.resolve(RUNNING), home, {})).toBe(RUNNING);
  expect(await whereComplete(Promise.resolve(SECCOMP), home, { MONGODB_URI: 'mongodb://x/' })).toBe(SECCOMP);
});

test('with a Python that fits, only the engine is asked for', async () => {
  const home = machine(12);
  expect(await whereComplete(Promise.resolve(SECCOMP), home, {})).toBe(SECCOMP);
  await expect(whereComplete(NONE(), home, {})).rejects.toThrow(/run `one`$/);
});
