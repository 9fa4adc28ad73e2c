// evolve run <files>: which files are the evaluator and the program, what the task.yaml says, and what is asked for.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { keepTask, keptTask, takeTask } from '../../../activities/task/kept-task.ts';
import { readTask, TASKS_ROOT } from '../../../activities/task/load-task.ts';
import { filesIn } from '../../../activities/task/task-files.ts';
import { initTask, type Said } from '../../../client/tasks/init-task.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

const root = mkdtempSync(join(tmpdir(), 'init-'));
afterAll(() => rmSync(root, { recursive: true }));

const PROGRAM = 'def f(x):\n    return x\n';
const EVALUATOR = '# direction: minimise\ndef evaluate(path):\n    return 1\n';
const OWN_SCORE = `# direction: minimise\n# EVOLVE-BLOCK-START\n${PROGRAM}# EVOLVE-BLOCK-END\nprint(f(1))\n`;
let made = 0;
const folderOf = (files: readonly string[], evaluator = EVALUATOR): string => {
  const folder = join(root, `My problem ${(made += 1)}`);
  for (const path of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), path.includes('eval') ? evaluator : path.endsWith('.py') ? PROGRAM : 'text');
  }
  return folder;
};
const init = (folder: string, paths: readonly string[] = [''], said: Said = {}, larger: boolean | null = null) =>
  initTask(
    paths.map((path) => join(folder, path)),
    said,
    larger === null ? null : async () => larger,
  );

describe('the files are found', () => {
  test.each([
    [['evaluator.py', 'initial.py'], [''], 'evaluator.py', 'initial.py'],
    [['evaluator.py', 'initial_program.py', 'helper.py', 'config.yaml'], [''], 'evaluator.py', 'initial_program.py'],
    [['evaluate.py', 'initial.cpp'], [''], 'evaluate.py', 'initial.cpp'],
    [['evaluate.py', 'src/init_program.py'], [''], 'evaluate.py', 'src/init_program.py'],
    [['evaluator/evaluator.py', 'initial_program.py'], [''], 'evaluator/evaluator.py', 'initial_program.py'],
    [['evaluator.py', 'sorting.py', 'data.csv'], [''], 'evaluator.py', 'sorting.py'],
    [['my_eval.py', 'a.py', 'b.py'], ['my_eval.py', 'b.py'], 'my_eval.py', 'b.py'],
    [['my_eval.py', 'a.py', 'b.py'], ['b.py', 'my_eval.py'], 'my_eval.py', 'b.py'],
    [['my_eval.py', 'data.csv'], ['my_eval.py'], 'my_eval.py', 'my_eval.py'],
    [['x/my_eval.py', 'y/b.py'], ['x/my_eval.py', 'y/b.py'], 'x/my_eval.py', 'y/b.py'],
    [['evaluator.py', 'initial.py', 'venv/lib/a.py', '.git/x.py', 'runs/b.py'], [''], 'evaluator.py', 'initial.py'],
  ] as const)('%j', async (files, named, evaluator, program) => {
    const folder = folderOf(files, evaluator === program ? OWN_SCORE : EVALUATOR);
    expect(await init(folder, named)).toEqual({ folder, made: true });
    const task = await readTask(folder);
    expect(task).toMatchObject({
      id: `my-problem-${made}`,
      direction: 'minimise',
      script: { file: evaluator, program, entry: program.endsWith('.py') ? 'f' : '' },
    });
    if (program.endsWith('.py')) expect(task.initialProgram).toBe(evaluator === program ? OWN_SCORE : PROGRAM);
    else expect(task.initialProgram).toMatch(/^\/\/ EVOLVE-BLOCK-START cpp\n/);
    expect(await init(folder)).toEqual({ folder, made: false });
  });
});

test.each([
  [['initial.py'], [''], /lacks task\.yaml.*or put an evaluator\.py and an initial\.py there/],
  [
    ['evaluator.py', 'a.py', 'b.py'],
    [''],
    /which file is the program to begin with \(a\.py, b\.py\)\? Name both: evolve run evaluator\.py <program>/,
  ],
  [
    ['evaluator.py'],
    ['evaluator.py'],
    /Name both: .*; or mark what may change in evaluator\.py with EVOLVE-BLOCK-START/,
  ],
  [['evaluator.py', 'initial.py'], ['evaluator.py', 'nothing.py'], /there is no .*nothing\.py/],
  [['evaluator.py', 'initial.py', 'c.py'], ['evaluator.py', 'initial.py', 'c.py'], /got 3 paths/],
] as const)('what cannot be told is asked for: %j', async (files, named, message) => {
  await expect(init(folderOf(files), named)).rejects.toThrow(message);
});

