// How a task is named on the command line, in files and by the library: an id of tasks/, or a folder anywhere.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepTask, takeTask } from '../../../activities/task/kept-task.ts';
import { taskDigest } from '../../../activities/task/task-digest.ts';
import { settingsFrom } from '../../../cli/flags/settings-flags.ts';
import { compareStored } from '../../../client/read/compare.ts';
import { newRunId } from '../../../client/read/run-id.ts';
import { prepareRun } from '../../../client/runs/start-run.ts';
import { keepingTasks, prepareSweep } from '../../../client/sweeps/sweep-spec.ts';
import { namedTask, TASKS, withNamedTasks, writeScaffold } from '../../../client/tasks/task-folder.ts';
import { reportStored } from '../../../client/papers/task-report.ts';
import type { ConfigError } from '../../../evolution/config/config-error.ts';
import { allowNoop } from '../../../evolution/config/noop.ts';
import { checkSweep } from '../../../evolution/sweep/spec.ts';
import { grow, newRun } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

const place = { home: { root: '/nowhere' } as never, env: {} };
let root: string;
beforeAll(() => {
  allowNoop({ EVOLVE_ALLOW_NOOP: '1' });
  root = mkdtempSync(join(tmpdir(), 'named-'));
  writeScaffold('solution', 'my-task', join(root, 'my-task'));
  writeScaffold('solution', 'my-task', join(root, 'elsewhere', 'my-task'));
  writeFileSync(
    join(root, 'elsewhere', 'my-task', 'evaluator.py'),
    'def evaluate(instance, solution):\n    return {"valid": False, "score": 0, "metrics": {}, "reasons": []}\n',
  );
});
afterAll(() => {
  allowNoop(process.env);
  rmSync(root, { recursive: true });
});

describe('a name', () => {
  test.each([
    ['an id stays', 'flow-shop', 'flow-shop'],
    ['an unknown id is left to the check', 'nope', 'nope'],
    ['a relative path begins where it is written', './my-task', '@/my-task'],
    ["so does a folder's plain name", 'my-task', '@/my-task'],
    ['up again', '../x/my-task', '@/../x/my-task'],
    ['an absolute path stays', '/a/b', '/a/b'],
    ['a path into tasks/ is its id', join(TASKS, 'flow-shop'), 'flow-shop'],
    ['with a slash at its end too', `${join(TASKS, 'flow-shop')}/`, 'flow-shop'],
  ])('%s', (_what, named, wanted) => {
    expect(namedTask(named, root)).toBe(wanted.startsWith('@') ? join(root, wanted.slice(1)) : wanted);
  });
});

describe('settings', () => {
  test('of a flag and of --set begin at the working directory, those of a file at the file', () => {
    const here = relative(process.cwd(), join(root, 'my-task'));
    expect(settingsFrom({ task: here }, {}).config.task).toBe(join(root, 'my-task'));
    expect(settingsFrom({ set: [`task=${here}`] }, {}).config.task).toBe(join(root, 'my-task'));
    writeFileSync(join(root, 'run.yaml'), 'task: ./my-task\n');
    expect(settingsFrom({ config: join(root, 'run.yaml') }, {}).config.task).toBe(join(root, 'my-task'));
  });

  test('of a folder have the bounds of its shaped reward', () => {
    mkdirSync(join(root, 'shaped'), { recursive: true });
    writeFileSync(join(root, 'shaped', 'task.yaml'), 'shaping: {lower: 1, upper: 2, alpha: 3, k: 4}\n');
    expect(settingsFrom({ task: join(root, 'shaped'), set: ['reward.kind=shaped'] }, {}).config.reward).toMatchObject({
      kind: 'shaped',
      lower: 1,
      upper: 2,
      alpha: 3,
      k: 4,
    });
  });

  test('are prepared with the task as it is now, and name the run by its id', async () => {
    const resolved = settingsFrom({ task: join(root, 'my-task') }, {});
    const { taken } = await prepareRun(place, resolved, undefined);
    expect(taken).toMatchObject({ digest: (await takeTask(join(root, 'my-task'))).digest, task: { id: 'my-task' } });
    expect(newRunId(resolved.config, () => 0)).toBe('theta-my-task-22222');
  });

  test('that name no task say where and what is missing', async () => {
    mkdirSync(join(root, 'bare'), { recursive: true });
    const refusal = (task: string) =>
      prepareRun(place, settingsFrom({ task }, {}), undefined).then(
        () => 'taken',
        (error: ConfigError) => error.message,
      );
    expect(await refusal(join(root, 'bare'))).toContain(
      `--task: task: expected the folder of a task, got ${join(root, 'bare')}, which lacks task.yaml, evaluator.py`,
    );
    expect(await refusal(join(root, 'gone'))).toContain('there is no such folder');
    expect(await refusal('flow-shopp')).toMatch(
      /there is no task "flow-shopp"\..*flow-shop.*the path of a folder names one anywhere/,
    );
  });
});

