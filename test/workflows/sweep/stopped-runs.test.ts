// A run of a sweep that a person ended stays so, in every execution of the sweep, until a person lets it go on. Runs
// that were stopped with their sweep go on when it does.
import { describe, expect, it } from 'vitest';
import { until } from '../../support/machine/home.ts';
import { swept, sweepWorld } from '../../support/engine/sweep-world.ts';

const STEPS = 3;

describe('a run of a sweep', () => {
  const world = sweepWorld();
  /** All of its runs at their first step, where they are held. */
  const underWay = async (name: string, seeds: readonly number[]): Promise<readonly string[]> => {
    world.hold((run, step) => run.startsWith(name) && step > 0);
    await world.start(swept(name, { seeds, maxParallel: seeds.length }), `sweep/${name}`);
    const runs = await world.runsOf(name);
    await until('every run to be at step 1', 60_000, () => runs.every((run) => world.steps(run) > 1));
    return runs;
  };
  /** The result of a further execution of the sweep, with everything that it does done. */
  const again = async (name: string): Promise<unknown> => {
    world.hold(() => false);
    return (
      await world.start(swept(name, { seeds: (await world.runsOf(name)).map((_, at) => at + 1) }), `sweep/${name}`)
    ).result();
  };
  const ended = (run: string) =>
    until(`run ${run} to be closed`, 60_000, async () => (await world.run(run).describe()).status.name !== 'RUNNING');

  it('that a person stopped, cancelled or terminated is not started again, until a person resumes it', async () => {
    const runs = await underWay('ended', [1, 2, 3, 4]);
    const [stopped, cancelled, terminated, worded] = runs.map((run) => world.run(run));
    await stopped!.signal('stop', { mode: 'now' });
    await cancelled!.cancel();
    await terminated!.terminate('by a person');
    await worded!.signal('stop', { mode: 'now', reason: 'with sweep ended' });
    expect(await world.sweep('ended').result()).toMatchObject({ status: 'finished' });
    const begun = runs.map(world.steps);
    expect(await again('ended')).toMatchObject({ status: 'finished' });
    expect(runs.map(world.steps)).toEqual(begun);
    expect((await world.store.readRun(runs[0]!))!.stopReason).toBe('stopped by a person');
    expect((await world.store.readRun(runs[3]!))!.stopReason).toBe('stopped by a person: with sweep ended');

    await world.startRun(runs[0]!);
    await ended(runs[0]!);
    expect(await world.store.readRun(runs[0]!)).toMatchObject({ status: 'finished', committedStep: STEPS });
  });

  it('that was stopped with its sweep goes on with it; one that a person was stopping then does not', async () => {
    const [own, other] = await underWay('both', [1, 2]);
    await world.run(own!).signal('stop', { reason: 'enough' });
    await world.sweep('both').signal('stop', { mode: 'now', reason: 'the night is over' });
    expect(await world.sweep('both').result()).toMatchObject({ status: 'stopped' });
    expect((await world.store.readRun(own!))!.stopReason).toBe('stopped by a person: enough');
    expect((await world.store.readRun(other!))!.stopReason).toBe('stopped with sweep both: the night is over');
    expect(await again('both')).toMatchObject({ status: 'finished' });
    expect(await world.store.readRun(own!)).toMatchObject({ status: 'stopped', committedStep: 0 });
    expect(await world.store.readRun(other!)).toMatchObject({ status: 'finished', committedStep: STEPS });
  });

  it('that a person stopped stays so when the sweep is reset by hand to where it had not started it', async () => {
    const [run] = await underWay('reset', [1]);
    await world.run(run!).signal('stop', { mode: 'now' });
    const sweep = world.sweep('reset');
    await sweep.result();
    const begun = world.steps(run!);
    world.hold(() => false);
    // The execution that did the work comes before the one at which the sweep rests.
    const { runId, history } = await world.firstOf('sweep/reset');
    const started = history.events!.find(
      (event) => event.startChildWorkflowExecutionInitiatedEventAttributes,
    )!.startChildWorkflowExecutionInitiatedEventAttributes!;
    await world.reset('sweep/reset', runId, Number(started.workflowTaskCompletedEventId));
    expect(await world.sweep('reset').result()).toMatchObject({ status: 'finished' });
    expect(world.steps(run!)).toBe(begun);
    expect(await world.store.readRun(run!)).toMatchObject({ status: 'stopped', stopReason: 'stopped by a person' });
  });

  it('is stopped with the sweep also when it was being started just then', async () => {
    world.hold((run, step) => run.startsWith('just') && step > 0);
    const started = world.start(swept('just', { seeds: [1, 2, 3, 4], maxParallel: 4 }), 'sweep/just');
    await until('a run to be open', 60_000, () => world.opened.some((run) => run.startsWith('just')));
    await (await started).signal('stop', { mode: 'now' });
    expect(await (await started).result()).toMatchObject({ status: 'stopped' });
  });
});
