// Other code of workflows in the middle of runs, on a real server: the workers, what makes a version the current one and
// what serves the older ones are those that ship. A changed step is one that no history of the old step replays under.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../client/connect/connection.ts';
import { readExecution } from '../../client/temporal/execution.ts';
import {
  checkUpgrade,
  listVersions,
  makeVersionCurrent,
  moveVersion,
  pinRun,
  unpinRun,
} from '../../client/upkeep/upgrade.ts';
import { resolveHome } from '../../deploy/host/home.ts';
import { bindingOf, openByVersion, overrideVersion } from '../../deploy/versions/executions.ts';
import { readVersions } from '../../deploy/versions/versions.ts';
import { failedTasks } from '../support/engine/failed-tasks.ts';
import { PARTS, until } from '../support/machine/home.ts';
import { BROKEN_STEP, CHANGED_STEP } from '../support/engine/serving.ts';
import { swept, sweepWorld } from '../support/engine/sweep-world.ts';

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
const failures = (): Promise<readonly string[]> => failedTasks(world.client, 'WorkflowType != "installation"');

/** The heartbeat timeouts of a workflow's activities, in seconds. */
const patienceIn = async (workflowId: string): Promise<readonly number[]> => {
  const { events } = await world.client.workflow.getHandle(workflowId).fetchHistory();
  const seconds = events!.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled ? [Number(scheduled.heartbeatTimeout!.seconds)] : [],
  );
  return [...new Set(seconds)].sort((a, b) => a - b);
};

/** A data directory in which commands find the server. */
const hostCalled = (name: string) => {
  const host = join(home, name);
  const place = { home: resolveHome({ EVOLVE_HOME: host, EVOLVE_PARTS: PARTS }), env: {} };
  mkdirSync(host);
  const temporal = { address: world.connection.options.address, namespace: 'default', ui: null, external: false };
  const nothing = { supervisor: {}, database: {}, docker: {}, image: {}, processes: [] };
  writeFileSync(place.home.upFile, JSON.stringify({ ...nothing, temporal }));
  return { place, engine: { client: world.client, ...world.engine } as Engine, host };
};