describe('the direction', () => {
  const plain = 'def evaluate(path):\n    return 1\n';
  const files = ['evaluator.py', 'initial.py'];
  const direction = async (evaluator: string, said: Said = {}, larger: boolean | null = null) => {
    const folder = folderOf(files, evaluator);
    await init(folder, [''], said, larger);
    return (await readTask(folder)).direction;
  };
  test('is said by a flag, else by a comment, else by a score that is called combined_score, else asked for', async () => {
    expect(await direction(EVALUATOR)).toBe('minimise');
    expect(await direction(EVALUATOR, { direction: 'max' })).toBe('maximise');
    expect(await direction('def evaluate(p):\n    return {"combined_score": 1}\n')).toBe('maximise');
    expect(await direction(plain, {}, false)).toBe('minimise');
    expect(await direction(plain, {}, true)).toBe('maximise');
  });
  test('is refused with its flag where nobody can be asked, and nothing is written', async () => {
    const folder = folderOf(files, plain);
    await expect(init(folder)).rejects.toThrow(/^--direction: expected maximise or minimise, as a flag or as a line/);
    await expect(init(folder, [''], { direction: 'up' })).rejects.toThrow(/^--direction: expected .*, got up$/);
    await expect(init(folder, [''], { direction: 'max', seconds: 'x' })).rejects.toThrow(/^--seconds: expected/);
    expect(filesIn(folder, TASKS_ROOT).has('task.yaml')).toBe(false);
    await init(folder, [''], { direction: 'max', score: 'speed', seconds: '7' });
    expect(readFileSync(join(folder, 'task.yaml'), 'utf8')).toContain('score: speed');
    expect((await readTask(folder)).limits).toMatchObject({ cpuSeconds: 7, wallSeconds: 21 });
  });
  test('a flag may repeat what task.yaml says, and name the score where it names none', async () => {
    const folder = folderOf(files);
    const again = { direction: 'min', seconds: '300' };
    await init(folder);
    expect(await init(folder, [''], again)).toEqual({ folder, made: false });
    expect(await init(folder, [''], { ...again, score: 'loss' })).toEqual({ folder, made: false });
    expect(await readTask(folder)).toMatchObject({ scoreName: 'loss', direction: 'minimise' });
    expect(readFileSync(join(folder, 'task.yaml'), 'utf8')).toMatch(/^# Made by evolve[^]*score: loss/);
    await expect(init(folder, [''], { score: 'n' })).rejects.toThrow(
      /^--score: .*task\.yaml says loss: change it there$/,
    );
    await expect(init(folder, [''], { direction: 'max' })).rejects.toThrow(/^--direction: .* says minimise: change/);
  });
});

test('models read the docstring, else README.md, as they stand; what is no text is kept byte by byte', async () => {
  const words = '# direction: minimise\n"""Sort {fast} in 30 seconds."""\n';
  const folder = folderOf(['evaluator.py', 'initial.py', 'README.md'], `${words}${EVALUATOR}`);
  writeFileSync(join(folder, 'raw.bin'), Buffer.from([0, 255, 1]));
  await init(folder);
  const { prompts, script, evaluatorDigest } = await readTask(folder);
  expect(prompts[0]!.text).toContain('Sort {fast} in 30 seconds.');
  expect(script!.files['raw.bin']).toBe(`\0${Buffer.from([0, 255, 1]).toString('base64')}`);
  const store = memoryStore();
  const taken = await takeTask(folder);
  rmSync(folder, { recursive: true });
  expect(await keptTask(store, await keepTask(store, taken))).toMatchObject({ script, evaluatorDigest });
  const told = folderOf(['evaluator.py', 'initial.py', 'README.md']);
  await init(told);
  expect((await readTask(told)).prompts[0]!.text).toMatch(/^text\n\nThe score `score`/);
});

describe('a repository', () => {
  const FILES = ['evaluator.py', 'kit/a.py', 'kit/b.py', 'kit/c.py'];

  test('its files are named by --change, and its tests are the gate', async () => {
    const folder = folderOf([...FILES, 'tests/test_a.py']);
    const what = 'May change: kit/a.py, kit/b*.py, and pytest -q is run before it is scored.';
    expect(await init(folder, [''], { change: ['kit/a.py', 'kit/b*.py'] })).toEqual({ folder, made: true, what });
    const task = await readTask(folder);
    expect(task).toMatchObject({
      initialProgram: expect.stringContaining('# === FILE: kit/b.py ==='),
      stages: [{ name: 'tests', command: 'pytest -q' }],
    });
    expect(readFileSync(join(folder, 'task.yaml'), 'utf8')).toContain('packages:\n  - pytest\n');
    expect(await init(folder, [''], { change: ['kit/a.py', 'kit/b*.py'] })).toMatchObject({ made: false });
    await expect(init(folder, [''], { change: ['kit/c.py'] })).rejects.toThrow(
      /^--change: .* says kit\/a\.py,kit\/b\*\.py/,
    );
  });

  test('its files are those that mark what may change, where nothing names them', async () => {
    const folder = folderOf(FILES);
    await expect(init(folder)).rejects.toThrow(/or name the files that may change: --change <glob>/);
    for (const path of ['kit/a.py', 'kit/c.py'])
      writeFileSync(join(folder, path), `# EVOLVE-BLOCK-START\n${PROGRAM}# EVOLVE-BLOCK-END\n`);
    expect(await init(folder)).toEqual({ folder, made: true, what: 'May change: kit/a.py, kit/c.py.' });
    expect((await readTask(folder)).script?.program).toBe('kit/a.py');
  });
});
