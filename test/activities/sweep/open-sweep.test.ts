// Opening a sweep: its runs are made once, whoever opens it how often; what is wrong is told before any exists.
import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRunActivities } from '../../../activities/run/open-run.ts';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { takeTask, taskLoader } from '../../../activities/task/kept-task.ts';
import { loadTask, TASKS_ROOT } from '../../../activities/task/load-task.ts';
import { usableTask } from '../../../activities/task/usable-task.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { SPEC, smallSweep } from './small-sweep.ts';

describe('openSweep', () => {
  it('makes the documents of all runs, queued, in the order in which they are to start', async () => {
    const { store, open } = smallSweep();
    const plan = await open();
    expect(plan).toMatchObject({ name: 'small', maxParallel: 3, rungs: [4, 8], stopped: [], decided: 0 });
    expect(plan.runs.map(({ run, group }) => [/^small-[0-9a-f]{8}-s(\d)$/.exec(run)?.[1], group])).toEqual([
      ['1', 0],
      ['2', 0],
      ['1', 1],
      ['2', 1],
      ['1', 2],
      ['2', 2],
    ]);
    expect(plan.runs[2]!.summary).toBe('selection.exploration 0.2, seed 1');
    for (const { run } of plan.runs)
      expect(await store.readRun(run)).toMatchObject({ status: 'queued', sweep: 'small', committedStep: -1 });
  });

  it('the time of a run begins with its turn, and not with the sweep', async () => {
    const { store, open } = smallSweep();
    const { runs } = await open();
    const { openRun } = createRunActivities({ store, loadTask, takeTask: usableTask });
    const before = Date.now();
    const opened = await openRun({ run: runs[5]!.run, owner: 'o', start: 'o', sweep: 'small' });
    expect(opened.createdAtMs).toBeGreaterThanOrEqual(before);
    expect(await openRun({ run: runs[5]!.run, owner: 'o', start: 'o', sweep: 'small' })).toEqual(opened);
  });

  it('opened again it finds them; with more values it adds to them, and groups keep their numbers', async () => {
    const { store, open } = smallSweep();
    const plan = await open();
    expect(await open()).toEqual(plan);
    const more = await open({ ...SPEC, grid: { 'selection.exploration': [0.4, 0.1] } });
    expect(more.runs.slice(0, 6)).toEqual(plan.runs);
    expect(more.runs.slice(6).map(({ group }) => group)).toEqual([3, 3]);
    expect(await store.listRuns()).toHaveLength(8);
  });

  describe('after the words of the task changed', () => {
    /** The words of the task, as somebody edits them. */
    const edited = () => {
      const words = { text: 'first' };
      const sweep = smallSweep(async (id) => {
        const task = await loadTask(id);
        return { ...task, prompts: [{ name: 'all', weight: 1, text: words.text }] };
      });
      return { ...sweep, words };
    };
    const idsOf = ({ runs }: { readonly runs: readonly { readonly run: string }[] }) => runs.map(({ run }) => run);

    it('a sweep that is repeated makes new runs, in groups of their own; with the old words again it finds the old ones', async () => {
      const { store, open, words } = edited();
      const first = await open();
      await store.setSweep('small', { status: 'finished' });
      words.text = 'second';
      const second = await open();
      expect(second.runs.slice(0, 6)).toEqual(first.runs);
      expect(second.runs.slice(6).map(({ group }) => group)).toEqual([3, 3, 4, 4, 5, 5]);
      expect(new Set(idsOf(second)).size).toBe(12);
      await store.setSweep('small', { status: 'finished' });
      words.text = 'first';
      expect(await open()).toEqual(second);
    });

    it('a sweep that is under way keeps its runs; new ones beside them are groups of their own', async () => {
      const { store, open, words } = edited();
      const first = await open();
      words.text = 'second';
      for (const status of ['running', 'stopped'] as const) {
        await store.setSweep('small', { status });
        expect(await open()).toEqual(first);
      }
      const more = await open({ ...SPEC, seeds: [1, 2, 3] });
      expect(more.runs.slice(0, 6)).toEqual(first.runs);
      expect(more.runs.slice(6).map(({ group }) => group)).toEqual([3, 4, 5]);
    });
  });

  it.each([
    [{ ...SPEC, grid: { 'selection.explorations': [0.1] } }, 'selection.explorations'],
    [{ ...SPEC, seeds: [] }, 'seeds'],
    [{ ...SPEC, base: { batch: 'two' } }, 'batch'],
    [{ ...SPEC, name: 'No Such' }, 'name'],
    [{ ...SPEC, list: [{ batch: 4 }] }, 'list'],
    [{ ...SPEC, stopWhen: { halving: { first: 1 } } }, 'stopWhen.halving.first'],
  ])('%j is refused for good: %s', async (spec, words) => {
    const { store, open } = smallSweep();
    await expect(open(spec)).rejects.toMatchObject({
      type: 'ConfigError',
      nonRetryable: true,
      message: expect.stringContaining(words),
    });
    expect(await store.listRuns()).toEqual([]);
  });

  describe('keeps the tasks with the runs', () => {
    const TASK = 'circle-packing-square-26';
    /** A sweep of a copy of the tasks that it needs. */
    const copied = async () => {
      const root = await mkdtemp(join(tmpdir(), 'sweep-'));
      onTestFinished(() => rm(root, { recursive: true, force: true }));
      for (const folder of [TASK, 'library'])
        await cp(join(TASKS_ROOT, folder), join(root, folder), { recursive: true });
      const store = memoryStore();
      const sweep = smallSweep(taskLoader(store, root), store, (named) => takeTask(named, root));
      const edit = (text: string) => appendFile(join(root, TASK, 'prompts', 'plateau.md'), text);
      return { ...sweep, root, edit };
    };
    const snapshots = (runs: readonly RunDocument[]) => new Set(runs.map(({ taskSnapshot }) => taskSnapshot));

    it('and goes on with those that it began with, whatever became of their folder', async () => {
      const { store, open, root } = await copied();
      const plan = await open();
      await rm(root, { recursive: true });
      expect(await open()).toEqual(plan);
      await open({
        ...SPEC,
        grid: { 'selection.exploration': [0.4] },
        tasks: { [TASK]: 'f'.repeat(64) },
      });
      const runs = await store.listRuns();
      expect(runs).toHaveLength(8);
      expect(snapshots(runs).size).toBe(1);
      expect((await store.readSweep('small'))!.spec).toMatchObject({ tasks: { [TASK]: runs[0]!.taskSnapshot } });
    });

    it('repeated after it has finished it takes them as they are then: other words make runs of their own', async () => {
      const { store, open, edit } = await copied();
      const first = await open();
      await edit('Be bold.\n');
      expect(await open()).toEqual(first);
      await store.setSweep('small', { status: 'finished' });
      const second = await open();
      expect(second.runs.slice(0, 6)).toEqual(first.runs);
      expect(second.runs.slice(6).map(({ group }) => group)).toEqual([3, 3, 4, 4, 5, 5]);
      const added = await Promise.all(second.runs.slice(6).map(({ run }) => store.readRun(run)));
      expect(snapshots(await store.listRuns()).size).toBe(2);
      expect(snapshots(added.map((run) => run!)).size).toBe(1);
      await edit('Be quick.\n');
      expect(await open()).toEqual(second);
    });
  });

  it('tasks of both directions are one sweep as long as nothing is held against each other', async () => {
    const { grid: _, stopWhen, ...rest } = SPEC;
    const mixed = { ...rest, list: [{ task: 'golomb-ruler-12' }, { task: 'no-three-in-line-12' }] };
    await expect(smallSweep().open({ ...mixed, stopWhen })).rejects.toThrow(
      /^stopWhen\.halving compares scores: expected tasks that all maximise or all minimise, got golomb-ruler-12 \(minimise\), no-three-in-line-12 \(maximise\)$/,
    );
    expect((await smallSweep().open(mixed)).runs.map(({ group }) => group)).toEqual([0, 0, 1, 1]);
  });

  it('a run of that id that belongs to nobody is not taken over', async () => {
    const { store, open } = smallSweep();
    const [first] = (await open()).runs;
    const other = smallSweep();
    const { config, taskDigest, evaluatorDigest, createdAt } = (await store.readRun(first!.run))!;
    await other.store.createRun({
      run: first!.run,
      config,
      taskDigest,
      evaluatorDigest,
      offlineModel: true,
      createdAt,
    });
    await expect(other.open()).rejects.toMatchObject({
      type: 'ConfigError',
      message: expect.stringContaining('choose another name'),
    });
  });
});
