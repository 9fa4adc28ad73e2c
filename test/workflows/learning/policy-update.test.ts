// Runs that learn, on a Temporal server with played activities: which update is made when, what waits for it, and what
// becomes of it when people or parts interrupt it.
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, it } from 'vitest';
import { progressOf } from '../../../client/temporal/workflow.ts';
import { updateWorkflowId } from '../../../evolution/ids.ts';
import type { InUpdate, RunProgress } from '../../../workflows/messages/messages.ts';
import { type Cast, conductorWorld, refusal } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';
import { learningCast } from '../../support/engine/learning-cast.ts';

/** Histories of more than 120 events continue as new, which only the longer ones of these runs reach. */
const world = conductorWorld({ suggestAt: 120 });
const learner = (run: string, more: Parameters<typeof learningCast>[2] = {}) => learningCast(world, run, more);

const names = ({ calls }: Cast): readonly string[] =>
  calls
    .filter(({ activity }) => /Update|Policy|planStep|commitStep/.test(activity))
    .map(({ activity, asked }) => `${activity} ${asked.step}`);
const updateOf = (step: number): readonly string[] =>
  ['planUpdate', 'applyUpdate', 'publishPolicy', 'verifyPolicy', 'commitPolicy'].map((name) => `${name} ${step}`);
const stepOf = (step: number): readonly string[] => [`planStep ${step}`, `commitStep ${step}`];

const said = (handle: WorkflowHandle): Promise<RunProgress> =>
  until(`the word of ${handle.workflowId}`, 60_000, () => handle.query<RunProgress>('status').catch(() => null));
const says = (handle: WorkflowHandle, word: string): Promise<RunProgress> =>
  until(`${handle.workflowId}: ${word}`, 60_000, async () => {
    const now = await said(handle);
    return now.status === word ? now : null;
  });
const present = ({ run }: Cast): WorkflowHandle => world.client.workflow.getHandle(`run/${run}`);
const update = ({ run }: Cast, step: number): WorkflowHandle =>
  world.client.workflow.getHandle(updateWorkflowId(run, step));
