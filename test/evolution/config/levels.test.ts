// The table of levels of isolation: each has a launcher, and an outside package adds one by a file.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../deploy/host/home.ts';
import { readLevelFile, registerOutsideLevels } from '../../../deploy/host/outside-levels.ts';
import {
  allLevels,
  canTime,
  givesGpus,
  levelOf,
  levelsThat,
  readLevel,
  withRuntime,
} from '../../../evolution/config/levels.ts';

registerOutsideLevels({});

describe('a level of isolation', () => {
  test.each(allLevels().map(({ name }) => name))('%s has a launcher that opens it', async (name) => {
    const { launcher } = levelOf(name)!;
    const module = (await import(launcher.includes('://') ? launcher : resolve(PROJECT_ROOT, launcher))) as object;
    expect(module).toHaveProperty('open', expect.any(Function));
  });

  test('is named with its runtime, and read from that name', () => {
    expect(withRuntime('docker', 'runsc')).toBe('docker+runsc');
    expect(withRuntime('docker', 'engine')).toBe('docker');
    expect(readLevel('docker+runsc')).toMatchObject({ level: { name: 'docker' }, runtime: 'runsc' });
    for (const wrong of ['fork+runsc', 'docker+crun', 'docker+runc+runc', 'bubblewrap+runc', 'nowhere'])
      expect(readLevel(wrong)).toBeNull();
  });

  test('says what it can do', () => {
    expect(canTime('docker+kata')).toBe(true);
    expect(canTime('fork')).toBe(false);
    expect(givesGpus('docker')).toBe(true);
    expect(givesGpus('docker+runsc')).toBe(false);
    expect(levelsThat(({ runtimes }) => runtimes.includes('runsc'))).toBe('docker or agent-sandbox');
  });
});

describe('a level of an outside package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evolve-level-'));
  const file = join(folder, 'level.json');
  const level = {
    name: 'firecracker',
    can: { gpu: false, timed: false, runtimes: ['engine'] },
    engine: false,
    launcher: './open.js',
  };

  test('is refused where its file does not say what it can do', () => {
    writeFileSync(file, JSON.stringify({ ...level, can: { ...level.can, timed: 'yes' } }));
    expect(() => readLevelFile(file)).toThrow(`${file}: can.gpu, can.timed, engine: expected true`);
  });

  test('is taken in settings once EVOLVE_LEVELS names its file', () => {
    writeFileSync(file, JSON.stringify(level));
    // In a process of its own, because a level that is registered stays.
    const script = `
      import { registerOutsideLevels } from '${PROJECT_ROOT}/deploy/host/outside-levels.ts';
      import { levelOf } from '${PROJECT_ROOT}/evolution/config/levels.ts';
      import { resolveConfig } from '${PROJECT_ROOT}/evolution/methods/resolve.ts';
      const settings = { evaluation: { sandbox: 'firecracker' } };
      const sandbox = () => resolveConfig([{ settings, where: () => 'run.yaml:1:1' }]).config.evaluation.sandbox;
      let refusal;
      try { sandbox(); } catch (error) { refusal = error.message; }
      registerOutsideLevels(process.env);
      console.log(JSON.stringify({ refusal, sandbox: sandbox(), launcher: levelOf('firecracker').launcher }));`;
    const text = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, EVOLVE_LEVELS: file },
      encoding: 'utf8',
    });
    expect(JSON.parse(text)).toEqual({
      refusal: expect.stringContaining('expected one of auto, fork, docker'),
      sandbox: 'firecracker',
      launcher: `file://${folder}/open.js`,
    });
  });
});