describe('a sweep', () => {
  const base = { evaluation: { sandbox: 'noop' }, limits: { steps: 1 } };
  test("names tasks from its file's folder on, in every place", () => {
    const at = (task: string) => join(root, task);
    expect(
      withNamedTasks(
        {
          name: 'x',
          base: { task: './my-task' },
          grid: { task: ['my-task', 'flow-shop'], seed: [1] },
          list: [{ task: 'elsewhere/my-task' }, 5],
          random: { samples: 1, space: { task: ['./my-task'] } },
        },
        root,
      ),
    ).toEqual({
      name: 'x',
      base: { task: at('my-task') },
      grid: { task: [at('my-task'), 'flow-shop'], seed: [1] },
      list: [{ task: at('elsewhere/my-task') }, 5],
      random: { samples: 1, space: { task: [at('my-task')] } },
    });
    expect(withNamedTasks('rubbish', root)).toBe('rubbish');
    expect(withNamedTasks({ random: 5, grid: null }, root)).toEqual({ random: 5, grid: null });
  });

  test('hands the digests of its tasks on, which are stored then', async () => {
    const store = memoryStore();
    const prepared = await prepareSweep(
      place,
      { name: 'both', base, grid: { task: ['my-task', 'elsewhere/my-task'] } },
      undefined,
      root,
    );
    const { tasks } = checkSweep(await keepingTasks(store, prepared.spec, prepared.taken));
    expect(Object.keys(tasks!)).toEqual([join(root, 'my-task'), join(root, 'elsewhere', 'my-task')]);
    const digests = Object.values(tasks!);
    expect(new Set(digests).size).toBe(2);
    for (const digest of digests) expect(await store.readTask(digest)).toMatchObject({ task: 'my-task' });
  });
});

test('runs of two folders of one name are told apart by content', async () => {
  const store = memoryStore();
  for (const [run, folder] of [
    ['one', 'my-task'],
    ['two', 'elsewhere/my-task'],
  ] as const) {
    const taken = await takeTask(join(root, folder));
    const { config } = newRun(run);
    await store.createRun({
      ...newRun(run),
      config: { ...config, task: join(root, folder) },
      taskDigest: taskDigest(taken.task),
      evaluatorDigest: taken.task.evaluatorDigest,
      taskSnapshot: await keepTask(store, taken),
    });
    await grow(store, run, 1);
  }
  rmSync(join(root, 'elsewhere'), { recursive: true });
  const documents = [(await store.readRun('one'))!, (await store.readRun('two'))!];
  const told = new RegExp(
    `${documents[0]!.taskSnapshot!.slice(0, 12)} of .*/my-task \\(one\\); ${documents[1]!.taskSnapshot!.slice(0, 12)} of .*elsewhere/my-task \\(two\\)`,
  );
  const { report } = await compareStored(store, documents, 3);
  expect(report.task).toBe('my-task');
  expect(report.notes.join('\n')).toMatch(told);
  const { rows, notes } = await reportStored(store, documents);
  expect(rows.map(({ task }) => task)).toEqual(['my-task', 'my-task']);
  expect(notes.join('\n')).toMatch(told);
});
