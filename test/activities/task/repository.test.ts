// A repository as the candidate: what task.yaml may say, what prompts say of it, and its tests as a stage, by the guest,
// the sandbox and the scorer that ship.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkTask } from '../../../activities/check/check-task.ts';
import { createConfinedSandbox } from '../../../activities/sandbox/host/confined-sandbox.ts';
import { createScorer } from '../../../activities/sandbox/host/scorer.ts';
import { createStaged } from '../../../activities/sandbox/stages/staged.ts';
import { keepTask, keptTask, takeTask } from '../../../activities/task/kept-task.ts';
import { readTask } from '../../../activities/task/load-task.ts';
import { fileHead, joinFiles, splitFiles } from '../../../evolution/files/program-files.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { createPlainLauncher } from '../../doubles/plain-launcher.ts';
import { CHANGE, REPOSITORY, REPOSITORY_TASK, writeRepository } from '../../support/worlds/repository.ts';

const root = mkdtempSync(join(tmpdir(), 'repository-'));
const launcher = createPlainLauncher();
const sandbox = createConfinedSandbox({ launcher, home: 'h', concurrency: 1, log: () => undefined });
const gate = { check: async (codes: readonly string[]) => codes.map(() => null), close: async () => undefined };
const scorerFor = (of: Task) => createScorer(launcher, of, () => undefined);
afterAll(async () => {
  await sandbox.close();
  rmSync(root, { recursive: true });
});

// The Python of this machine has pytest.
const HEAD = REPOSITORY_TASK.replace('packages: [pytest]\n', '');
let made = 0;
const folderOf = (yaml = HEAD, files: { readonly [path: string]: string } = {}): string =>
  writeRepository(join(root, `repo-${(made += 1)}`), { 'task.yaml': yaml, ...files });

const evaluate = async (task: Task, code: string): Promise<Evaluation> => {
  const { evaluator, close } = createStaged({ sandbox, gate, scorerFor, task });
  try {
    const job = { key: 'k', run: 'r', seed: 1, acceptSavedOnTimeout: false, scoring: 'tolerant' } as const;
    return await evaluator.evaluate({ ...job, code }, new AbortController().signal);
  } finally {
    await close();
  }
};
const withText = (task: Task, name: string, text: string): string =>
  joinFiles(splitFiles(task.initialProgram)!.map((file) => (file.name === name ? { name, text } : file)));

test('the files that may change are the program, and the run keeps all others', async () => {
  const folder = folderOf(`${HEAD}add: [kit/new_*.py]\nshow: [tests/*.py, kit/points.py]\n`);
  const task = await readTask(folder);
  expect(splitFiles(task.initialProgram)).toEqual(CHANGE.map((name) => ({ name, text: REPOSITORY[name] })));
  expect(Object.keys(task.script!.files).toSorted()).toEqual(
    Object.keys(REPOSITORY)
      .filter((path) => !CHANGE.includes(path))
      .toSorted(),
  );
  const [{ text }] = task.prompts as [Task['prompts'][number]];
  for (const said of [
    'These files may change: kit/constants.py, kit/line.py. New files may be added that fit kit/new_*.py, in Python under names that no installed module has.',
    'stay as they are: evaluator.py, kit/__init__.py, kit/points.py, tests/test_line.py.',
    '`tests/test_line.py`, which stays as it is:\n\n```\nfrom kit.line',
  ])
    expect(text).toContain(said);
  const store = memoryStore();
  const kept = await keptTask(store, await keepTask(store, await takeTask(folder)));
  expect(kept).toEqual(task);
});

test('the evaluator gets the file that program names', async () => {
  const { script, initialProgram } = await readTask(folderOf(`${HEAD}evaluate: {program: kit/line.py}\n`));
  expect([script!.program, splitFiles(initialProgram)!.map(({ name }) => name)]).toEqual([
    'kit/line.py',
    ['kit/line.py', 'kit/constants.py'],
  ]);
});

