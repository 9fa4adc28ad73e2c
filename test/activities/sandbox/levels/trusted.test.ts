// The two trusted containers: the gate parses hostile sources, the scorer survives hostile solutions.
// Attempts: programs and scores.
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gate, Scorer } from '../../../../activities/sandbox/contract/types.ts';
import { createGate } from '../../../../activities/sandbox/host/gate.ts';
import { createScorer } from '../../../../activities/sandbox/host/scorer.ts';
import { createDockerLauncher } from '../../../../activities/sandbox/launchers/docker-launcher.ts';
import { loadTask } from '../../../../activities/task/load-task.ts';
import { joinFiles } from '../../../../evolution/files/program-files.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import { containersOf, never, testHome, testImage } from './docker.ts';

const quiet = (): void => undefined;
const home = testHome();
const launcher = async (): Promise<ReturnType<typeof createDockerLauncher>> =>
  createDockerLauncher({ docker: new Docker(), image: await testImage(), home, log: quiet, trusted: true });

afterAll(async () => {
  expect(await containersOf(home)).toEqual([]);
});

describe('gate', () => {
  let gate: Gate;
  beforeAll(async () => {
    gate = createGate(await launcher(), quiet);
  });
  afterAll(() => gate.close());
  const check = async (...sources: string[]): Promise<readonly (string | null)[]> =>
    gate.check(sources, { entry: 'construct' }, never());

  test('accepts whatever binds the entry at module level', async () => {
    expect(
      await check(
        'def construct(instance):\n    return {}',
        'construct = lambda instance: {}',
        'try:\n    import x\nexcept ImportError:\n    def construct(i): return {}',
        'from helpers import build as construct',
        'if True:\n    async def construct(i): ...',
      ),
    ).toEqual([null, null, null, null, null]);
  });
  test('says what is wrong with the others, each on its own', async () => {
    const verdicts = await check(
      'def construct(:',
      'def other(): pass',
      'class A:\n    def construct(self): pass',
      'def construct(): pass\n\0',
      '\ud800',
      'def construct():\n\treturn 1\n        return 2',
      '',
      'def construct(): pass',
    );
    expect(verdicts.slice(0, 7).every((verdict) => typeof verdict === 'string' && verdict.length > 0)).toBe(true);
    expect(verdicts[0]).toMatch(/^SyntaxError: .*line 1/);
    expect(verdicts[1]).toBe('expected a function construct, the program defines none');
    expect(verdicts[7]).toBeNull();
  });
  test('answers many callers at a time, each on its own entry; one that gives up waits no longer', async () => {
    const gone = new AbortController();
    const asked = ['one', 'two', 'three'].map((entry) =>
      gate.check([`def ${entry}(): pass`, 'def two(): pass'], { entry }, never()),
    );
    const left = gate.check(['def one(): pass'], { entry: 'one' }, gone.signal);
    gone.abort(new Error('given up'));
    await expect(left).rejects.toThrow('given up');
    const missing = (entry: string): string => `expected a function ${entry}, the program defines none`;
    expect(await Promise.all(asked)).toEqual([
      [null, missing('one')],
      [null, null],
      [null, missing('three')],
    ]);
  });
  test('a file that a program adds has the name of no module that is installed', async () => {
    const names = 'kit/a.py random.py src/random.py json/__init__.py numpy.py kit/random/b.py json.txt'.split(' ');
    const sources = names.map((name) =>
      joinFiles([
        { name: 'types.py', text: '' },
        { name, text: '' },
      ]),
    );
    const said = await gate.check(sources, { entry: '', own: 1 }, never());
    expect(names.filter((_, index) => said[index] === null)).toEqual(['kit/a.py', 'kit/random/b.py', 'json.txt']);
    expect(said[1]).toBe('the new file random.py has the name of an installed module: expected another name');
    expect(await gate.check(sources, { entry: '' }, never())).toEqual(names.map(() => null));
  });
  test('never executes a source', async () => {
    expect(await check('import os\nos._exit(1)\ndef construct(i): pass', 'def construct(i): pass')).toEqual([
      null,
      null,
    ]);
  });
  test('a source over 64 KB is rejected without being parsed', async () => {
    expect((await check(`def construct(i): pass\n#${'x'.repeat(70_000)}`))[0]).toBe(
      'expected a program of at most 65536 bytes, got 70024',
    );
  });
  test('sources made to break the parser cost nobody else an answer', async () => {
    const fine = 'def construct(i): pass';
    const verdicts = await check(
      fine,
      `x = ${'('.repeat(30_000)}`,
      `x = ${'-'.repeat(60_000)}1\n${fine}`,
      `${fine}\nx = ${'a.'.repeat(30_000)}a`,
      `x = ${'['.repeat(150)}${']'.repeat(150)}\n${fine}`,
      fine,
    );
    expect([verdicts[0], verdicts[5]]).toEqual([null, null]);
    expect(verdicts[1]).toEqual(expect.any(String));
  });
});

describe('scorer', () => {
  const grid = Array.from({ length: 16 }, (_, i) => [1 / 8 + (i % 4) / 4, 1 / 8 + Math.floor(i / 4) / 4, 1 / 8]);
  const good = { circles: [...grid, ...Array.from({ length: 10 }, () => [0, 0, 0])] };
  let task: Task;
  beforeAll(async () => {
    task = await loadTask('circle-packing-square-26');
  });
  const scorerOf = async (evaluatorSource: string, timeoutMs = 60_000): Promise<Scorer> =>
    createScorer(await launcher(), { ...task, evaluatorSource }, quiet, timeoutMs);

  test('an evaluator that raises makes the solution invalid, with the reason', async () => {
    const scorer = await scorerOf('def evaluate(instance, solution):\n    return solution["missing"]\n');
    expect(await scorer.score(good, never())).toMatchObject({
      valid: false,
      score: null,
      reasons: ["the evaluator failed: KeyError: 'missing'"],
    });
    await scorer.close();
  });
  test('an evaluator that dies or hangs is started again; the solution is invalid after the second time', async () => {
    const source =
      'import os, time\ndef evaluate(instance, solution):\n    if solution == "die": os._exit(9)\n    if solution == "hang": time.sleep(1000)\n    return {"valid": True, "score": 1.0, "metrics": {}, "reasons": []}\n';
    const scorer = await scorerOf(source, 3_000);
    expect((await scorer.score('die', never())).reasons[0]).toContain(
      'the evaluator failed on this solution twice: the scorer died: exit code 9',
    );
    expect((await scorer.score('hang', never())).reasons[0]).toContain('no answer within 3 s');
    expect(await scorer.score(good, never())).toMatchObject({ valid: true, score: 1, strictScore: 1 });
    await scorer.close();
  });
});
