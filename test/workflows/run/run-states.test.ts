// The words for a run's state, on a Temporal server with played activities, compared at every moment with what the
// activities say: who is at work, what is committed, and what the run document was last told.
import type { WorkflowHandle } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { RunStatus } from '../../../evolution/run-states.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import type { RunProgress } from '../../../workflows/messages/messages.ts';
import { type Cast, conductorWorld, refusal } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';

const world = conductorWorld();
const LIMITS = { programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null };

const said = (handle: WorkflowHandle): Promise<RunProgress> =>
  until(`the word of ${handle.workflowId}`, 60_000, () => handle.query<RunProgress>('status').catch(() => null));

/** Waits until the query says the word, and the attribute with it. */
const says = async (handle: WorkflowHandle, word: RunStatus): Promise<RunProgress> => {
  const progress = await until(`${handle.workflowId}: ${word}`, 60_000, async () => {
    const now = await said(handle);
    return now.status === word ? now : null;
  });
  await until(`the attribute of ${handle.workflowId}: ${word}`, 60_000, async () => {
    const { searchAttributes } = await handle.describe();
    return searchAttributes['EvoStatus']?.[0] === word;
  });
  return progress;
};

/** Activities of steps that have begun and not ended. */
const atWork = ({ calls }: Cast): readonly string[] =>
  calls
    .filter(({ activity, ended }) => !ended && activity !== 'markRun' && activity !== 'openRun')
    .map(({ activity }) => activity);
const commits = (cast: Cast): number => cast.of('commitStep').filter(({ ended }) => ended).length;
const plans = (cast: Cast): number => cast.of('planStep').length;
/** What the run document says: the last mark that has come through. */
const stored = (cast: Cast): unknown =>
  cast
    .of('markRun')
    .filter(({ ended }) => ended)
    .at(-1)?.asked['status'] ?? 'running';

/** What cannot be, seen before and after the word was asked for. */
const faultsOf = (cast: Cast, before: Seen, word: string, source: string): readonly string[] => {
  const after = seen(cast);
  const stayed = before.atWork.filter((activity) => after.atWork.includes(activity));
  const steps = after.plans - before.plans + after.commits - before.commits;
  // What has changed while the word was on its way proves nothing.
  if (steps !== 0 || before.stored !== after.stored) return [];
  const open = before.plans > before.commits;
  const at = `${source} says ${word}, the document ${String(after.stored)}, at work: ${stayed.join(', ') || 'nothing'}`;
  return [
    ...(word === 'paused' && stayed.length > 0 ? [`paused with work under way: ${at}`] : []),
    ...(after.stored === 'paused' && stayed.length > 0 ? [`stored as paused with work under way: ${at}`] : []),
    ...(word === 'pausing' && !open && stayed.length === 0 && after.stored === 'paused'
      ? [`pausing with nothing under way: ${at}`]
      : []),
  ];
};
type Seen = {
  readonly atWork: readonly string[];
  readonly commits: number;
  readonly plans: number;
  readonly stored: unknown;
};
const seen = (cast: Cast): Seen => ({
  atWork: atWork(cast),
  commits: commits(cast),
  plans: plans(cast),
  stored: stored(cast),
});

it('are right at every moment of a run that is paused, parked, retried and stopped', async () => {
  let broken = false;
  const cast = world.cast('recorded', {}, {}, { limits: { ...LIMITS, steps: 9, countPauses: false } });
  const played = cast.play.bind(cast);
  cast.play = async (name, asked) => {
    const answer = await played(name, asked);
    if (name === 'generate' && broken) throw refusal('no model');
    return answer;
  };
  const releases = [1, 2, 3, 4].map((step) => cast.hold('generate', (asked) => asked.step === step));
  const opens = cast.hold('openRun');
  const handle = await world.start(cast);

  const faults: string[] = [];
  let recording = true;
  const recorder = (async () => {
    while (recording) {
      const first = seen(cast);
      const { status } = await said(handle);
      faults.push(...faultsOf(cast, first, status, 'the query'));
      const { searchAttributes } = await handle.describe();
      const word = String(searchAttributes['EvoStatus']?.[0]);
      // The attribute is as old as the answer may be; what it says of a pause must hold for the activities too.
      if (word === 'paused' && first.stored === 'paused' && seen(cast).stored === 'paused')
        faults.push(...faultsOf(cast, first, word, 'the attribute'));
      await sleep(20);
    }
  })();

  await says(handle, 'opening');
  opens();
  await cast.asked('generate', ({ step }) => step === 1);
  expect((await said(handle)).status).toBe('running');
  await handle.signal('pause', { reason: 'lunch' });
  await says(handle, 'pausing');
  await until('the document', 60_000, async () => stored(cast) === 'pausing');
  releases[0]!();
  await says(handle, 'paused');
  await until('the document', 60_000, async () => stored(cast) === 'paused');
  expect(commits(cast)).toBe(1);
  const pausedFrom = performance.now();
  await sleep(300);
  const pausedMs = performance.now() - pausedFrom;
  await handle.signal('resume', {});
  await cast.asked('generate', ({ step }) => step === 2);
  expect(stored(cast)).toBe('running');
  // The engine's timestamps are another clock than ours.
  const restedMs = () => cast.of('markRun').at(-1)?.asked['pausedMs'] as number;
  await until('the length of the pause', 60_000, async () => restedMs() > 0.8 * pausedMs);
  const rested = restedMs();

  broken = true;
  releases[1]!();
  const parked = await says(handle, 'needs attention');
  expect(parked).toMatchObject({
    attention: expect.stringContaining('no model'),
    parked: { tries: 1, trying: false, since: expect.stringMatching(/Z$/), next: expect.stringMatching(/Z$/) },
  });
  expect((await handle.describe()).searchAttributes['EvoNeedsAttention']).toEqual([true]);
  const again = cast.hold('generate', ({ step }) => step === 2);
  await handle.signal('retry', {});
  expect(await says(handle, 'retrying')).toMatchObject({ parked: { tries: 1, trying: true } });
  expect((await handle.describe()).searchAttributes['EvoNeedsAttention']).toEqual([true]);
  broken = false;
  again();
  await cast.asked('generate', ({ step }) => step === 3);
  expect(await says(handle, 'running')).toMatchObject({ attention: null, parked: null });

  await handle.signal('stop', {});
  await says(handle, 'stopping');
  await until('the document', 60_000, async () => stored(cast) === 'stopping');
  releases[2]!();
  expect(await handle.result()).toMatchObject({ status: 'stopped' });
  recording = false;
  await recorder;
  expect(faults).toEqual([]);
  // Neither a parked phase nor the stop is a pause.
  expect(cast.of('markRun').at(-1)?.asked).toMatchObject({ status: 'stopped', pausedMs: rested });
});

