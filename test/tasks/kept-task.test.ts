// The content of a task that is kept with a run: it is the folder's, and what becomes of the folder later does not
// reach the run.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../activities/store/store.ts';
import { keepTask, keptTask, takeTask, taskRef } from '../../activities/task/kept-task.ts';
import { listTasks, loadTask } from '../../activities/task/load-task.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { promptId } from '../../evolution/ids.ts';
import { thetaDefaults } from '../../evolution/methods/theta.ts';
import { createTaskCache } from '../../workers/process/task-cache.ts';
import { memoryStore } from '../doubles/memory-store.ts';
import { run, world } from '../support/worlds/world.ts';

const TASKS = join(import.meta.dirname, '..', '..', 'tasks');
const ID = 'circle-packing-square-26';
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kept-'));
  for (const folder of [ID, 'library']) await cp(join(TASKS, folder), join(root, folder), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));
const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const path = join(root, ID, file);
  await writeFile(path, change(await readFile(path, 'utf8')));
};

test('every task of the project loads from the database as from its folder', async () => {
  const store = memoryStore();
  for (const id of await listTasks()) {
    const digest = await keepTask(store, await takeTask(id));
    expect(await keptTask(store, digest), id).toEqual(await loadTask(id));
  }
});

describe('the digest', () => {
  test('is that of name and content, wherever the folder is; what no run reads does not count', async () => {
    const { digest } = await takeTask(ID);
    expect((await takeTask(join(root, ID))).digest).toBe(digest);
    await edit('README.md', (text) => `${text}\nMore.\n`);
    expect((await takeTask(ID, root)).digest).toBe(digest);
    await cp(join(root, ID), join(root, 'other-name'), { recursive: true });
    await writeFile(
      join(root, 'other-name', 'task.yaml'),
      (await readFile(join(root, ID, 'task.yaml'), 'utf8')).replace(/^id:.*\n/m, ''),
    );
    expect((await takeTask('other-name', root)).digest).not.toBe(digest);
  });
  test.each([['evaluator.py'], ['initial.py'], ['task.yaml'], ['prompts/plateau.md']])('follows %s', async (file) => {
    const { digest } = await takeTask(ID, root);
    await edit(file, (text) => `${text}\n`);
    expect((await takeTask(ID, root)).digest).not.toBe(digest);
  });
  test('of a task with a library follows the modules that it names', async () => {
    const store = memoryStore();
    await cp(join(TASKS, 'spherical-code-30'), join(root, 'spherical-code-30'), { recursive: true });
    const before = await takeTask('spherical-code-30', root);
    const [module] = before.task.library!;
    await keepTask(store, before);
    await writeFile(join(root, 'library', `${module!.name}.py`), 'raise SystemExit\n');
    expect((await takeTask('spherical-code-30', root)).digest).not.toBe(before.digest);
    expect((await keptTask(store, before.digest)).library).toEqual(before.task.library);
  });
});

/** The prompts of a run's steps, and the scorer that its task gives. */
const seenBy = async (store: Store) => {
  const document = (await store.readRun(run))!;
  const prompts = await store.getPrompts(
    [1, 2].flatMap((step) => [0, 1].map((group) => promptId(run, step, 0, group))),
  );
  expect(prompts.size).toBe(4);
  const texts = await store.getTexts([...prompts.values()].flatMap(({ system, user }) => [system, user]));
  const { evaluatorSource, library, limits, instance } = await createTaskCache(store)(taskRef(document));
  return {
    prompts: [...prompts.values()].map(({ system, user }) => [texts.get(system), texts.get(user)]),
    scorer: { evaluatorSource, library, limits, instance },
  };
};

