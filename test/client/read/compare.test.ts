// `evolve compare` and `evolve propose-reward` over the store in memory: series from the markers of committed steps.
import { describe, expect, it } from 'vitest';
import { program } from '../../../cli/program.ts';
import { compareStored } from '../../../client/read/compare.ts';
import { reportStored } from '../../../client/papers/task-report.ts';
import { runDocument } from '../../support/domain/run-document.ts';
import { play, run, world } from '../../support/worlds/world.ts';

describe('evolve compare', () => {
  it('takes programs, tokens and best of every committed step', async () => {
    const { store, summaries } = await play(false);
    const document = (await store.readRun(run))!;
    const { report, runs } = await compareStored(store, [document, document], 4);
    expect(runs).toHaveLength(1);
    expect(runs[0]!.points.map(({ programs, tokens, best }) => ({ programs, tokens, best }))).toEqual(
      summaries.map(({ totals, best }) => ({
        programs: totals.programs,
        tokens: totals.tokens.in + totals.tokens.out,
        best: best?.score ?? null,
      })),
    );
    expect(runs[0]!.points[0]!.seconds).toBe(0);
    expect(report).toMatchObject({
      task: 'circle-packing-square-26',
      direction: 'maximise',
      scoreName: 'sum_radii',
      checkpoints: { programs: [6, 12, 18, 24], costUsd: [] },
    });
    expect(report.notes).toEqual([`not ended yet: ${run}`]);
    expect(report.groups[0]!.at.programs.at(-1)).toEqual({ n: 1, mean: document.best!.score, sd: null });
  });
  it('a fork begins with the steps of the other run', async () => {
    const { store } = await play(false);
    const document = (await store.readRun(run))!;
    const fork = await store.createFork({
      run: 'fork',
      from: run,
      step: 1,
      config: { ...document.config, seed: 9 },
      createdAt: new Date(),
    });
    const { report, runs } = await compareStored(store, [document, fork.run], 2);
    expect(runs.map(({ points }) => points.length)).toEqual([3, 2]);
    // What they have in common is counted once in each line, never twice in one.
    expect(report.groups.map(({ runs: own, label, final }) => [own, label, final.sd])).toEqual([
      [[run], 'theta', null],
      [['fork'], `theta fork (fork of ${run} after step 1)`, null],
    ]);
    expect(report.notes).toContainEqual(expect.stringContaining(`fork is a fork of ${run}`));
    expect(report.checkpoints.programs).toEqual([6, 12]);
    // The longer line goes on, the shorter one does not.
    const longest = (await compareStored(store, [document, fork.run], 2, 'longest')).report;
    expect(longest.checkpoints.programs).toEqual([12, 24]);
    expect(longest.groups.map(({ at }) => at.programs.map(({ n }) => n))).toEqual([
      [1, 1],
      [1, 0],
    ]);
  });
  it('refuses runs of different tasks, naming them, and a run that has made nothing', async () => {
    const { store } = world();
    const other = runDocument({ run: 'other', config: { ...runDocument().config, task: 'third' } });
    await expect(compareStored(store, [runDocument(), other], 4)).rejects.toThrow(
      /expected runs of one task.*circle-packing-square-26 \(demo\), third \(other\)/,
    );
    const { store: empty, open } = world();
    await open();
    await expect(compareStored(empty, [(await empty.readRun(run))!], 4)).rejects.toThrow(/has committed no step yet/);
  });
  it('refuses scores that are invented', async () => {
    const { store } = await play(false);
    const document = (await store.readRun(run))!;
    const invented = {
      ...document,
      config: { ...document.config, evaluation: { ...document.config.evaluation, sandbox: 'noop' as const } },
    };
    await expect(compareStored(store, [invented], 1)).rejects.toThrow(`got ${run}: the scores are invented`);
    expect(await reportStored(store, [invented])).toEqual({
      rows: [],
      notes: [expect.stringContaining(`run ${run} is left out: its scores are invented`)],
    });
  });
  it('says what a reader must know: other evaluators, other scoring, changed settings', async () => {
    const { store } = await play(false);
    const document = (await store.readRun(run))!;
    await store.createFork({ run: 'fork', from: run, step: 1, config: document.config, createdAt: new Date() });
    const odd = {
      ...(await store.readRun('fork'))!,
      evaluatorDigest: 'another',
      status: 'finished' as const,
      configVersion: 3,
      config: { ...document.config, evaluation: { ...document.config.evaluation, scoring: 'tolerant' as const } },
    };
    const { notes } = (await compareStored(store, [{ ...document, status: 'stopped' }, odd], 1)).report;
    expect(notes).toEqual([
      expect.stringContaining('different versions'),
      expect.stringContaining('evaluation.scoring'),
      expect.stringContaining('fork is a fork of'),
      expect.stringContaining('settings of fork were changed'),
    ]);
  });
  it('says that runs were begun with another prompt text or templates of the task', async () => {
    const { store } = await play(false);
    const document = { ...(await store.readRun(run))!, status: 'finished' as const };
    await store.createFork({
      run: 'fork',
      from: run,
      step: 0,
      config: { ...document.config, seed: 9 },
      createdAt: new Date(),
    });
    const fork = { ...(await store.readRun('fork'))!, status: 'finished' as const };
    const notes = async (taskDigest: string) =>
      (await compareStored(store, [document, { ...fork, taskDigest }], 1)).report.notes;
    expect(await notes(document.taskDigest)).toEqual([]);
    expect(await notes('other words')).toEqual([
      'the runs were begun with different prompt texts, templates or initial programs of the task: they are groups of their own',
    ]);
    const groups = async (taskDigest: string) =>
      (await compareStored(store, [document, { ...fork, taskDigest }], 1)).report.groups.map(({ runs, promptText }) => [
        runs,
        promptText,
      ]);
    expect(await groups(document.taskDigest)).toEqual([[[run, 'fork'], document.taskDigest]]);
    expect(await groups('other words')).toEqual([
      [[run], document.taskDigest],
      [['fork'], 'other words'],
    ]);
  });
  it('marks runs of the same settings and the same seed, which are no two seeds', async () => {
    const { store } = await play(false);
    const document = (await store.readRun(run))!;
    await store.createFork({ run: 'again', from: run, step: 0, config: document.config, createdAt: new Date() });
    const { report } = await compareStored(store, [document, (await store.readRun('again'))!], 1);
    expect(report.notes).toContainEqual(
      `${run}, again have the same settings and the same seed (3): what they differ in is no difference between seeds`,
    );
  });
  it('is a command, and propose-reward too', async () => {
    const names = (await program([])).commands.map((command) => command.name());
    expect(names).toEqual(expect.arrayContaining(['compare', 'propose-reward']));
  });
});