it('messages that change nothing leave a line, and a message that is taken ends it', async () => {
  const cast = world.cast('noted', {}, {}, { limits: { ...LIMITS, steps: 9 } });
  const release = cast.hold('generate');
  const handle = await world.start(cast);
  await cast.asked('generate');
  const last = async (): Promise<string> => (await said(handle)).refusals?.[0]?.why ?? 'nothing';
  const events = async (): Promise<number> => (await handle.fetchHistory()).events?.length ?? 0;
  for (const [name, body, why] of [
    ['paus', {}, /no signal "paus": nothing happened\. Did you mean "pause"\?/],
    ['extend', { steps: 5 }, /"extend" is an update/],
    ['__temporal_nothing', {}, /./],
    ['resume', {}, /the run is not paused, it is running/],
    ['retry', {}, /nothing is parked, the run is running/],
    ['pause', { mode: 'later' }, /"mode" expected/],
  ] as const) {
    await handle.signal(name, body);
    await until(`a word on ${name}`, 60_000, async () => why.test(await last()));
  }
  const { refusals } = await said(handle);
  expect(refusals.map(({ message }) => message)).toEqual(['pause', 'retry', 'resume']);
  const details = async (): Promise<string> =>
    (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
  expect(await details()).toContain('Messages that changed nothing');

  // Each costs what its signal and the task that takes it cost, and no attribute or activity beside.
  const before = await events();
  for (let sent = 0; sent < 100; sent += 20)
    await Promise.all(Array.from({ length: 20 }, () => handle.signal('paus', {})));
  await until('the flood', 60_000, async () => (await said(handle)).refusals?.[0]?.times === 100);
  expect((await events()) - before).toBeLessThanOrEqual(100 * 4);

  await handle.signal('pause', {});
  expect(await says(handle, 'pausing')).toMatchObject({ refusals: [], refusal: null });
  expect(await details()).not.toContain('Messages that changed nothing');
  const step = world.client.workflow.getHandle(stepWorkflowId('noted', 1));
  await step.signal('pause', {});
  await until('a word of the step', 60_000, async () =>
    (await step.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails.includes(
      'no signal "pause"',
    ),
  );
  await handle.signal('stop', {});
  await handle.signal('pause', {});
  await until('a word on pause', 60_000, async () => /the run is stopping/.test(await last()));
  release();
  expect(await handle.result()).toMatchObject({ status: 'stopped' });
});

it('a rewind lets the word that is on its way to the document arrive first', async () => {
  const cast = world.cast('rewound-while-marked', {}, {}, { limits: { ...LIMITS, steps: 9 } });
  const release = cast.hold('generate');
  const handle = await world.start(cast);
  await cast.asked('generate');
  const marked = cast.hold('markRun');
  await handle.signal('pause', { mode: 'now' });
  await says(handle, 'paused');
  await cast.asked('markRun');
  // An execution that continues as new takes back the task, and the update with it, when an activity ends meanwhile.
  expect(await handle.executeUpdate('rewind', { args: [{ toStep: 0 }] })).toEqual({ toStep: 0 });
  await sleep(1_000);
  expect(cast.of('openRun')).toHaveLength(1);
  marked();
  await until('the run to be opened again', 60_000, () => cast.of('openRun').length === 2);
  const present = world.client.workflow.getHandle(handle.workflowId);
  await present.signal('stop', { mode: 'now' });
  release();
  expect(await present.result()).toMatchObject({ status: 'stopped' });
});
