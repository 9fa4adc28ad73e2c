// Loading a task folder: what comes out, and errors that name file, line and key.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listTasks, loadTask } from '../../activities/task/load-task.ts';

const TASKS = join(import.meta.dirname, '..', '..', 'tasks');
const ID = 'circle-packing-square-26';
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tasks-'));
  for (const folder of [ID, 'library']) await cp(join(TASKS, folder), join(root, folder), { recursive: true });
});
afterEach(() => rm(root, { recursive: true }));

const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const path = join(root, ID, file);
  await writeFile(path, change(await readFile(path, 'utf8')));
};
const failure = async (): Promise<string> =>
  loadTask(ID, root).then(
    () => 'it loaded',
    (error: Error) => error.message.replaceAll(root, ''),
  );

test('every task of the project loads; weights sum to 1 and no placeholder is left', async () => {
  for (const id of await listTasks()) {
    const task = await loadTask(id);
    expect(task.prompts.reduce((sum, part) => sum + part.weight, 0)).toBeCloseTo(1, 9);
    for (const text of [task.problem!, ...task.prompts.map((part) => part.text)])
      expect(text).not.toMatch(/\{[A-Za-z_]\w*\}/);
    expect(task.evaluatorDigest).toMatch(/^[0-9a-f]{64}$/);
  }
});
test('the circle packing task is what its folder says', async () => {
  const task = await loadTask(ID);
  expect(task).toMatchObject({
    id: ID,
    entry: 'construct',
    direction: 'maximise',
    scoreName: 'sum_radii',
    instance: { n: 26 },
    picture: 'circles-in-unit-square',
  });
  expect(task.limits).toEqual({
    cpuSeconds: 70,
    wallSeconds: 210,
    memoryBytes: 2 ** 30,
    outputBytes: 2 ** 22,
    pids: 64,
    cores: 1,
  });
  expect(task.prompts.map(({ weight }) => weight)).toEqual([0.3, 0.7]);
  expect(task.problem).toContain('Pack 26 circles');
  expect(task.problem).toContain('sum_radii');
  expect(task.prompts[0]!.text).toContain('explicit construction');
});
test('the digest follows evaluator, instance and version, not the way the file is written', async () => {
  const before = (await loadTask(ID, root)).evaluatorDigest;
  await edit('task.yaml', (text) => `# a comment\n${text}`);
  expect((await loadTask(ID, root)).evaluatorDigest).toBe(before);
  await edit('task.yaml', (text) => text.replace(/^version: \d+/m, 'version: 99'));
  expect((await loadTask(ID, root)).evaluatorDigest).not.toBe(before);
});
test('an unknown task names the known ones', async () => {
  await expect(loadTask('nope', root)).rejects.toThrow(
    `unknown task "nope": expected the path of a folder with a task.yaml, or one of ${ID}`,
  );
});
test('an unknown key is named with file and line', async () => {
  await edit('task.yaml', (text) => text.replace('  pids: 64', '  pids: 64\n  gpus: 1'));
  expect(await failure()).toMatch(/^\/circle-packing-square-26\/task\.yaml:\d+: limits\.gpus: unknown key$/);
});
test('a wrong type is named with its key and line', async () => {
  await edit('task.yaml', (text) => text.replace('cpuSeconds: 70', 'cpuSeconds: many'));
  const line =
    (await readFile(join(root, ID, 'task.yaml'), 'utf8')).split('\n').findIndex((text) => text.includes('many')) + 1;
  expect(await failure()).toContain(`task.yaml:${line}: limits.cpuSeconds: Invalid input: expected number`);
});
test('a broken file is an error with its line', async () => {
  await edit('task.yaml', (text) => text.replace('kind: solution', 'kind: [solution'));
  expect(await failure()).toMatch(/task\.yaml:\d+: /);
});
test('an unknown placeholder is an error with file and line', async () => {
  await edit('prompts/plateau.md', (text) => `${text}\nBeat {record}.`);
  expect(await failure()).toMatch(/plateau\.md:\d+: unknown placeholder \{record\}: expected one of .*bestKnown/);
});
test('weights that do not sum to 1, a missing file and missing markers are errors', async () => {
  await edit('task.yaml', (text) => text.replace('weight: 0.3', 'weight: 0.4'));
  expect(await failure()).toContain('expected weights that sum to 1, got 1.1');
  await edit('task.yaml', (text) => text.replace('weight: 0.4', 'weight: 0.3').replace('constructor.md', 'none.md'));
  expect(await failure()).toContain('none.md: expected this file of the task');
  await edit('task.yaml', (text) => text.replace('none.md', 'constructor.md'));
  await edit('initial.py', (text) => text.replace('# EVOLVE-BLOCK-END', ''));
  expect(await failure()).toContain('EVOLVE-BLOCK-END');
});