describe('versions of the workflows', () => {
  it('change in mid-run: the step ends as it began, the next is the new one, and whatever rests goes over', async () => {
    const first = await world.serve({ build: 'first', home });
    await until('the first version', 30_000, async () => (await current()) === 'first');
    world.hold((run, step) => ['running', 'paused'].includes(run) && step === 1);
    await Promise.all([start('running', 5), start('paused', 3)]);
    await begins('running', 1);
    await begins('paused', 1);
    await world.run('paused').signal('pause', { mode: 'now' });
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
    // The host was told, too, to wait longer for heartbeats.
    const second = await world.serve({ build: 'second', home, edit: CHANGED_STEP, heartbeatSeconds: 60 });
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
    expect(await stepsOn('running', [0, 1, 2, 3, 4, 5])).toEqual([
      ...['first', 'first', 'first', 'first', 'second', 'second'],
    ]);
    expect(await stepsOn(member!, [1, 2, 3])).toEqual(['first', 'first', 'second']);
    expect(await patienceIn('run/running/step/000002')).toEqual([5]);
    expect(await patienceIn('run/running/step/000004')).toEqual([60]);
    expect(second.log.toSorted()).toEqual([
      'new runs begin with version second',
      'serving version first until nothing is open on it',
    ]);
    expect(await failures()).toEqual([]);
    await second.stop();
  }, 300_000);

  it('leave a run alone that a person pinned, and take it along when he lets it go', async () => {
    const third = await world.serve({ build: 'third', home });
    world.hold((run, step) => run === 'pinned' && step === 1);
    await start('pinned', 5);
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
    expect(await stepsOn('pinned', [5])).toEqual(['fourth']);
    // Once it had tried in vain to go over, it did not try again.
    let executions = 0;
    for await (const _ of world.client.workflow.list({ query: 'WorkflowId = "run/pinned"' })) executions += 1;
    expect(executions).toBeLessThanOrEqual(5);
    expect(await failures()).toEqual([]);
    await fourth.stop();
  }, 300_000);

  it('are told beforehand what becomes of each execution, and what nobody serves is moved as far as it replays', async () => {
    const { place, engine, host } = hostCalled('checked-host');
    const fifth = await world.serve({ build: 'fifth', home: host });
    await until('the fifth version', 30_000, async () => (await current()) === 'fifth');
    world.hold((run, step) => run === 'told' && step === 1);
    await start('told', 3);
    await begins('told', 1);
    const step = 'run/told/step/000001';

    // As `evolve up` would find it: the bundle of the new code is there, and nobody serves it yet.
    const sixth = await world.serve({ build: 'sixth', home: join(home, 'sixth-host'), edit: CHANGED_STEP });
    await sixth.stop();
    const bundle = join(home, 'sixth-host', 'bundles', 'sixth.js');
    const check = async () => {
      const { executions, ...rest } = await checkUpgrade(place, engine, { bundle, seconds: 60 });
      const told = executions.filter(({ workflowId }) => workflowId.startsWith('run/told'));
      return { ...rest, told: told.map(({ workflowId, outcome, replays }) => [workflowId, outcome, replays]) };
    };
    expect(await check()).toMatchObject({
      build: 'sixth',
      told: [
        ['run/told', 'goes over', true],
        [step, 'ends first', false],
      ],
    });
    // A bundle of another SDK cannot be loaded, so that what it began has to replay.
    const about = join(host, 'versions', 'fifth.json');
    const kept = readFileSync(about, 'utf8');
    writeFileSync(about, kept.replace(/"sdk": ?"/, '$&0.'));
    const beforehand = await check();
    expect([beforehand.ok, beforehand.told]).toEqual([
      false,
      [
        ['run/told', 'taken over', true],
        [step, 'breaks', false],
      ],
    ]);
    writeFileSync(about, kept);

    // The way back: the version before is made the current one again, and a run is bound to it.
    expect(await makeVersionCurrent(place, engine, 'fifth')).toBe(true);
    await until('the fifth version again', 30_000, async () => (await current()) === 'fifth');
    expect(await pinRun(place, engine, 'told', 'fifth')).toBe(2);
    expect(await listVersions(place, engine)).toContainEqual(
      expect.objectContaining({ build: 'fifth', current: true, open: 2, polled: true, kept: true }),
    );
    await expect(pinRun(place, engine, 'told', 'none-such')).rejects.toThrow(/--pin: expected a version .*fifth/);
    await unpinRun(engine, 'told');
    await fifth.stop();

    // Its host is gone for good. The next version of the same code takes what it left in the middle.
    rmSync(join(host, 'versions', 'fifth.js'));
    const seventh = await world.serve({ build: 'seventh', home: host });
    await until('the seventh version', 30_000, async () => (await current()) === 'seventh');
    const { moved, left } = await moveVersion(place, engine, 'fifth');
    expect([moved.toSorted(), left]).toEqual([['run/told', step], []]);
    world.hold((run, step) => run === 'told' && step === 2);
    await begins('told', 2);
    // From there on it is one of the version that took it.
    await until('the run to be settled', 30_000, async () => {
      const { runId } = await world.run('told').describe();
      const binding = await bindingOf(world.client, { workflowId: 'run/told', runId });
      return binding?.build === 'seventh' && binding.override === null;
    });
    world.hold(() => false);
    await world.run('told').result();
    expect(await stepsOn('told', [2, 3])).toEqual(['seventh', 'seventh']);
    expect(await failures()).toEqual([]);
    await seventh.stop();
  }, 300_000);

  it('that fail are named with their failure, and on the version before the run loses nothing', async () => {
    const { place, engine, host } = hostCalled('eighth-host');
    const eighth = await world.serve({ build: 'eighth', home: host });
    await until('the eighth version', 30_000, async () => (await current()) === 'eighth');
    world.hold((run, step) => run === 'stuck' && step === 1);
    await start('stuck', 6);
    await begins('stuck', 1);
    const ninth = await world.serve({ build: 'ninth', home: join(home, 'ninth-host'), edit: BROKEN_STEP });
    await until('the ninth version', 30_000, async () => (await current()) === 'ninth');
    world.hold(() => false);
    // The server tells the run of the new version some time after it is the current one, and a step may begin before.
    const stuck = await until('a step to be stuck', 60_000, async () => {
      const steps = [2, 3, 4, 5, 6].map((step) => readExecution(engine, `run/stuck/step/00000${step}`));
      return (await Promise.all(steps)).find((execution) => execution?.taskFailure) ?? false;
    });
    expect(stuck).toMatchObject({ version: 'ninth', taskFailure: { diverges: false, message: 'broken by a release' } });
    // As if both were drained, so that the server is asked for them together.
    const drained = ['ninth', 'unknown'].map((build) => ({ build, current: false, drained: true }));
    expect(await openByVersion(world.client, drained.slice(1))).toEqual(new Map([['unknown', 0]]));
    expect((await openByVersion(world.client, drained)).get('ninth')).toBeGreaterThan(0);
    const [before] = (await readVersions(world.client)).toSorted((a, b) => b.leftAtMs - a.leftAtMs);
    expect(before?.build).toBe('eighth');
    await pinRun(place, engine, 'stuck', 'eighth');
    await world.run('stuck').result();
    expect(new Set(await stepsOn('stuck', [1, 2, 3, 4, 5, 6]))).toEqual(new Set(['eighth']));
    expect(world.begun.filter(({ run }) => run === 'stuck').map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    await Promise.all([eighth.stop(), ninth.stop()]);
  }, 300_000);
});
