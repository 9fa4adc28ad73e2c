// A data directory of a test's own, and waiting without fixed pauses.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Home, prepareHome, resolveHome } from '../../deploy/host/home.ts';

export const scratchDirectory = (): string => {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), 'evolve-deploy-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

export const scratchHome = (): Home => {
  const home = resolveHome({ EVOLVE_HOME: join(scratchDirectory(), 'home') });
  prepareHome(home);
  return home;
};

export const eventually = async <T>(
  what: string,
  check: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  limitMs = 300_000,
): Promise<T> => {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};
