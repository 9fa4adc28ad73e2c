// What a check finds, with a bench that answers what the test says; no container.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkTask } from '../../../activities/check/check-task.ts';
import type { CheckOptions, Finding } from '../../../activities/check/findings.ts';
import type { Score } from '../../../activities/sandbox/contract/types.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Json } from '../../../evolution/types.ts';

const TASKS = join(import.meta.dirname, '..', '..', '..', 'tasks');
const ID = 'circle-packing-square-26';
let root: string;
let folder: string;

const score = (value: number | null, strict = value): Score => ({
  valid: value !== null,
  score: value,
  strictScore: strict,
  metrics: {},
  reasons: value === null ? ['expected more'] : [],
});
const evaluation = (more: Partial<Evaluation>): Evaluation => ({
  outcome: 'valid',
  execution: 'ok',
  score: 1,
  strictScore: 1,
  metrics: {},
  reasons: [],
  solution: null,
  exitCode: 0,
  cpuMs: 1000,
  wallMs: 1000,
  peakBytes: 2 ** 20,
  stdoutTail: '',
  stderrTail: '',
  isolation: 'fake',
  imageId: '',
  ...more,
});

type Answers = {
  readonly solution?: (solution: Json) => Score;
  readonly program?: (code: string) => Partial<Evaluation>;
};

const check = (answers: Answers, options: Partial<CheckOptions>): Promise<readonly Finding[]> =>
  checkTask(folder, {
    root,
    bench: () => ({
      scorer: { score: async (solution) => answers.solution!(solution) },
      evaluator: {
        isolation: 'fake',
        checkSources: async (codes) => codes.map(() => null),
        evaluate: async ({ code }) => evaluation(answers.program!(code)),
      },
      close: async () => undefined,
    }),
    ...options,
  });

const fixture = (name: string, value: unknown): Promise<void> =>
  writeFile(join(folder, 'fixtures', name), JSON.stringify(value));
const bad = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ ok }) => !ok).map(({ check: name, detail }) => `${name}: ${detail}`);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'check-'));
  folder = join(root, ID);
  for (const name of [ID, 'library', 'cheats']) await cp(join(TASKS, name), join(root, name), { recursive: true });
  await rm(join(folder, 'fixtures'), { recursive: true });
  await mkdir(join(folder, 'fixtures', 'gold'), { recursive: true });
  await writeFile(
    join(folder, 'task.yaml'),
    (await readFile(join(folder, 'task.yaml'), 'utf8'))
      .replace(/^initial:(?:.*)\n(?:  .*\n)*/m, '')
      .concat('initial: { score: 1 }\n'),
  );
});
afterEach(() => rm(root, { recursive: true }));

describe('a folder', () => {
  test('that is not there is named', async () => {
    expect(
      bad(
        await checkTask(join(root, 'nothing'), {
          root,
          bench: () => {
            throw new Error('unused');
          },
        }),
      )[0],
    ).toContain('task.yaml: expected the folder of a task');
  });
  test('that cannot be loaded gives the error of its file and line', async () => {
    await writeFile(join(folder, 'task.yaml'), 'title: x\n');
    expect(bad(await check({}, {}))).toEqual([expect.stringContaining('task.yaml:1: kind: Invalid option')]);
  });
  test('without fixtures fails each part with the file that is missing', async () => {
    const found = bad(
      await check(
        { solution: () => score(1), program: () => ({}) },
        { parts: ['files', 'golden', 'honest', 'cheats'] },
      ),
    );
    for (const file of ['golden.json', 'honest.json'])
      expect(
        found.filter((text) => text.includes(`${file}: expected a file of the task`)).length,
      ).toBeGreaterThanOrEqual(2);
    expect(found).toContainEqual('fixtures: gold: 0 gold files, expected at least 1');
  });
  test('with a file in prompts/ that nothing uses is told of it, and of the name that was meant', async () => {
    for (const name of ['programm.md', 'notes.txt']) await writeFile(join(folder, 'prompts', name), 'x\n');
    const found = bad(await check({}, { parts: [] }));
    expect(found).toEqual([
      expect.stringMatching(
        /^prompts: files: prompts\/notes\.txt is used by nothing.*prompts\/programm\.md is used by nothing/,
      ),
    ]);
  });
  test('whose evaluator could turn data into code is refused', async () => {
    const path = join(folder, 'evaluator.py');
    await writeFile(path, `import pickle, os\n${await readFile(path, 'utf8')}`);
    const found = bad(await check({}, { parts: ['files'] }));
    expect(found).toContainEqual(
      'trusted: evaluator.py: expected nothing that turns data into code or reaches outside, got pickle',
    );
  });
  test('whose evaluator imports a package is refused, unless the task has an image of its own', async () => {
    const paths = ['evaluator.py', 'task.yaml'].map((name) => join(folder, name)) as [string, string];
    await writeFile(paths[0], `import pandas\n${await readFile(paths[0], 'utf8')}`);
    const trusted = async () =>
      bad(await check({}, { parts: ['files'] })).filter((text) => text.startsWith('trusted: eval'));
    expect(await trusted()).toEqual([expect.stringContaining("task.yaml's library, got pandas")]);
    await writeFile(paths[1], `${await readFile(paths[1], 'utf8')}\nimage: own:1\n`);
    expect(await trusted()).toEqual([]);
  });
});

