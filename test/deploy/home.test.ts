import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareHome, PROJECT_ROOT, resolveHome } from '../../deploy/host/home.ts';
import { isRoot } from '../../deploy/host/run-command.ts';
import { scratchDirectory } from './scratch.ts';

describe('home', () => {
  it('is .evolve beside package.json unless EVOLVE_HOME names another, and always absolute', () => {
    expect(resolveHome({}).root).toBe(join(PROJECT_ROOT, '.evolve'));
    expect(resolveHome({ EVOLVE_HOME: '' }).root).toBe(join(PROJECT_ROOT, '.evolve'));
    expect(resolveHome({ EVOLVE_HOME: 'some/where' }).root).toBe(join(process.cwd(), 'some/where'));
  });

  it('keeps data under its root even where heavy parts are shared', () => {
    const [a, b] = ['/tmp/x/a', '/tmp/x/b'].map((root) =>
      resolveHome({ EVOLVE_HOME: root, EVOLVE_PARTS: '/tmp/x/parts' }),
    );
    expect(a!.parts).toBe(b!.parts);
    for (const file of ['logs', 'upFile', 'planFile', 'portsFile', 'supervisorLock', 'setupLock'] as const) {
      expect(a![file].startsWith('/tmp/x/a/')).toBe(true);
      expect(a![file]).not.toBe(b![file]);
    }
    expect(a!.hash).not.toBe(b!.hash);
    expect(resolveHome({ EVOLVE_HOME: '/tmp/x/a' }).parts).toBe('/tmp/x/a');
  });

  it('has one hash however its directory is spelled', () => {
    const directory = scratchDirectory();
    mkdirSync(join(directory, 'real'));
    symlinkSync(join(directory, 'real'), join(directory, 'link'));
    expect(resolveHome({ EVOLVE_HOME: join(directory, 'link', 'new') }).hash).toBe(
      resolveHome({ EVOLVE_HOME: join(directory, 'real', '.', 'new', '') }).hash,
    );
  });

  it.skipIf(isRoot())('names the setting when it cannot be written', () => {
    const directory = scratchDirectory();
    chmodSync(directory, 0o500);
    expect(() => prepareHome(resolveHome({ EVOLVE_HOME: join(directory, 'home') }))).toThrow(/EVOLVE_HOME/);
  });

  it('names the setting when a file or a strange file system is in the way', () => {
    expect(() => prepareHome(resolveHome({ EVOLVE_HOME: '/proc/nowhere/home' }))).toThrow(
      /EVOLVE_HOME to another directory/,
    );
    expect(() => prepareHome(resolveHome({ EVOLVE_HOME: '/dev/null/home' }))).toThrow(
      /EVOLVE_HOME to another directory/,
    );
  });
});