test.each([
  [
    'nothing',
    'change: [kit/none*.py]',
    /task\.yaml:3: change\.0: expected files of the folder, none is kit\/none\*\.py/,
  ],
  [
    'everything',
    'change: [kit, "**"]',
    /task\.yaml:3: change\.1: .* got 7 by \*\*, with evaluator\.py, task\.yaml, tests\/test_line\.py:/,
  ],
  [
    'the tests',
    'change: [kit/line.py, tests/*]',
    /task\.yaml:3: change\.1: .* with tests\/test_line\.py: the evaluator, tests/,
  ],
  [
    'files that are not there to show',
    'change: [kit/line.py]\nshow: [README.rst]',
    /task\.yaml:4: show\.0: expected files/,
  ],
  [
    'another program',
    'change: [kit/line.py]\nevaluate: {program: kit/points.py}',
    /evaluate\.program: expected one of/,
  ],
  ['no files to change', 'add: [kit/*]', /add: expected beside change/],
])('globs are refused that name %s', async (_what, keys, expected) => {
  await expect(readTask(folderOf(`kind: script\ndirection: minimise\n${keys}\n`))).rejects.toThrow(expected);
});

test.each([
  ['no text', 'a\0b', /line\.py: expected UTF-8 text/],
  ['other line ends', 'a\r\n', /line\.py:1: expected lines that end with "\\n", got "\\r"/],
  ['a head of ours', `a\n${fileHead('b.py')}\n`, /line\.py:2: expected no line that names a file/],
])('a file that may change is refused that has %s', async (_what, text, expected) => {
  await expect(readTask(folderOf(HEAD, { 'kit/line.py': text }))).rejects.toThrow(expected);
});

test.each([
  [
    'beside a threshold',
    '[{name: a, command: pytest, threshold: 2}]',
    /command: expected no function, score or threshold/,
  ],
  ['of several lines', '[{name: a, command: "a\\nb"}]', /command: expected a command in one line/],
])('a command is refused %s', async (_what, stages, expected) => {
  await expect(
    readTask(folderOf(`kind: script\ndirection: minimise\nchange: [kit/line.py]\nstages: ${stages}\n`)),
  ).rejects.toThrow(expected);
});

describe('the tests are the gate', () => {
  test('a program whose tests pass is scored; of another the end of what they print is the reason', async () => {
    const task = await readTask(folderOf());
    const good = await evaluate(task, withText(task, 'kit/constants.py', 'SLOPE = 3\nOFFSET = 1\n'));
    expect(good).toMatchObject({ outcome: 'valid', score: 8, stages: [{ name: 'tests', passed: true }, {}] });
    const bad = await evaluate(task, withText(task, 'kit/constants.py', 'SLOPE = -1\nOFFSET = 0\n'));
    expect(bad).toMatchObject({ outcome: 'invalid', score: null });
    expect(bad.reasons[0]).toBe('at stage tests: `pytest -q` ended with 1');
    expect(bad.reasons.join('\n')).toMatch(/FAILED tests\/test_line\.py::test_grows[^]*1 failed, 1 passed/);
  }, 60_000);

  test('a program that is no part of the repository never runs', async () => {
    const task = await readTask(folderOf(`${HEAD}add: [kit/*.py]\n`));
    const added = (name: string): string => `${task.initialProgram}\n${fileHead(name)}\nx = 1\n`;
    for (const name of [
      'conftest.py',
      'kit/conftest.py',
      'sitecustomize.py',
      'kit/points.py',
      'evaluator.py',
      '../x.py',
    ])
      expect((await evaluate(task, added(name))).reasons[0]).toMatch(/: the head of a file "/);
    expect((await evaluate(task, added('kit/more.py'))).outcome).toBe('valid');
  }, 60_000);

  test('what a program does to the tests reaches no other program', async () => {
    const task = await readTask(folderOf());
    const cheat =
      'import pathlib\nfor path in pathlib.Path(".").rglob("test_*.py"):\n    path.write_text("def test_a():\\n    pass\\n")\nSLOPE = -1\nOFFSET = 0\n';
    await evaluate(task, withText(task, 'kit/constants.py', cheat));
    const next = await evaluate(task, withText(task, 'kit/constants.py', 'SLOPE = -1\nOFFSET = 0\n'));
    expect(next.outcome).toBe('invalid');
  }, 60_000);

  test('a check finds tests that pass without the program', async () => {
    const found = async (folder: string) => {
      const bench = (task: Task) => {
        const { evaluator, scorer, close } = createStaged({ sandbox, gate, scorerFor, task });
        return { evaluator, scorer, close };
      };
      const findings = await checkTask(folder, { bench });
      return findings.find(({ check }) => check === 'stages: the tests need the program');
    };
    expect(await found(folderOf())).toMatchObject({ ok: true });
    const idle = { 'tests/test_line.py': 'def test_nothing():\n    pass\n' };
    expect(await found(folderOf(HEAD, idle))).toMatchObject({
      ok: false,
      detail: 'expected a failure where each file that may change is empty, and `pytest -q` passes',
    });
  }, 60_000);
});
