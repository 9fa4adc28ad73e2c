// A run has one task: what its settings chose of it is in the numbers that models read and in the limits that hold.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepTask, takeTask, taskLoader, taskRef } from '../../activities/task/kept-task.ts';
import { listTasks, loadTask, readTask } from '../../activities/task/load-task.ts';
import { usableTask } from '../../activities/task/usable-task.ts';
import { promptOf } from '../../client/read/requests/prompts.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { RunSettings } from '../../evolution/config/settings.ts';
import { taskChoice } from '../../evolution/task/task-choice.ts';
import type { Task } from '../../evolution/task/task.ts';
import { memoryStore } from '../doubles/memory-store.ts';
import { run, world } from '../support/worlds/world.ts';
import { configFrom } from '../support/domain/asked-run.ts';

const TASKS = join(import.meta.dirname, '..', '..', 'tasks');
const ID = 'circle-packing-square-26';
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'effective-'));
  for (const folder of [ID, 'library']) await cp(join(TASKS, folder), join(root, folder), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));
const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const path = join(root, ID, file);
  await writeFile(path, change(await readFile(path, 'utf8')));
};
const settled = (settings: RunSettings): RunConfig => configFrom({ task: ID, ...settings });
/** The run's task as it is in its folder, and as it was kept with the run. */
const loaded = async (config: RunConfig): Promise<Task> => {
  const store = memoryStore();
  const load = taskLoader(store, root);
  const taskSnapshot = await keepTask(store, await takeTask(ID, root));
  const kept = await load(taskRef({ config, taskSnapshot }));
  expect(kept).toEqual(await load(taskRef({ config })));
  return kept;
};
const PART = 'prompts/numbers.md';
const prompted = (): Promise<unknown> =>
  Promise.all([
    edit('task.yaml', (text) =>
      text.replace(/^prompts:\n(?:[ \t-].*\n)+/m, `prompts: [{ name: n, weight: 1, file: ${PART} }]\n`),
    ),
    writeFile(join(root, ID, PART), '{cpuSeconds} s, {memoryMiB} MiB, n = {n}'),
  ]);

describe('limits', () => {
  test.each([
    ['less', { cpuSeconds: 20, memoryMiB: 256 }, { cpuSeconds: 20, wallSeconds: 60, memoryBytes: 2 ** 28, cores: 1 }],
    ['more', { cpuSeconds: 140, cores: 4 }, { cpuSeconds: 140, wallSeconds: 420, memoryBytes: 2 ** 30, cores: 4 }],
    ['none', { cpuSeconds: null }, { cpuSeconds: 70, wallSeconds: 210, memoryBytes: 2 ** 30, cores: 1 }],
  ])('%s than those of the task are those that are told', async (_name, evaluation, limits) => {
    await prompted();
    const task = await loaded(settled({ evaluation }));
    expect(task.limits).toMatchObject(limits);
    expect(task.prompts[0]!.text).toBe(`${limits.cpuSeconds} s, ${limits.memoryBytes / 2 ** 20} MiB, n = 26`);
    expect(task.evaluatorDigest).toBe((await takeTask(ID, root)).task.evaluatorDigest);
  });
  test('leave a function task the wall clock that its evaluator needs, however little CPU time the program has', async () => {
    const config = { ...settled({ evaluation: { cpuSeconds: 5 } }), task: 'flow-shop' };
    const own = (await loadTask('flow-shop', TASKS)).limits;
    const { wallSeconds } = (await taskLoader(memoryStore(), TASKS)(taskRef({ config }))).limits;
    expect(wallSeconds).toBe(own.wallSeconds - 3 * (own.cpuSeconds - 5));
  });
  test('are told by `evolve prompt --json` as the step has them', async () => {
    const { store, open, step, call, activities } = world();
    await open();
    for (const n of [0, 1]) await step(n, false);
    const patch = { evaluation: { cpuSeconds: 90, memoryMiB: 2_048, cores: 2 } };
    await call(activities.changeSettings, { run, change: { kind: 'set', patch }, by: 'me' });
    await step(2, false);
    const told = async (n: number) => (await promptOf(store, (await store.readRun(run))!, { step: n })).limits;
    expect(await told(1)).toMatchObject({ cores: 1, memoryMiB: 1_024 });
    expect(await told(2)).toEqual({ cpuSeconds: 90, wallSeconds: 270, memoryMiB: 2_048, cores: 2 });
  });
});

