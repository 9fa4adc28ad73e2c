// Loading a task folder: what comes out, and errors that name file, line and key.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listTasks, loadTask, readTask } from '../../activities/task/load-task.ts';
import { withNamedTask, writeScaffold } from '../../client/tasks/task-folder.ts';
import { resolveConfig } from '../../evolution/methods/resolve.ts';

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
test('braces are text unless they name something known', async () => {
  const said = 'def f(x): return {"a": {"b": x}}, f"{x} {{n}}", {} of {n}, {record}, { n }';
  await edit('prompts/plateau.md', (text) => `${text}\n${said}`);
  const { prompts } = await loadTask(ID, root);
  expect(prompts.some(({ text }) => text.endsWith(said.replace('of {n}', 'of 26').replace('{{n}}', '{n}')))).toBe(true);
  await edit('task.yaml', (text) => text.replaceAll(', best: true', ''));
  await edit('prompts/plateau.md', (text) => `${text}\nBeat {bestKnown}.`);
  expect(await failure()).toMatch(/problem\.md:\d+: \{bestKnown\} is the value of the reference with best: true/);
});
test('an axis is written as a run writes it, and a plain name is told how', async () => {
  const [feature] = (await loadTask(ID, root)).features!;
  expect(
    resolveConfig([{ settings: { population: { features: ['score', feature] } }, where: () => 'x' }]),
  ).toBeTruthy();
  await edit('task.yaml', (text) => text.replace('name: metric:smallest_radius', 'name: smallest_radius'));
  expect(await failure()).toMatch(/task\.yaml:\d+: features\.0: one of score, .*, here metric:smallest_radius/);
});
test('the wish for a task is a statement, a program and an evaluator; all else has a value', async () => {
  const folder = join(root, 'mine');
  writeScaffold('bare', 'mine', folder);
  expect((await readFile(join(folder, 'task.yaml'), 'utf8')).split('\n').length - 1).toBeLessThanOrEqual(8);
  const settings = parse(await readFile(join(folder, 'run.yaml'), 'utf8')) as object;
  expect(resolveConfig([withNamedTask({ settings, where: () => 'run.yaml' }, folder)])).toMatchObject({
    config: { task: folder, method: 'theta', batch: 4 },
  });
  const task = await readTask(folder, root);
  expect(task).toMatchObject({ id: 'mine', title: 'mine', version: 1, entry: 'construct', problem: null });
  expect(task.limits).toMatchObject({ cpuSeconds: 30, wallSeconds: 90, cores: 1 });
  expect(task.prompts).toEqual([{ name: 'task', weight: 1, text: expect.stringContaining('{"x": a number}') }]);
  expect([task.bound, task.shaping, task.references]).toEqual([undefined, undefined, []]);
  await writeFile(join(folder, 'problem.md'), 'Twice.');
  await expect(readTask(folder, root)).rejects.toThrow(
    'task.yaml: problem: expected the problem statement here or in problem.md, got both',
  );
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
