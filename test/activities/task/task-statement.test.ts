// What models read of a task: problem.md, the parts beside it, and what is said about metrics.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { checkTask } from '../../../activities/check/check-task.ts';
import { importsOutside, unexplained } from '../../../activities/check/check-texts.ts';
import { takeTask } from '../../../activities/task/kept-task.ts';
import { readTask } from '../../../activities/task/load-task.ts';
import { limitsByHand } from '../../../activities/task/statement.ts';
import { writeScaffold } from '../../../client/tasks/task-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'task-statement-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let made = 0;
let folder = '';
const put = (path: string, text: string): void => writeFileSync(join(folder, path), text);
beforeEach(() => {
  const id = `statement-${(made += 1)}`;
  folder = join(root, id);
  writeScaffold('solution', id, folder);
  put('prompts/task.md', 'Spread them evenly.\n');
});

test('the problem statement is filled in, and parts stay beside it', async () => {
  put('problem.md', 'Place {n} points, {direction} {scoreName} by {{n}} and {hall}.\n');
  const task = await readTask(folder);
  expect(task.problem).toBe('Place 8 points, maximise min_gap by {n} and {hall}.');
  expect(task.prompts).toEqual([{ name: 'task', weight: 1, text: 'Spread them evenly.' }]);
  expect(task.metrics).toEqual({ largest_gap: 'the largest gap between neighbours' });
  expect((await takeTask(folder)).texts.get('problem.md')).toContain('Place {n} points');
});

test('a task without problem.md, as before 0.5.0, has its parts as they are', async () => {
  rmSync(join(folder, 'problem.md'), { force: true });
  put('prompts/task.md', 'Python 3 with numpy 2.2, one core, {cpuSeconds} seconds and 512 MiB.\n');
  const task = await readTask(folder);
  expect(task.problem).toBeNull();
  expect(task.prompts[0]!.text).toContain('35 seconds and 512 MiB');
});

test.each([
  ['seconds by hand', 'Place them.\n\nYou have 60 seconds.', /problem\.md:3: expected no seconds.* got "60 seconds"/],
  ['nothing', ' \n', /problem\.md:1: expected the problem statement, got an empty file/],
])('a problem statement with %s is refused with its line', async (_, text, problem) => {
  put('problem.md', text);
  await expect(readTask(folder)).rejects.toThrow(problem);
});

test('a best value that task.yaml does not have is refused', async () => {
  put('problem.md', 'The best value known is {bestKnown}.');
  await expect(readTask(folder)).rejects.toThrow(
    'problem.md:1: {bestKnown} is the value of the reference with best: true, and task.yaml has none',
  );
  const yaml = readFileSync(join(folder, 'task.yaml'), 'utf8');
  put('task.yaml', yaml.replace('strict: true }', 'strict: true, best: true }'));
  expect((await readTask(folder)).problem).toBe('The best value known is 0.1428571429.');
});

test('a part beside a problem statement names no limits by hand either', async () => {
  put('problem.md', 'Place them.');
  put('prompts/task.md', 'Spread them.\nThere are 512 MiB and one core.');
  await expect(readTask(folder)).rejects.toThrow(/task\.md:2: expected no seconds, memory.* got "512 MiB"/);
});

test('a metric that is said in two lines is refused with its line', async () => {
  const yaml = readFileSync(join(folder, 'task.yaml'), 'utf8');
  put('task.yaml', yaml.replace('metrics:', 'metrics:\n  gap: "one\\ntwo"'));
  await expect(readTask(folder)).rejects.toThrow(/task\.yaml:\d+: metrics\.gap: expected one line/);
});

test('which words name limits', () => {
  const named = (text: string) => limitsByHand(text).map(({ found }) => found);
  for (const text of [
    '70 s of CPU',
    '1,024 MiB',
    'on 2 cores',
    'Python 3',
    'numpy 2.2',
    'for 5 minutes',
    'single core',
  ])
    expect(named(text)).toHaveLength(1);
  const problem = 'h_0 ... h_(n-1), 2 s + t, {limit} seconds, 300 iterations, the 4 scores, 8 coreless, 1e-6';
  expect(named(problem)).toEqual([]);
});

describe('the check of a folder', () => {
  const findings = async (): Promise<readonly string[]> =>
    (await checkTask(folder, { bench: () => expect.fail('nothing is run'), parts: ['files'] })).flatMap(
      ({ check, ok, detail }) => (ok ? [] : [`${check}: ${detail}`]),
    );

  test('a new task has nothing to mend', async () => {
    expect(await findings()).toEqual([]);
  });

  test('imports outside the open block are named with file and line, in starts too', async () => {
    const program = readFileSync(join(folder, 'initial.py'), 'utf8');
    put('initial.py', `import math\n${program}`);
    put('strong.py', `${program}    import os\n\nfrom os import path\n`);
    appendFileSync(
      join(folder, 'task.yaml'),
      'starts: { strong: { file: strong.py, what: a better one, score: 0.1 } }\n',
    );
    const line = program.split('\n').length + 2;
    expect(await findings()).toEqual([
      expect.stringContaining('initial: imports: initial.py:1: expected imports inside the EVOLVE-BLOCK'),
    ]);
    expect((await findings())[0]).toContain(`start strong:${line}: expected`);
    expect((await findings())[0]).toContain('got "from os import path" outside');
  });

  test('a part that is a whole statement is told of limits by hand', async () => {
    rmSync(join(folder, 'problem.md'));
    put('prompts/task.md', 'Place them.\nThere are 512 MiB, and {cpuSeconds} seconds.');
    expect(await findings()).toEqual([
      expect.stringMatching(/^prompts: limits: prompts\/task\.md:2: .* got "512 MiB"/),
    ]);
  });
});

test('imports of programs in other languages and of several files', () => {
  const block = '# EVOLVE-BLOCK-START\nimport a\n# EVOLVE-BLOCK-END\n';
  expect(importsOutside(`# === FILE: main.py ===\n${block}# === FILE: b.py ===\nimport c\n${block}`, 'x')).toEqual([
    { file: 'b.py', line: 1, text: 'import c' },
  ]);
  const js =
    "import fs from 'node:fs';\n// EVOLVE-BLOCK-START\nimport b from 'b';\n// EVOLVE-BLOCK-END\nimport('c');\n";
  expect(importsOutside(js, 'initial.mjs')).toEqual([]);
  expect(unexplained({ metrics: { gap_1: 'a gap', used: 'b' } }, ['gap_1', 'gap_12', 'used', 'other'])).toEqual([
    'other',
  ]);
});