describe('fixtures', () => {
  test('golden cases are compared value by value, to 1e-12 or their tolerance', async () => {
    await fixture('golden.json', [
      { name: 'well', solution: 1, expected: { valid: true, score: 1 } },
      { name: 'near', solution: 2, expected: { valid: true, score: 2 } },
      { name: 'tolerated', solution: 2, expected: { valid: true, score: 2 }, tolerance: 1e-9 },
      { name: 'refused', solution: null, expected: { valid: false } },
      { name: 'missing', solution: 1, expected: { valid: true, pairs: 3 } },
      { name: 'accepted', solution: 1, expected: { valid: false } },
    ]);
    const answer = (solution: Json): Score => (solution === null ? score(null) : score(solution === 2 ? 2 + 1e-10 : 1));
    expect(bad(await check({ solution: answer }, { parts: ['golden'] }))).toEqual([
      'golden: near: score: expected 2, got 2.0000000001',
      'golden: missing: pairs: expected 3, got undefined',
      'golden: accepted: expected valid: false, got true, 1',
    ]);
  });
  test('an evaluator that raised gave no verdict', async () => {
    await fixture('golden.json', [{ name: 'raises', solution: 1, expected: { valid: false } }]);
    expect(
      bad(
        await check(
          { solution: () => ({ ...score(null), reasons: ['the evaluator failed: KeyError'] }) },
          { parts: ['golden'] },
        ),
      ),
    ).toEqual(['golden: raises: expected a verdict, the evaluator raised: the evaluator failed: KeyError']);
  });
  test('the honest solution scores the same twice and no better than the initial program', async () => {
    await fixture('honest.json', { score: 1.5, solution: 1 });
    let calls = 0;
    expect(bad(await check({ solution: () => score(1.5, (calls += 1)) }, { parts: ['honest'] }))).toEqual([
      'honest: scored twice, the same answer: the answers differ',
      'honest: no better than the initial program: 1.5, the initial program 1',
    ]);
  });
  test('gold is judged by its score and its strict score', async () => {
    await fixture('gold/a.json', {
      name: 'a',
      score: 2,
      strict: 1.9,
      how: 'by hand',
      script: 'a.py',
      seconds: 1,
      machine: 'any',
      solution: 1,
    });
    expect(bad(await check({ solution: () => score(2, 1.9) }, { parts: ['gold'] }))).toEqual([]);
    expect(bad(await check({ solution: () => score(2, 1.8) }, { parts: ['gold'] }))).toEqual([
      'gold: a: strictScore: expected 1.9, got 1.8',
    ]);
  });
});

