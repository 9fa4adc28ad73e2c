// One name has one living sweep, whoever starts it under whatever id.
import { describe, expect, it } from 'vitest';
import { rootOf } from '../../../evolution/root-cause.ts';
import { until } from '../../support/machine/home.ts';
import { swept, sweepWorld } from '../../support/engine/sweep-world.ts';

const world = sweepWorld();
const living = async (name: string): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { workflowId } of world.client.workflow.list({
    query: `WorkflowType = "sweep" AND EvoSweepId = "${name}" AND ExecutionStatus = "Running"`,
  }))
    ids.push(workflowId);
  return ids;
};

describe('a sweep that is started under another id', () => {
  it('is started as the workflow of its name; further starts, at the same moment and later, join it', async () => {
    world.hold((run) => run.startsWith('twice'));
    const started = await Promise.all(
      ['by-a-person', 'sweep/twice-2026-11-23T02:00:00Z'].map((id) => world.start(swept('twice'), id)),
    );
    const runs = await world.runsOf('twice');
    started.push(await world.start(swept('twice'), 'later'));
    await until('a step of each run', 60_000, async () => runs.every((run) => world.steps(run) > 0));
    await until('the list', 60_000, async () => (await living('twice')).length > 0);
    expect(await living('twice')).toEqual(['sweep/twice']);
    await started[0]!.signal('pause', { reason: 'by way of the start' });
    await until('the sweep to be paused', 60_000, async () =>
      Boolean((await world.sweep('twice').query<{ paused: boolean }>('progress')).paused),
    );
    await world.sweep('twice').signal('resume', {});
    world.hold(() => false);
    const results = await Promise.all(started.map((handle) => handle.result()));
    expect(results.map(({ sweep, status, runs: count }) => [sweep, status, count])).toEqual(
      started.map(() => ['twice', 'finished', 2]),
    );
    const said = results.map((result) => (result.said as string).split(' ')[0]);
    expect(said.toSorted()).toEqual(['started', 'sweep', 'sweep']);
    expect(results[2].said).toBe('sweep twice was under way already, and this start joined it; it is finished now');
    expect(new Set(world.opened.filter((run) => run.startsWith('twice'))).size).toBe(2);
    expect(world.opened.filter((run) => run.startsWith('twice'))).toHaveLength(2);
  });

  it('fails with what is wrong, and may not take the id of another sweep', async () => {
    const failure = async (spec: object, id: string): Promise<string> =>
      (await world.start(spec, id)).result().then(
        () => 'no failure',
        (error: unknown) => rootOf(error).message,
      );
    expect(await failure(swept('wrong', { seedz: [1] }), 'wrong-start')).toContain('seedz');
    expect(await failure(swept('Wrong'), 'wrong-name')).toContain('a name of 1 to 40 characters');
    expect(await failure(swept('right'), 'sweep/other')).toBe(
      'sweep: "name" right expected the workflow id "sweep/right", got "sweep/other", which is that of another sweep',
    );
    expect(await world.store.readSweep('right')).toBeNull();
  });

  it('is cancelled with its start; a start that was terminated leaves it alone', async () => {
    world.hold((run) => run.startsWith('left'));
    const first = await world.start(swept('left'), 'first');
    await world.runsOf('left');
    await first.terminate('as the overlap policy of a schedule may');
    const second = await world.start(swept('left'), 'second');
    await until('the second to join', 60_000, async () =>
      (await second.fetchHistory()).events!.some((event) => event.timerStartedEventAttributes),
    );
    await second.cancel();
    await expect(second.result()).rejects.toThrow();
    expect((await world.sweep('left').describe()).status.name).toBe('RUNNING');
    await world.sweep('left').signal('stop', { mode: 'now' });
    await world.sweep('left').result();
    world.hold(() => false);

    world.hold((run) => run.startsWith('held'));
    const owner = await world.start(swept('held'), 'owner');
    await world.runsOf('held');
    await owner.cancel();
    await owner.result().catch(() => undefined);
    expect(await world.store.readSweep('held')).toMatchObject({ status: 'stopped' });
    world.hold(() => false);
  });
});