describe('a run under way', () => {
  const damages: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'edited',
      async () => {
        await edit('evaluator.py', (text) => `${text}\nimport nothing_there\n`);
        await edit('prompts/plateau.md', () => 'Sing.');
        await edit('prompts/constructor.md', () => 'Dance.');
        await edit('task.yaml', (text) => text.replace('cpuSeconds: 70', 'cpuSeconds: 1'));
      },
    ],
    ['made unreadable', () => edit('task.yaml', () => 'title: [')],
    ['deleted', () => rm(join(root, ID), { recursive: true })],
  ];
  test.each(damages)('asks and scores the same after its folder was %s', async (_what, damage) => {
    const [calm, hit] = [world(undefined, undefined, root), world(undefined, undefined, root)];
    for (const it of [calm, hit]) {
      await it.open();
      await it.step(0, false);
      await it.step(1, false);
    }
    const before = (await hit.store.readRun(run))!;
    await calm.step(2, false);
    await damage();
    expect(await hit.open()).toMatchObject({ task: ID, committedStep: 1 });
    await hit.step(2, false, 0);
    expect((await hit.store.readRun(run))!).toMatchObject({ committedStep: 2, taskSnapshot: before.taskSnapshot });
    expect(await seenBy(hit.store)).toEqual(await seenBy(calm.store));
    const fork = (
      await hit.store.createFork({ run: 'fork', from: run, step: 1, config: before.config, createdAt: new Date() })
    ).run;
    expect(fork.taskSnapshot).toBe(before.taskSnapshot);
    expect(await hit.call(hit.activities.openRun, { run: 'fork', owner: 'x' })).toMatchObject({
      run: 'fork',
      task: ID,
    });
  });

  test('whose task was kept before it is opened needs no folder at all', async () => {
    const it = world(undefined, undefined, root);
    const taskSnapshot = await keepTask(it.store, await takeTask(ID, root));
    const { config } = await (async () => {
      await it.open();
      return (await it.store.readRun(run))!;
    })();
    await rm(root, { recursive: true });
    await it.call(it.activities.openRun, {
      run: 'elsewhere',
      owner: 'x',
      config: { ...config, task: '/not/on/this/machine' },
      taskSnapshot,
    });
    expect(await it.store.readRun('elsewhere')).toMatchObject({
      taskSnapshot,
      config: { task: '/not/on/this/machine' },
    });
  });
});

test('a digest that the database does not have is named, with what to do', async () => {
  await expect(keptTask(memoryStore(), 'e'.repeat(64))).rejects.toThrow(/expected the task eeee.*npx evolve import/);
  const config: RunConfig = { ...thetaDefaults, task: ID };
  await expect(createTaskCache(memoryStore())(taskRef({ config, taskSnapshot: 'e'.repeat(64) }))).rejects.toThrow(
    'npx evolve import',
  );
});

describe('a folder that is no task', () => {
  test('is named with what it lacks', async () => {
    await expect(loadTask(join(root, 'nowhere'))).rejects.toThrow(
      `expected the folder of a task, got ${join(root, 'nowhere')}: there is no such folder`,
    );
    await expect(loadTask(join(root, ID, 'initial.py'))).rejects.toThrow('that is a file');
    await mkdir(join(root, 'empty', 'prompts'), { recursive: true });
    await expect(loadTask(join(root, 'empty'))).rejects.toThrow(
      /which lacks task.yaml, evaluator.py: `npx evolve init .*empty` writes them/,
    );
    await expect(loadTask('../relative')).rejects.toThrow('absolute path of its folder, got ../relative');
  });
  test('or with the command that makes one of what is there', async () => {
    const folder = join(root, 'without-yaml');
    await mkdir(folder);
    await writeFile(join(folder, 'evaluator.py'), '');
    await expect(loadTask(folder)).rejects.toThrow(/which lacks task.yaml: `npx evolve task init .*` makes one/);
  });
  test('or which lacks the evaluator', async () => {
    await rm(join(root, ID, 'evaluator.py'));
    await expect(loadTask(join(root, ID))).rejects.toThrow(
      `${join(root, ID, 'evaluator.py')}: expected this file of the task`,
    );
  });
});

test('the id of a folder is its name in kebab-case', async () => {
  await cp(join(root, ID), join(root, 'My_Task'), { recursive: true });
  const yaml = join(root, 'My_Task', 'task.yaml');
  await writeFile(yaml, (await readFile(yaml, 'utf8')).replace(/^id:.*\n/m, ''));
  expect((await loadTask(join(root, 'My_Task'))).id).toBe('my-task');
});
