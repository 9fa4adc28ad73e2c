// The scripts of examples/, as their readers run them.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sharedHome } from '../../support/machine/live.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

describe('the examples', () => {
  const live = sharedHome();
  const printed = async (script: string, ...args: string[]): Promise<string> => {
    const node = join(ROOT, 'node_modules', '.bin', 'node');
    const options = { cwd: ROOT, env: live.home.env };
    return (await promisify(execFile)(node, [join('examples', script), ...args], options)).stdout;
  };

  it('start a run, fork it, steer another one, sweep, and list all', async () => {
    const first = await printed('run.ts');
    const [, watched, run] =
      /^((?:after \d+ steps: best \S+\n)+)(\S+): finished, best score \d\.\d+, 0 US dollars\n$/.exec(first)!;
    expect(watched!.trim().split('\n').at(-1)).toMatch(/^after 3 steps: best \d\.\d+$/);
    expect(await printed('fork.ts', run!)).toContain("state: 'finished'");
    expect(await printed('steer.ts')).toContain("state: 'finished'");
    expect(await printed('sweep.ts')).toContain("{ 'population.bins': 10 } 2 runs, mean ");
    expect(await printed('read.ts')).toContain(`${run}  circle-packing-square-26  finished  `);
  });
});
