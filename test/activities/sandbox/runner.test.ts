// What a program of kind `solution` may do in the runner that ships, by the Python of this machine.
import { afterAll, expect, test } from 'vitest';
import { createConfinedSandbox } from '../../../activities/sandbox/host/confined-sandbox.ts';
import { createPlainLauncher } from '../../doubles/plain-launcher.ts';
import { job, never } from './levels/docker.ts';

const sandbox = createConfinedSandbox({
  ...{ launcher: createPlainLauncher(), home: 'h', concurrency: 1, log: () => undefined },
});
afterAll(() => sandbox.close());

test('processes that are not forked find the functions of the program, and of its other files', async () => {
  const code = `# === FILE: program.py ===
import multiprocessing
from tools.twice import twice
def both(number):
    return twice(number) + 1
def construct(instance):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return {"n": sum(pool.map(both, [1, 2]))}
# === FILE: tools/twice.py ===
def twice(number):
    return 2 * number
`;
  const patient = { ...job('').limits, cpuSeconds: 20, wallSeconds: 60 };
  expect(await sandbox.run(job(code, { limits: patient }), never())).toMatchObject({ kind: 'ok', solution: { n: 8 } });
});

test('a program has a file, and no words on its command line', async () => {
  const code = `import argparse, json
parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int, default=1)
given = parser.parse_args()
def construct(instance):
    with open(__file__) as file:
        return {"n": given.n + len(file.readlines())}
`;
  expect(await sandbox.run(job(code, { preload: ['json'] }), never())).toMatchObject({
    kind: 'ok',
    solution: { n: 8 },
  });
});

test('the words with which a program exits are its last line', async () => {
  const code = 'import sys\ndef construct(instance):\n    print("loaded")\n    sys.exit("no point is feasible")\n';
  const { kind, stderrTail } = await sandbox.run(job(code), never());
  expect(kind).toBe('program_error');
  expect(stderrTail.trim().split('\n').at(-1)).toBe('SystemExit: no point is feasible');
});