/** The execution that did the work of a run that rests. */
const executionBefore = async ({ run }: Cast): Promise<string> => {
  const { events } = await world.client.workflow.getHandle(`run/${run}`).fetchHistory();
  return events![0]!.workflowExecutionStartedEventAttributes!.continuedExecutionRunId!;
};
const page = async (handle: WorkflowHandle): Promise<string> =>
  (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;

it.concurrent('makes each update before the step that samples from it, and the last one before the run ends', async () => {
  const { cast } = learner('learns');
  const release = cast.hold('applyUpdate', ({ step }) => step === 2);
  const handle = await world.start(cast);
  await cast.asked('applyUpdate', ({ step }) => step === 2);
  expect(await said(handle)).toMatchObject({
    ...{ status: 'running', step: 2, policy: { id: 'learns-v0001-first', version: 1 } },
    update: { step: 2, since: expect.stringMatching(/Z$/) },
  });
  expect(await page(handle)).toContain('; policy learns-v0001-first, version 1;');
  const parts = { client: world.client, connection: world.connection };
  expect(await progressOf(parts as never, 'learns', 10_000)).toMatchObject({ update: { step: 2, at: 'applyUpdate' } });
  expect(await update(cast, 2).query<InUpdate>('inUpdate')).toMatchObject({
    operation: 'apply',
    order: { version: 2 },
  });
  expect(await page(update(cast, 2))).toContain('It makes `learns-v0002-first`, version 2, of ');
  expect((await update(cast, 2).describe()).searchAttributes).toMatchObject({
    ...{ EvoRunId: ['learns'], EvoStep: [2], EvoPolicy: ['learns-v0002-first'] },
  });
  release();
  expect(await handle.result()).toMatchObject({ status: 'finished', steps: 3 });
  expect(names(cast)).toEqual([0, 1, 2, 3].flatMap((step) => [...(step === 0 ? [] : stepOf(step)), ...updateOf(step)]));
  expect((await handle.describe()).searchAttributes).toMatchObject({
    ...{ EvoPolicy: ['learns-v0003-first'], EvoSpend: [2] },
  });
  expect(await page(update(cast, 3))).toContain('**Update after step 3** of run `learns`: committed');
});

it.concurrent('with lag 1 the next step runs beside the update, and the one after it waits', async () => {
  const { cast } = learner('lags', { lag: 1 });
  const release = cast.hold('applyUpdate', ({ step }) => step === 1);
  const handle = await world.start(cast);
  await cast.asked('commitStep', ({ step }) => step === 2);
  await until('the run to wait', 60_000, async () => (await said(handle)).workflow === 2);
  expect(names(cast)).not.toContain('commitPolicy 1');
  expect(names(cast).indexOf('commitPolicy 0')).toBeLessThan(names(cast).indexOf('planStep 1'));
  release();
  await handle.result();
  const order = names(cast);
  expect(order.indexOf('planStep 3')).toBeGreaterThan(order.indexOf('commitPolicy 1'));
  expect(order.filter((name) => name.startsWith('commitPolicy'))).toEqual([0, 1, 2, 3].map((n) => `commitPolicy ${n}`));
});

it.concurrent('an update that is refused parks, says what to do, and is planned anew when a setting is changed', async () => {
  const { cast } = learner('refused', { steps: 1 });
  const played = cast.play.bind(cast);
  cast.play = async (name, asked) => {
    const answer = await played(name, asked);
    if (name === 'applyUpdate' && asked['policy'] === 'refused-v0001-first')
      throw refusal('loss is NaN after 1 step at learning rate 10', 'NotFinite');
    return answer;
  };
  const handle = await world.start(cast);
  expect(await says(handle, 'needs attention')).toMatchObject({
    attention: 'applyUpdate: NotFinite: loss is NaN after 1 step at learning rate 10',
    parked: { tries: 1, next: null },
    update: { step: 1 },
  });
  for (const one of [handle, update(cast, 1)]) {
    const text = await page(one);
    expect(text).toContain('the same update would be refused again');
    expect(text).toContain('`learning.on: false` goes on with the policy as it is');
  }
  await handle.signal('retry', { resample: true });
  await until('a word on resample', 60_000, async () =>
    /what is parked is the update/.test((await said(handle)).refusal ?? ''),
  );
  await handle.signal('retry', {});
  await until('a second try', 60_000, async () => ((await said(handle)).parked?.tries ?? 0) === 2);
  await handle.executeUpdate('set', { args: [{ patch: { learning: { optimizer: { learningRate: 1e-6 } } } }] });
  expect(await handle.result()).toMatchObject({ status: 'finished' });
  expect((await handle.describe()).searchAttributes).toMatchObject({ EvoPolicy: ['refused-v0001-second'] });
});

it.concurrent('an update is interrupted at each of its operations, and done again', async () => {
  const { cast } = learner('interrupted', { steps: 2 });
  const operations = ['planUpdate', 'applyUpdate', 'publishPolicy', 'verifyPolicy', 'commitPolicy'] as const;
  const first = ({ step }: { readonly step: number }): boolean => step === 1;
  let release = cast.hold(operations[0], first);
  const handle = await world.start(cast);
  await cast.asked(operations[0], first);
  await handle.signal('pause', {});
  await says(handle, 'pausing');
  for (const [index, operation] of operations.entries()) {
    await cast.asked(operation, first);
    const next = operations[index + 1];
    const held = next === undefined ? cast.hold('planUpdate', first) : cast.hold(next, first);
    await handle.signal('pause', { mode: 'now' });
    expect(await says(handle, 'paused')).toMatchObject({ update: null });
    release();
    release = held;
    await handle.signal('resume', {});
  }
  // The run ends with its update left over, which it makes when it goes on.
  await cast.asked('planUpdate', first, operations.length + 1);
  await handle.signal('stop', {});
  expect(await handle.result()).toMatchObject({ status: 'stopped', steps: 1 });
  release();
  expect(await (await world.start(cast)).result()).toMatchObject({ status: 'finished', steps: 2 });
  const order = names(cast);
  expect(order.filter((name) => name === 'planStep 2')).toHaveLength(1);
  expect(order.lastIndexOf('commitPolicy 1')).toBeLessThan(order.indexOf('planStep 2'));
});

it.concurrent('a rewind ends the update that is under way', async () => {
  const { cast, known } = learner('rewinds', { steps: 2 });
  const release = cast.hold('applyUpdate', ({ step }) => step === 2);
  const handle = await world.start(cast);
  await cast.asked('applyUpdate', ({ step }) => step === 2);
  // The store goes back to the policy that the run had before step 1.
  known.policy = { id: 'rewinds-v0000-first', version: 0 };
  known.learned = known.step = 0;
  await handle.executeUpdate('rewind', { args: [{ toStep: 1 }] });
  await cast.asked('openRun', () => true, 2);
  release();
  expect(await present(cast).result()).toMatchObject({ status: 'finished' });
  expect(names(cast).filter((name) => name === 'commitPolicy 2')).toHaveLength(1);
  expect(names(cast).filter((name) => name === 'commitPolicy 1')).toHaveLength(2);
});

it.concurrent('a reset by hand makes the updates of the steps again that are made again', async () => {
  const { cast, known } = learner('reset');
  const { workflowId } = await world.start(cast);
  const { runId, events } = await until('the run to end', 60_000, async () => {
    const { status } = await present(cast).describe();
    if (status.name !== 'COMPLETED') return null;
    const before = await executionBefore(cast);
    return {
      runId: before,
      events: (await world.client.workflow.getHandle(workflowId, before).fetchHistory()).events!,
    };
  });
  const point = events.find(
    ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child?.workflowId === 'run/reset/step/000002',
  )!.startChildWorkflowExecutionInitiatedEventAttributes!.workflowTaskCompletedEventId!;
  await world.client.workflowService.resetWorkflowExecution({
    ...{ namespace: 'default', reason: 'test', requestId: randomUUID() },
    ...{ workflowExecution: { workflowId, runId }, workflowTaskFinishEventId: point },
  });
  await until(
    'the updates again',
    60_000,
    async () => cast.of('commitPolicy').filter(({ ended }) => ended).length === 6,
  );
  expect(await present(cast).result()).toMatchObject({ status: 'finished', steps: 3 });
  expect(names(cast).filter((name) => name.startsWith('commitPolicy'))).toEqual(
    [0, 1, 2, 3, 2, 3].map((step) => `commitPolicy ${step}`),
  );
  expect(known).toMatchObject({ learned: 3, policy: { version: 3 } });
});

it.concurrent('an update is planned anew where its run was opened anew while it was under way', async () => {
  const { cast } = learner('reopened', { steps: 1 });
  const played = cast.play.bind(cast);
  let superseded = true;
  cast.play = async (name, asked) => {
    if (name !== 'commitPolicy' || asked.step !== 1 || !superseded) return played(name, asked);
    superseded = false;
    throw refusal('generation 1 may not commit', 'SupersededError');
  };
  const handle = await world.start(cast);
  expect(await handle.result()).toMatchObject({ status: 'finished' });
  expect(names(cast).filter((name) => name === 'planUpdate 1')).toHaveLength(2);
  expect(cast.of('markRun', ({ status }) => status === 'needs attention')).toEqual([]);
});

it.concurrent('an update that somebody ended is begun again', async () => {
  const { cast } = learner('ended', { steps: 1 });
  cast.hold('applyUpdate', ({ step }) => step === 0 && cast.of('applyUpdate').length === 1);
  const handle = await world.start(cast);
  await cast.asked('applyUpdate');
  await update(cast, 0).terminate('by a test');
  expect((await says(handle, 'needs attention')).attention).toContain('UpdateLost: the update of step 0 ended');
  await handle.signal('retry', {});
  expect(await handle.result()).toMatchObject({ status: 'finished' });
  expect(names(cast).filter((name) => name.startsWith('commitPolicy'))).toEqual(['commitPolicy 0', 'commitPolicy 1']);
});

it.concurrent('learning is switched off and on while the run is under way', async () => {
  const { cast } = learner('switched', { steps: 4, first: { on: false } });
  const release = cast.hold('generate', ({ step }) => step === 2);
  const handle = await world.start(cast);
  await cast.asked('generate', ({ step }) => step === 2);
  const set = (on: boolean) => handle.executeUpdate('set', { args: [{ patch: { learning: { on } } }] });
  expect(names(cast)).not.toContain('planUpdate 1');
  const held = cast.hold('applyUpdate', ({ step }) => step === 3);
  await set(true);
  release();
  await cast.asked('applyUpdate', ({ step }) => step === 3);
  expect(names(cast).filter((name) => name.startsWith('commitPolicy'))).toEqual(['commitPolicy 2']);
  await set(false);
  expect(await handle.result()).toMatchObject({ status: 'finished', steps: 4 });
  held();
  expect(names(cast)).not.toContain('commitPolicy 3');
  // A step that is made while learning is off is settled at once.
  expect(names(cast).filter((name) => name === 'planUpdate 3')).toHaveLength(2);
  expect(await page(handle)).toContain('learning is switched off');
});

it.concurrent('goes on as new while an update runs beside the steps, and none is lost or twice', async () => {
  const { cast } = learner('continued', { steps: 9, lag: 1 });
  await world.start(cast);
  expect(await present(cast).result()).toMatchObject({ status: 'finished', steps: 9 });
  const commits = names(cast).filter((name) => name.startsWith('commitPolicy'));
  expect(commits).toEqual(Array.from({ length: 10 }, (_, step) => `commitPolicy ${step}`));
  expect(cast.of('openRun').length).toBeGreaterThan(1);
});

it.concurrent('what a run, not a person, starts says so', async () => {
  const handle = await world.client.workflow.start('policyUpdate', {
    ...{ workflowId: 'run/x/update/000001', taskQueue: 'evolve-workflow' },
    args: [{ run: 'x', step: 1, owner: randomUUID() }],
  });
  await expect(handle.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('policyUpdate is not for people') },
  });
});
