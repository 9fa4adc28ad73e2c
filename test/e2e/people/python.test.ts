// The Python client as its users have it: the wheel is built and installed, and its own tests (clients/python/tests) run
// against a stack. They show what is refused, runs from two functions to their best program, and the notebook of the docs.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../../deploy/host/home.ts';
import { listedPython } from '../../support/listed-python.ts';
import { sharedHome } from '../../support/machine/live.ts';

const bin = await listedPython('client', ['3.11', '3.12', '3.13']);
const CLIENT = join(PROJECT_ROOT, 'clients', 'python');

describe.skipIf(bin === null)('the Python client', () => {
  const live = sharedHome();
  const installed = mkdtempSync(join(tmpdir(), 'evolve-python-'));
  afterAll(() => rmSync(installed, { recursive: true, force: true }));
  const ran = (args: readonly string[]) =>
    new Promise<{ readonly code: unknown; readonly text: string }>((done) => {
      // No file is written into the clone.
      const env = { ...live.home.env, PYTHONPATH: installed, PYTHONDONTWRITEBYTECODE: '1' };
      execFile(join(bin!, 'python'), args, { cwd: join(CLIENT, 'tests'), env }, (error, stdout, stderr) =>
        done({ code: error?.code ?? 0, text: stdout + stderr }),
      );
    });

  it('is built as a wheel of the version of package.json', async () => {
    expect(await ran([join(CLIENT, 'build_wheel.py'), installed])).toMatchObject({ code: 0 });
    const [wheel] = readdirSync(installed);
    expect(wheel).toMatch(/^durable_evolve-\d+\.\d+\.\d+-py3-none-any\.whl$/);
    const install = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-index',
      '--disable-pip-version-check',
      '--no-deps',
      '--target',
      installed,
    ];
    expect(await ran([...install, join(installed, wheel!)])).toEqual({ code: 0, text: '' });
  });

  it.each(['test_refusals', 'test_stack', 'test_notebook'])('%s', async (name) => {
    const { code, text } = await ran(['-m', 'unittest', name]);
    expect(code, text).toBe(0);
    expect(text).toMatch(/^OK$/m);
  });

  // The stack is shared, so the newest run may be another test's, in any state: only the columns are known.
  it('gives a frame of the newest run in one line', async () => {
    const line = "import durable_evolve as d; print(*d.connect().run('latest').programs().columns)";
    expect(await ran(['-c', line])).toMatchObject({ code: 0, text: expect.stringMatching(/^id .*\bscore\b.*\n$/) });
  });
});
