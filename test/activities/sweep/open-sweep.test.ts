// Opening a sweep: its runs are made once, whoever opens it how often; what is wrong is told before any exists.
import { describe, expect, it } from 'vitest';
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

  it('opened again it finds them; with more values it adds to them, and groups keep their numbers', async () => {
    const { store, open } = smallSweep();
    const plan = await open();
    expect(await open()).toEqual(plan);
    const more = await open({ ...SPEC, grid: { 'selection.exploration': [0.4, 0.1] } });
    expect(more.runs.slice(0, 6)).toEqual(plan.runs);
    expect(more.runs.slice(6).map(({ group }) => group)).toEqual([3, 3]);
    expect(await store.listRuns()).toHaveLength(8);
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
