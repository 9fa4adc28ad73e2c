// A sweep follows its runs: the state of a run, from its document and its workflow, and the time of the answer.
import { describe, expect, it } from 'vitest';
import { createAwaitRuns } from '../../../activities/sweep/rungs.ts';
import { call, smallSweep } from './small-sweep.ts';

describe('awaitRuns', () => {
  const opened = async (options: { pollMs?: number; patienceMs?: number } = {}) => {
    const { store, commit, open } = smallSweep();
    const [first, second] = (await open()).runs.map(({ run }) => run) as [string, string];
    const openRuns = new Set<string>();
    let looks = 0;
    const { awaitRuns, markSweep } = createAwaitRuns({
      store,
      standing: async (id) => {
        looks += 1;
        return openRuns.has(id.replace('run/', '')) ? 'open' : 'closed';
      },
      pollMs: 2,
      patienceMs: 5_000,
      ...options,
    });
    const wait = (runs: readonly string[], known: object = {}) => call(awaitRuns, { runs, known });
    return { store, commit, first, second, openRuns, wait, markSweep, looks: () => looks };
  };

  it('tells the states apart: queued, alive, ended, resting at a rung, lost', async () => {
    const { store, commit, first, openRuns, wait } = await opened();
    const state = async () => (await wait([first]))[0]!;
    expect(await state()).toEqual({
      run: first,
      state: 'queued',
      attention: false,
      word: 'queued',
      programs: 0,
      best: null,
      costUsd: 0,
      rung: null,
    });
    openRuns.add(first);
    expect(await state()).toMatchObject({ state: 'alive' });
    await store.setStatus(first, 'needs attention', { reason: 'x' });
    await commit(first, 0, 1);
    await commit(first, 1, 7.5);
    expect(await state()).toMatchObject({ state: 'alive', attention: true, programs: 4, best: 7.5 });
    openRuns.delete(first);
    expect(await state()).toMatchObject({ state: 'lost' });
    await store.setStatus(first, 'stopped', { stopReason: 'rung 4 of sweep small', endedAt: new Date() });
    expect(await state()).toMatchObject({ state: 'ended', rung: 4 });
    await store.setStatus(first, 'stopped', {
      stopReason: 'stopped with sweep small',
      endedAt: new Date(),
    });
    expect(await state()).toMatchObject({ state: 'ended', rung: 0 });
    await store.setStatus(first, 'stopped', { stopReason: 'stopped by a person: enough', endedAt: new Date() });
    expect(await state()).toMatchObject({ state: 'ended', rung: null });
    await store.setStatus(first, 'finished', { stopReason: 'steps', endedAt: new Date() });
    expect(await state()).toMatchObject({ state: 'ended', rung: null });
    // Being started again: the document still has the old word.
    openRuns.add(first);
    expect(await state()).toMatchObject({ state: 'alive' });
  });

  it('answers as soon as one of them differs from what is known', async () => {
    const { store, first, second, openRuns, wait } = await opened();
    openRuns.add(first).add(second);
    const waiting = wait([first, second], { [first]: 'alive', [second]: 'alive' });
    expect(await Promise.race([waiting, new Promise((resolve) => setTimeout(() => resolve('waits'), 50))])).toBe(
      'waits',
    );
    openRuns.delete(second);
    await store.setStatus(second, 'finished', { stopReason: 'steps', endedAt: new Date() });
    expect((await waiting).map(({ state }) => state)).toEqual(['alive', 'ended']);
  });

  it('answers after its patience when nothing changes, and asks the engine only now and then', async () => {
    const { first, openRuns, wait, looks } = await opened({ pollMs: 1, patienceMs: 100 });
    openRuns.add(first);
    expect((await wait([first], { [first]: 'alive' }))[0]).toMatchObject({ state: 'alive' });
    expect(looks()).toBeLessThan(30);
  });

  it('a run whose workflow is gone without a word is noticed', async () => {
    const { store, first, openRuns, wait } = await opened();
    openRuns.add(first);
    await store.setStatus(first, 'running', {});
    const waiting = wait([first], { [first]: 'alive' });
    openRuns.delete(first);
    expect((await waiting)[0]).toMatchObject({ state: 'lost' });
  });

  it('markSweep keeps how and when a sweep ended', async () => {
    const { store, markSweep } = await opened();
    await call(markSweep, { sweep: 'small', status: 'stopped', stopReason: 'by a person' });
    expect(await store.readSweep('small')).toMatchObject({
      status: 'stopped',
      stopReason: 'by a person',
      endedAt: expect.any(Date),
    });
    await call(markSweep, { sweep: 'small', status: 'running' });
    expect(await store.readSweep('small')).toMatchObject({ status: 'running', stopReason: null, endedAt: null });
  });
});
