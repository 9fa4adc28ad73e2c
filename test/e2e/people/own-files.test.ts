// Commands for a person's own task, as they are typed: evaluators that misbehave end with one sentence, a check says the
// level and what is lacking, a trial says why it failed, and what a search found can be taken home.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sharedHome } from '../../support/machine/live.ts';

const live = sharedHome();
const root = mkdtempSync(join(tmpdir(), 'evolve-own-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Files = { readonly [path: string]: string };
const own = (name: string, evaluator: string, files: Files = {}, seconds = 4): string => {
  const all = { 'evaluator.py': `# direction: maximise\n# seconds: ${seconds}\n${evaluator}`, ...files };
  const program = Object.keys(files).some((path) => path.startsWith('initial')) ? {} : { 'initial.py': 'x = 1\n' };
  for (const [path, text] of Object.entries({ ...all, ...program })) {
    mkdirSync(dirname(join(root, name, path)), { recursive: true });
    writeFileSync(join(root, name, path), text);
  }
  return join(root, name);
};
const RUNS = 'import runpy\ndef evaluate(path):\n    return runpy.run_path(path)["f"]()\n';

test.each([
  ['hangs', 'import time\ndef evaluate(path):\n    time.sleep(600)', /^stopped after 3 s of wall clock/],
  ['forks', 'import os\ndef evaluate(path):\n    while True: os.fork()', /\(evaluator\.py, line 5\)$|^stopped after/],
  [
    'prints a gigabyte',
    'def evaluate(path):\n    for _ in range(10**6): print("x" * 1000)',
    /^stopped because it wrote more than/,
  ],
  ['ends the process', 'import os\ndef evaluate(path):\n    os._exit(0)', /^the program ended without handing over/],
])('an evaluator that %s', async (name, evaluator, reason) => {
  const { code, stdout, stderr } = await live.home.evolve(['task', 'init', own(name, evaluator, {}, 1), '--json']);
  expect(code).toBe(1);
  const told = JSON.parse(stdout) as { readonly score: number | null; readonly reasons: readonly string[] };
  expect(told).toMatchObject({ score: null, reasons: [expect.stringMatching(reason)] });
  expect(stderr).toContain(`The initial program has no score: ${told.reasons[0]}`);
  expect(stderr.length).toBeLessThan(2_000);
});

test('a trial that fails says why, a check what it needs, and a score is of the initial program', async () => {
  const broken = own('broken', RUNS, { 'initial.py': 'def f():\n    return [][1]\n' });
  const said = 'IndexError: list index out of range (initial.py, line 2)';
  const init = await live.home.evolve(['task', 'init', broken]);
  expect([init.code, init.stdout]).toEqual([1, `mend it, then: npx evolve task score ${broken}\n`]);
  const score = await live.home.evolve(['task', 'score', broken]);
  expect([score.code, score.stdout.split('\n').slice(0, 2)]).toEqual([1, ['no_solution', `  ${said}`]]);
  const shows = own(
    'shows',
    'def evaluate(path):\n    return {"error": "no data\\n" * 30, "artifacts": {"log": "a\\nb"}}\n',
    { 'task.yaml': 'kind: script\ndirection: maximise\nstages: [{name: quick, command: python -c pass}]\n' },
  );
  const failed = await live.home.evolve(['task', 'score', shows]);
  expect(failed.stdout).toMatch(
    /^invalid\n(?: *no data\n){30} {2}stages quick 1 in .*, whole invalid in .*\n {2}ran ok .*\nshowed {4}log \(text, 2 lines\)\n {10}a\n {10}b\n$/,
  );
  expect(JSON.parse((await live.home.evolve(['task', 'score', shows, '--json'])).stdout)).toMatchObject({
    stages: [{ name: 'quick', passed: true }, { name: 'whole' }],
    artifacts: [{ name: 'log', kind: 'text', text: 'a\nb' }],
  });
  const baseline = await live.home.evolve(['task', 'baseline', broken, '--times', '2']);
  expect(baseline.code).toBe(1);
  expect(baseline.stderr.match(/^seed 4[23]: no_solution, .*: IndexError: .*line 2\)$/gm)).toHaveLength(2);
  expect(baseline.stdout).toContain('0 of 2 valid');

  const bare = join(root, 'bare');
  await live.must('init', join(root, 'bare'));
  const unwritten = await live.home.evolve(['task', 'check', bare]);
  expect([unwritten.code, unwritten.stdout]).toEqual([1, expect.stringContaining('bare/task.yaml: problem: expected')]);
  const yaml = join(bare, 'task.yaml');
  writeFileSync(yaml, readFileSync(yaml, 'utf8').replace(/Say here .*/, 'Find x.'));
  expect(await live.home.json(['task', 'check', bare])).toMatchObject({ ok: true, level: 'isolated' });
  const strict = await live.home.evolve(['task', 'check', bare, '--strict', '--json']);
  expect(strict.code).toBe(1);
  expect(JSON.parse(strict.stdout)).toMatchObject({
    ...{ ok: false, level: 'isolated', next: 'golden cases that pass, in fixtures/golden.json' },
    findings: expect.arrayContaining([expect.objectContaining({ check: expect.stringMatching(/golden/), ok: false })]),
  });
}, 300_000);

test('what a search of several files found: its elites, its level, and the winner under its own names', async () => {
  const several = own('several', RUNS, {
    'initial/main.py':
      'from kit.parts import A\ndef f():\n    # EVOLVE-BLOCK-START\n    return A * 2.5\n    # EVOLVE-BLOCK-END\n',
    'initial/kit/parts.py': '# EVOLVE-BLOCK-START\nA = 3.5\n# EVOLVE-BLOCK-END\n',
  });
  const size = ['--steps', '2', '--set', 'batch=2', '--set', 'responses=2', '--yes'];
  await live.must('run', several, '--run', 'own-several', ...size);
  const { results, best } = await live.engine.document('own-several');
  const winner = (path: string): string => readFileSync(join(results!.directory, 'best', path), 'utf8');
  expect(winner('main.py')).toMatch(/^from kit\.parts import A\ndef f\(\):/);
  expect(winner('kit/parts.py')).toContain('EVOLVE-BLOCK-START\nA');
  expect(existsSync(join(results!.directory, 'best.py'))).toBe(false);
  const again = own('again', RUNS, {
    'initial/main.py': winner('main.py'),
    'initial/kit/parts.py': winner('kit/parts.py'),
  });
  expect(await live.home.json(['task', 'init', again])).toMatchObject({ outcome: 'valid', score: best!.score });
  expect(await live.must('report', 'own-several')).toMatch(/level.*\n.*runnable/);
  const elites = (await live.must('programs', 'own-several', '--elites', '--json')).trim().split('\n');
  const found = elites.map((line) => JSON.parse(line) as { readonly id: string; readonly cells: readonly string[] });
  expect(found.every(({ cells }) => cells.length > 0)).toBe(true);
  expect(found.map(({ id }) => id)).toContain(best!.program);
}, 300_000);

test("a solution of one's own is scored, and the run begins with it", async () => {
  const circles = Array.from({ length: 26 }, (_, k) => [0.1 + 0.15 * (k % 6), 0.1 + 0.15 * Math.floor(k / 6), 0.07]);
  const given = (name: string, solution: object): string => {
    writeFileSync(join(root, name), JSON.stringify(solution));
    return join(root, name);
  };
  const size = ['--steps', '1', '--batch', '1', '--responses', '1', '--yes'];
  const begin = (file: string) =>
    live.home.evolve([
      'run',
      '--task',
      'circle-packing-square-26',
      '--initial-data',
      file,
      '--run',
      'own-data',
      ...size,
    ]);
  const file = given('circles.json', { circles });
  const { code, stderr } = await begin(file);
  expect(stderr).toContain(`The solution of ${file} has the score 1.82`);
  expect(code).toBe(0);
  const [initial] = await live.home.programs('own-data', '--all');
  expect(initial).toMatchObject({ step: 0, outcome: 'valid', score: expect.closeTo(1.82, 6) });

  const broken = await begin(given('two.json', { circles: circles.slice(0, 2) }));
  expect(broken.code).toBe(2);
  expect(broken.stderr).toMatch(
    /--initial-data: expected a valid solution of circle-packing-square-26, got .*two\.json: /,
  );
}, 300_000);
