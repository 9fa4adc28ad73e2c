// Other code of workflows in the middle of runs, on a real server: the workers, what makes a version the current one and
// what serves the older ones are those that ship. A changed step is one that no history of the old step replays under.
import { temporal } from '@temporalio/proto';
import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { overrideVersion, readVersions } from '../../deploy/stack/versions.ts';
import { until } from '../support/home.ts';
import { CHANGED_STEP } from '../support/serving.ts';
import { swept, sweepWorld } from '../support/sweep-world.ts';

const world = sweepWorld({ versions: true });
const home = mkdtempSync(join(tmpdir(), 'evolve-versions-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const TASK = 'circle-packing-square-26';
const start = (run: string, steps: number) =>
  world.client.workflow.start('evolutionRun', {
    workflowId: `run/${run}`,
    taskQueue: 'evolve-workflow',
    args: [{ run, config: { task: TASK, batch: 2, responses: 2, limits: { steps } } }],
  });
/** The version of the newest execution, as the server lists it: null before there were versions. */
const versionOf = async (workflowId: string): Promise<string | null> => {
  const { raw } = await world.client.workflow.getHandle(workflowId).describe();
  return raw.workflowExecutionInfo!.versioningInfo?.deploymentVersion?.buildId ?? null;
};
const current = async (): Promise<string | undefined> =>
  (await readVersions(world.client)).find((version) => version.current)?.build;
const comesTo = (workflowId: string, build: string) =>
  until(`${workflowId} on version ${build}`, 60_000, async () => (await versionOf(workflowId)) === build);
const begins = (run: string, step: number) =>
  until(`step ${step} of ${run}`, 60_000, async () => world.begun.some((one) => one.run === run && one.step === step));
const stepsOn = async (run: string, steps: readonly number[]): Promise<readonly (string | null)[]> =>
  Promise.all(steps.map((step) => versionOf(`run/${run}/step/${String(step).padStart(6, '0')}`)));
const { WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND: OVERTAKEN } = temporal.api.enums.v1.WorkflowTaskFailedCause;
/** Why tasks failed, over all executions. One that was overtaken by a message is done again, and is no failure of code. */
const failedTasks = async (): Promise<readonly string[]> => {
  const failed: string[] = [];
  for await (const { workflowId, runId } of world.client.workflow.list({ query: 'WorkflowType != "installation"' })) {
    const { events } = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const { workflowTaskFailedEventAttributes: failure } of events!)
      if (failure && failure.cause !== OVERTAKEN)
        failed.push(`${workflowId}: ${failure.cause} ${failure.failure?.message}`);
  }
  return failed;
};

describe('versions of the workflows', () => {
  it('change in mid-run: the step ends as it began, the next is the new one, and whatever rests goes over', async () => {
    // Version 0.7.0 knew no versions. What it began is taken over by the first version, and replays there.
    const unversioned = await world.serve({ build: null, home });
    world.hold((run, step) => ['running', 'paused'].includes(run) && step === 1);
    await Promise.all([start('running', 8), start('paused', 3)]);
    await begins('running', 1);
    await begins('paused', 1);
    await world.run('paused').signal('pause', { mode: 'now' });
    await unversioned.stop();
    const first = await world.serve({ build: 'first', home });
    await until('the first version', 30_000, async () => (await current()) === 'first');
    world.hold((run, step) => run === 'running' && step === 3);
    await begins('running', 3);

    // A sweep, and what started it for a schedule, live as long as its runs.
    await world.start(
      swept('family', { base: { task: TASK, batch: 2, responses: 2, limits: { steps: 3 } } }),
      'scheduled/family',
    );
    const [member] = await world.runsOf('family');
    world.hold((run, step) => (run === 'running' && step === 3) || (run.startsWith('family') && step === 2));
    await begins(member!, 2);
    await first.stop();
    const second = await world.serve({ build: 'second', home, edit: CHANGED_STEP });
    // The run is in the middle of a step, which ends on the old version; the paused one and the starter go at once.
    for (const id of ['run/paused', 'scheduled/family', 'sweep/family']) await comesTo(id, 'second');
    expect(await versionOf('run/running')).toBe('first');
    world.hold(() => false);
    await world.run('paused').signal('resume', {});
    for (const run of ['running', 'paused']) await world.run(run).result();
    expect(await world.client.workflow.getHandle('scheduled/family').result()).toMatchObject({
      sweep: 'family',
      status: 'finished',
      said: 'started sweep family, which is finished now',
    });
    expect(await stepsOn('running', [0, 1, 2, 3, 4, 8])).toEqual([null, 'first', 'first', 'first', 'second', 'second']);
    expect(await stepsOn(member!, [1, 2, 3])).toEqual(['first', 'first', 'second']);
    expect(second.log.toSorted()).toEqual([
      'new runs begin with version second',
      'serving version first until nothing is open on it',
    ]);
    expect(await failedTasks()).toEqual([]);
    await second.stop();
  }, 180_000);

  it('leave a run alone that a person pinned, and take it along when he lets it go', async () => {
    const third = await world.serve({ build: 'third', home });
    world.hold((run, step) => run === 'pinned' && step === 1);
    await start('pinned', 6);
    await begins('pinned', 1);
    await overrideVersion(world.client, { workflowId: 'run/pinned' }, { pinned: 'third' });
    const fourth = await world.serve({ build: 'fourth', home: `${home}/other-host` });
    await until('the newer version', 30_000, async () => (await current()) === 'fourth');
    world.hold((run, step) => run === 'pinned' && step === 4);
    await begins('pinned', 4);
    expect(await stepsOn('pinned', [2, 3, 4])).toEqual(['third', 'third', 'third']);
    // Who was asked for earlier does not take the place back, and says so.
    await until('the older one to give way', 30_000, async () => third.log.some((line) => line.includes('is newer')));
    await overrideVersion(world.client, { workflowId: 'run/pinned' }, 'none');
    world.hold(() => false);
    await world.run('pinned').result();
    expect(await stepsOn('pinned', [5, 6])).toEqual(['fourth', 'fourth']);
    // Once it had tried in vain to go over, it did not try again.
    let executions = 0;
    for await (const _ of world.client.workflow.list({ query: 'WorkflowId = "run/pinned"' })) executions += 1;
    expect(executions).toBeLessThanOrEqual(5);
    expect(await failedTasks()).toEqual([]);
    await fourth.stop();
  }, 120_000);
});