const VARIANTS = `
starts:
  lattice: { file: lattice.py, what: a square lattice, score: 2.5 }
instances:
  small:
    what: ten circles
    instance: { n: 10 }
    limits: { cpuSeconds: 30 }
    initial: { band: [0.5, 1] }
    references: [{ name: one, value: 1.6, source: somebody, strict: true, best: true }]
`;
const withVariants = async (): Promise<void> => {
  await prompted();
  await edit('task.yaml', (text) => `${text.replace(/^starts:\n(?: .*\n)+/m, '')}${VARIANTS}`);
  await edit('initial.py', (text) => text);
  await cp(join(root, ID, 'initial.py'), join(root, ID, 'lattice.py'));
  await edit('lattice.py', (text) => `${text}# a lattice\n`);
};

describe('a variant and a start', () => {
  test("take the place of the task's own", async () => {
    await withVariants();
    const own = await loaded(settled({}));
    expect(own.instances).toEqual([{ name: 'small', what: 'ten circles', fixed: true }]);
    expect(own.starts).toEqual([{ name: 'lattice', what: 'a square lattice', score: 2.5 }]);
    const small = await loaded(settled({ instance: 'small', evaluation: { cpuSeconds: null } }));
    expect(small).toMatchObject({
      instance: { n: 10 },
      initial: { band: [0.5, 1] },
      initialProgram: own.initialProgram,
    });
    expect(small.prompts[0]!.text).toBe('30 s, 1024 MiB, n = 10');
    expect(small.references.map(({ value }) => value)).toEqual([1.6]);
    expect(small.evaluatorDigest).not.toBe(own.evaluatorDigest);
    const started = await loaded(settled({ initial: 'lattice' }));
    expect(started.initialProgram).toContain('# a lattice');
    expect(started).toMatchObject({
      initial: { score: 2.5 },
      chosen: { instance: null, initial: 'lattice', what: 'a square lattice' },
      evaluatorDigest: own.evaluatorDigest,
    });
    expect((await loaded(settled({ initial: 'lattice', instance: 'small' }))).initial).toBeUndefined();
  });
  test('of every task load, with all placeholders of their texts', async () => {
    for (const id of await listTasks()) {
      const { instances = [], starts = [] } = await loadTask(id);
      for (const one of [
        ...instances.map(({ name }) => ({ instance: name, initial: null })),
        ...starts.map(({ name }) => ({ instance: null, initial: name })),
      ]) {
        const task = await readTask(join(TASKS, id), TASKS, { ...taskChoice(settled({})), ...one });
        expect(task.chosen, id).toMatchObject(one);
        expect(task.problem ?? '').not.toMatch(/[{][A-Za-z]+[}]/);
      }
    }
  });
  test('that the task does not have is named with those that it has', async () => {
    await withVariants();
    const asked = (settings: RunSettings): Promise<unknown> =>
      usableTask(join(root, ID), (key) => `run.yaml:2:1 (${key})`, taskChoice(settled(settings)));
    await expect(asked({ instance: 'smal' })).rejects.toThrow(
      'run.yaml:2:1 (instance): instance: expected one of small, or null, got smal; the nearest is small.',
    );
    await expect(asked({ initial: 'strong' })).rejects.toThrow('initial: expected one of lattice, or null, got strong');
    await expect(usableTask(ID, () => null, taskChoice(settled({ instance: 'small' })))).rejects.toThrow(
      `instance: expected null, since ${ID} has no variants of the instance, got small`,
    );
  });
});
