// A run taken from one machine to another, by the commands: what was exported here is taken in by a data directory of
// its own engine and database, reads the same, passes the rebuild, and goes on.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { testHome, until, type TestHome } from '../../support/machine/home.ts';
import { FULL } from '../../support/sizes.ts';

describe('export and import', () => {
  const [here, there] = [testHome('export'), testHome('import')];
  const must = async (home: TestHome, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await home.evolve(args);
    expect(code, `${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  };
  afterAll(async () => {
    await here.remove();
    await there.remove();
  });

  const SMALL = ['--batch', '2', '--responses', '2', '--seed', '3', '--set', 'evaluation.sandbox=noop'];
  const folder = (name: string): string => join(there.dir, name);
  /** What commands say of a run that stands still. */
  const said = async (home: TestHome, run: string): Promise<readonly string[]> => [
    await must(home, 'programs', run, '--code', '--json'),
    await must(home, 'steps', run, '--json'),
    await must(home, 'islands', run, '--json'),
  ];

  it.runIf(FULL)(
    'take a finished run, its fork and a paused run to another machine, where they go on',
    async () => {
      await must(here, 'up');
      await must(here, 'run', '--run', 'origin', '--steps', '3', ...SMALL);
      await must(here, ...'fork origin --at-step 2 --run child --steps 4 --set selection.exploration=0.3'.split(' '));
      await must(here, 'run', '--run', 'half', '--steps', '500', '--detach', ...SMALL);
      await until('a step of run half', 60_000, async () => (await here.json(['status', 'half'])).steps >= 1);
      await must(here, 'pause', 'half');
      await until('run half to pause', 60_000, async () => (await here.json(['status', 'half'])).state === 'paused');
      const exported = await here.json(['export', 'child', '--to', folder('child')]);
      expect(exported).toMatchObject({ run: 'child', runs: ['child', 'origin'], committedStep: 4, lostTexts: 0 });
      await must(here, 'export', 'half', '--to', folder('half'));
      expect(await here.evolve(['export', 'half', '--to', folder('half')])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is not empty'),
      });
      const [child, half] = [await said(here, 'child'), await here.json(['status', 'half'])];
      const best = (await here.json(['best', 'child'])).program;
      const shown = await must(here, 'show', best, '--prompt', '--response');
      await must(here, 'down');

      await must(there, 'up');
      cpSync(folder('child'), folder('damaged'), { recursive: true });
      writeFileSync(
        join(folder('damaged'), 'programs.jsonl'),
        readFileSync(join(folder('child'), 'programs.jsonl'), 'utf8').replace('"slot":1', '"slot":2'),
      );
      const refused = await there.evolve(['import', folder('damaged')]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(/^error: \S*damaged\/programs\.jsonl:\d+: expected content with the CRC-32 .*\n$/);
      expect(await there.json(['list'])).toEqual([]);

      expect(await there.json(['import', folder('child')])).toEqual({
        run: 'child',
        committedStep: 4,
        lostTexts: 0,
        imported: ['origin', 'child'],
      });
      expect(await must(there, 'import', folder('half'))).toContain('half: imported up to step');
      expect((await there.json(['list'])).map((one: { run: string }) => one.run).sort()).toEqual([
        'child',
        'half',
        'origin',
      ]);
      expect(await said(there, 'child')).toEqual(child);
      expect(await must(there, 'show', best, '--prompt', '--response')).toBe(shown);
      expect(await there.json(['status', 'half'])).toMatchObject({
        state: 'stopped',
        stopReason: 'imported; it was paused when it was exported',
        steps: half.steps,
        programs: half.programs,
      });
      for (const run of ['child', 'origin', 'half'])
        expect(await there.json(['rebuild', run])).toMatchObject({ differenceCount: 0 });
      expect(await there.evolve(['import', folder('child')])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('there is a run "child" in this database already (finished)'),
      });

      await must(there, 'extend', 'child', '--steps', '6');
      await must(there, 'watch', 'child');
      expect(await there.json(['status', 'child'])).toMatchObject({ state: 'finished', steps: 6, programs: 24 });
      await must(there, 'resume', 'half');
      await until('run half to go on', 60_000, async () => (await there.json(['status', 'half'])).steps > half.steps);
      await must(there, 'stop', 'half', '--now');
      await until('run half to stop', 60_000, async () => (await there.json(['status', 'half'])).state === 'stopped');
      for (const run of ['child', 'half'])
        expect(await there.json(['rebuild', run])).toMatchObject({ differenceCount: 0 });
      expect((await there.programs('child', '--code')).slice(0, 16)).toEqual(
        child[0]!
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      );
    },
    900_000,
  );
});
