// Successive halving as an activity: ranks by the mean of the best scores at equal numbers of programs, decides once,
// marks the losers' runs.
import { describe, expect, it } from 'vitest';
import { SPEC, smallSweep } from './small-sweep.ts';

describe('decideRung', () => {
  /** By group and seed. */
  const SCORES = [
    [1, 2],
    [9, 0],
    [3, 3],
  ] as const;
  /** Every run with its initial program and one step. */
  const atFirstRung = async () => {
    const sweep = smallSweep();
    const { runs } = await sweep.open();
    for (const [index, { run, group }] of runs.entries()) {
      await sweep.commit(run, 0, 0);
      await sweep.commit(run, 1, SCORES[group]![index % 2]!);
    }
    return { ...sweep, runs };
  };

  it('the best half by the mean over seeds goes on; losers are stopped and say why', async () => {
    const { store, decide, runs } = await atFirstRung();
    expect(await decide(4)).toEqual([0]);
    const [first, , third] = await Promise.all(
      runs.filter((_, index) => index % 2 === 0).map(({ run }) => store.readRun(run)),
    );
    expect(first).toMatchObject({
      status: 'stopped',
      stopReason: 'sweep small: rank 3 of 3 configurations at 4 programs',
    });
    expect(third).toMatchObject({ status: 'queued', stopReason: null });
    expect((await store.readSweep('small'))!.decisions).toEqual([
      {
        programs: 4,
        ranking: [
          { group: 1, score: 4.5 },
          { group: 2, score: 3 },
          { group: 0, score: 1.5 },
        ],
        stopped: [0],
      },
    ]);
  });

  it('decides once: asked again after runs went on, it says the same and stores nothing more', async () => {
    const { store, commit, decide, runs } = await atFirstRung();
    await decide(4);
    for (const { run } of runs) await commit(run, 2, 100);
    expect(await decide(4)).toEqual([0]);
    expect((await store.readSweep('small'))!.decisions).toHaveLength(1);
  });

  it('a run that is further along is looked at as it was at the rung', async () => {
    const { commit, decide, runs } = await atFirstRung();
    for (const { run } of runs.filter(({ group }) => group === 0)) await commit(run, 2, 1_000);
    expect(await decide(4)).toEqual([0]);
  });

  it('ranks by the score that ranks the runs', async () => {
    const sweep = smallSweep();
    const { runs } = await sweep.open({ ...SPEC, base: { ...SPEC.base, evaluation: { scoring: 'strict' } } });
    for (const { run, group } of runs) {
      await sweep.commit(run, 0, 0, 0);
      await sweep.commit(run, 1, group, 10 - group);
    }
    expect(await sweep.decide(4)).toEqual([2]);
    expect((await sweep.store.readSweep('small'))!.decisions[0]!.ranking).toEqual([
      { group: 0, score: 10 },
      { group: 1, score: 9 },
      { group: 2, score: 8 },
    ]);
  });

  it('later rungs look at the rest only, and a run that has finished keeps its end', async () => {
    const { store, commit, decide, runs } = await atFirstRung();
    await decide(4);
    const rest = runs.filter(({ group }) => group > 0);
    for (const { run, group } of rest) await commit(run, 2, group === 1 ? 9 : 10);
    const loser = rest.filter(({ group }) => group === 1)[0]!;
    await store.setStatus(loser.run, 'finished', { stopReason: 'steps', endedAt: new Date() });
    expect(await decide(8)).toEqual([1]);
    expect(await store.readRun(loser.run)).toMatchObject({ status: 'finished', stopReason: 'steps' });
    expect((await store.readSweep('small'))!.decisions.map(({ ranking }) => ranking.length)).toEqual([3, 2]);
    expect((await store.readRun(runs[0]!.run))!.stopReason).toContain('at 4 programs');
  });

  it('a sweep opened again goes on after the rungs that were decided, without the losers', async () => {
    const { open, decide } = await atFirstRung();
    await decide(4);
    expect(await open()).toMatchObject({ stopped: [0], decided: 1 });
  });
});