describe('programs', () => {
  test('the initial program scores what task.yaml says, within its limits', async () => {
    // The task's named starts have tests of their own.
    const initial = (all: readonly string[]): readonly string[] => all.filter((one) => !one.startsWith('start '));
    expect(initial(bad(await check({ program: () => ({}) }, { parts: ['initial'] })))).toEqual([]);
    expect(
      initial(bad(await check({ program: () => ({ score: 1.001, peakBytes: 2 ** 31 }) }, { parts: ['initial'] }))),
    ).toEqual(['initial: score: 1.001, expected 1', 'initial: memory: 2048 of 1024 MiB']);
    expect(
      initial(
        bad(
          await check(
            { program: () => ({ outcome: 'no_solution', execution: 'memory', score: null, reasons: ['too much'] }) },
            { parts: ['initial'] },
          ),
        ),
      ),
    ).toEqual(['initial: valid: no_solution, memory: too much']);
  });
  const changes = (mutants: readonly string[]) => () => ({ broken: 'broken', mutants });
  test.each<[string, (code: string) => Partial<Evaluation>, RegExp]>([
    [
      'another program',
      () => ({}),
      /it does not: all 3 changes of the initial program have its score, 1, and a broken one has 1/,
    ],
    [
      'another program that has to load',
      (code) => (code === 'broken' ? { score: null } : {}),
      /it does not: all 3 changes .* and a broken one has none/,
    ],
    ['what fails for the best', (code) => (code === 'broken' ? { score: 2 } : {}), /it does not: a broken one has 2/],
  ])('an evaluator that scores %s is told', async (_, program, words) => {
    const found = bad(await check({ program }, { parts: ['initial'], changes: changes(['a', 'b', 'c']) }));
    expect(found).toContainEqual(expect.stringMatching(words));
  });

  test('metrics that task.yaml does not explain are named, though it need not have the key', async () => {
    const told = async (): Promise<unknown> =>
      (await check({ program: () => ({ metrics: { energy: 1 } }) }, { parts: ['initial'] })).find(
        ({ check: name }) => name === 'initial: metrics',
      );
    const named = expect.stringContaining('meaning of energy');
    expect(await told()).toMatchObject({ ok: false, detail: named });
    const yaml = join(folder, 'task.yaml');
    await writeFile(yaml, (await readFile(yaml, 'utf8')).replace(/^metrics:\n(?:  .*\n)*/m, ''));
    expect(await told()).toMatchObject({ ok: true, detail: expect.stringContaining('models read energy without a') });
  });

  test('changes are tried until one makes a difference, and where none can be made nothing is said', async () => {
    const tried: string[] = [];
    const program = (code: string): Partial<Evaluation> => {
      tried.push(code);
      return code === 'b' ? { score: null } : {};
    };
    const told = async (mutants: readonly string[]) =>
      (await check({ program }, { parts: ['initial'], changes: changes(mutants) })).filter((one) =>
        one.check.endsWith('depends on the program'),
      );
    expect(await told(['a', 'b', 'c'])).toMatchObject([
      { ok: true, detail: '1, no score for a change, 1 for a broken one' },
    ]);
    expect(tried.slice(1, 4)).toEqual(['broken', 'a', 'b']);
    expect(tried).not.toContain('c');
    expect(await told([])).toEqual([]);
  });

  test('every cheat that scores is named with what it does, and so is a run after them that differs', async () => {
    await fixture('honest.json', { score: 0.5, solution: { circles: [] } });
    await mkdir(join(folder, 'fixtures', 'cheats'));
    await writeFile(join(folder, 'fixtures', 'cheats', 'claims.py'), '# Claims a score.\n# expects: invalid\nx = 1\n');
    let runs = 0;
    const found = bad(
      await check(
        { program: () => ((runs += 1) === 1 ? { score: 2 } : { score: 0.4, strictScore: 0.4 }) },
        { parts: ['cheats'], kinds: ['own'] },
      ),
    );
    expect(found).toEqual([
      "cheat: own/claims: valid, 2 (strict 1): better than the initial program's 1 (Claims a score.)",
      'cheats: an honest program after them: valid, 0.4, expected 0.5',
    ]);
  });
  test('a sample runs so many of each kind, the same for the same seed', async () => {
    await fixture('honest.json', { score: 1, solution: { circles: [] } });
    const run = async (seed: number): Promise<readonly string[]> =>
      (
        await check(
          { program: () => ({}) },
          { parts: ['cheats'], kinds: ['containment', 'solution', 'function'], sample: { count: 3, seed } },
        )
      ).map(({ check: name }) => name);
    const first = await run(1);
    expect(first.filter((name) => name !== 'prompts: files')).toHaveLength(7);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
  });
});
