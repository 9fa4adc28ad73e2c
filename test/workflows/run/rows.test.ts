// One row a run: on a real server, after everything that a person does to runs in the Temporal UI, each documented view
// holds exactly the rows that it should, and no row that is stale.
import { randomUUID } from 'node:crypto';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { START_FORMS, startFormUrl } from '../../../client/temporal/start-form.ts';
import { UI_VIEWS } from '../../../client/temporal/ui-views.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { Caretaker, keptRuns } from '../../../workers/roles/caretaker.ts';
import { lacking, seriesIn } from '../../support/domain/dashboards.ts';
import { until } from '../../support/machine/home.ts';
import { BROKEN_RUN } from '../../support/engine/serving.ts';
import { swept, sweepWorld } from '../../support/engine/sweep-world.ts';
import { collect } from '../../activities/store/fixtures.ts';

const world = sweepWorld({
  // A run continues as new after some six steps, as it does in production after fifty.
  suggestAt: 60,
  server: ['system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2'],
  edit: BROKEN_RUN,
  metrics: true,
});

const TASK = 'circle-packing-square-26';
const start = (run: string, config: object = {}) =>
  world.client.workflow.start('evolutionRun', {
    workflowId: `run/${run}`,
    taskQueue: 'evolve-workflow',
    args: [{ run, config: { task: TASK, seed: 1, batch: 2, responses: 2, limits: { steps: 2 }, ...config } }],
  });
const again = (run: string, more: object = {}) =>
  world.client.workflow.start('evolutionRun', {
    workflowId: `run/${run}`,
    taskQueue: 'evolve-workflow',
    args: [{ run, ...more }],
  });
const ended = async (run: string): Promise<void> => {
  await world.run(run).result();
};
const rows = (query: string): Promise<readonly WorkflowExecutionInfo[]> =>
  collect(world.client.workflow.list({ query }));
const named = ({ workflowId, searchAttributes }: WorkflowExecutionInfo): string =>
  `${workflowId} ${String(searchAttributes['EvoStatus']?.[0] ?? '-')}`;
/** Rows of a view, with the words of a person filled in. */
const view = async (name: string, fill: { readonly [word: string]: string } = {}): Promise<readonly string[]> => {
  const { query } = UI_VIEWS.find((one) => one.name === name)!;
  const filled = query.replaceAll(/<([\w.]+)>/g, (_, word: string) => fill[word] ?? word);
  return (await rows(filled)).map(named).sort();
};
const expectView = async (name: string, wanted: readonly string[], fill = {}): Promise<void> => {
  const same = async () => JSON.stringify(await view(name, fill)) === JSON.stringify(wanted.toSorted());
  await until(`the view "${name}"`, 30_000, same).catch(() => undefined);
  expect(await view(name, fill), name).toEqual(wanted.toSorted());
};

type Event = { readonly eventId: string; readonly eventType: string };
/** The UI's Reset, to a completed workflow task in the middle or at the end of an execution. */
const reset = async (workflowId: string, runId: string, point: 'middle' | 'last'): Promise<void> => {
  const history = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
  const points = (JSON.parse(historyToJSON(history)) as { events: Event[] }).events
    .filter(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED')
    .map(({ eventId }) => Number(eventId));
  await world.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId },
    reason: 'by hand',
    workflowTaskFinishEventId: points[point === 'last' ? points.length - 1 : Math.floor(points.length / 2)]! as never,
    requestId: randomUUID(),
  });
};
/** Run ids of the executions of a run in this state, newest first. */
const executions = (run: string, state: string) => async (): Promise<readonly string[] | false> => {
  const found = [...(await rows(`WorkflowId = "run/${run}" AND ExecutionStatus = "${state}"`))];
  found.sort((a, b) => b.startTime.getTime() - a.startTime.getTime());
  return found.length > 0 && found.map(({ runId }) => runId);
};
const newest = async (run: string, state: string): Promise<string> =>
  (await until(`an execution of ${run} that is ${state}`, 30_000, executions(run, state)))[0]!;
const parked = (workflowId: string) =>
  until(`${workflowId} to be parked`, 60_000, async () =>
    Boolean((await world.client.workflow.getHandle(workflowId).describe()).searchAttributes.EvoNeedsAttention?.[0]),
  );

describe('the views of the Temporal UI', () => {
  let caretaker: Caretaker;
  let caring: Promise<void>;
  beforeAll(async () => {
    const engine = { connection: world.connection, namespace: 'default' };
    caretaker = new Caretaker(engine, [keptRuns(world.store)]);
    caring = caretaker.run(console.error);
  });
  afterAll(async () => {
    caretaker.stop();
    await caring;
  });

  it('have one row a run, whatever was done to it', async () => {
    world.fail((run, step) => ['parked', 'cancelled-step', 'ended-parked'].includes(run) && step === 1);
    world.hold((run, step) => ['terminated', 'cancelled', 'paused', 'stopped'].includes(run) && step === 1);
    await start('plain');
    await start('long', { limits: { steps: 12 } });
    await start('reset', { seed: 2 });
    await start('reset-rest');
    await start('rewound');
    await start('resumed');
    await start('refused-again');
    for (const run of ['parked', 'cancelled-step', 'ended-parked', 'terminated', 'cancelled', 'paused', 'stopped'])
      await start(run);
    await again('broken');
    await start('refused', { task: 'no-such-task' });

    for (const run of ['plain', 'long', 'reset', 'reset-rest', 'rewound', 'resumed', 'refused-again']) await ended(run);
    // A finished run that is reset to the middle of the execution that did its work ends once more.
    await reset('run/reset', await newest('reset', 'ContinuedAsNew'), 'middle');
    await reset('run/reset-rest', await newest('reset-rest', 'Completed'), 'last');
    await again('rewound', { rewind: { toStep: 1 } });
    await again('resumed', { extend: { steps: 3 } });
    await again('refused-again', { config: { task: TASK, batch: 3 } });
    for (const run of ['terminated', 'cancelled', 'stopped', 'paused'])
      await until(`${run} to be under way`, 60_000, async () => world.steps(run) > 0);
    await world.run('terminated').terminate('by hand');
    await world.run('cancelled').cancel();
    await world.run('stopped').signal('stop', { mode: 'now' });
    await world.run('paused').signal('pause', { mode: 'now' });
    for (const run of ['parked', 'cancelled-step', 'ended-parked']) await parked(stepWorkflowId(run, 1));
    await world.run('ended-parked').terminate('by hand, while it is parked');
    await world.client.workflow.getHandle(stepWorkflowId('cancelled-step', 1)).cancel();
    for (const run of ['reset', 'reset-rest', 'rewound', 'resumed', 'cancelled', 'stopped']) await ended(run);

    const finished = ['long', 'plain', 'refused-again', 'reset', 'reset-rest', 'resumed', 'rewound'];
    const terminated = ['run/ended-parked terminated', 'run/terminated terminated'];
    const resting = [
      ...finished.map((run) => `run/${run} finished`),
      'run/cancelled stopped',
      'run/stopped stopped',
      ...terminated,
    ];
    const attention = ['run/broken -', 'run/cancelled-step needs attention', 'run/parked needs attention'];
    await expectView('ended runs', resting);
    await expectView('terminated runs', terminated);
    await expectView('runs under way', [...attention, 'run/paused paused']);
    await expectView('all runs', [...resting, ...attention, 'run/paused paused']);
    await expectView('paused runs', ['run/paused paused']);
    await expectView('needs a person', attention);
    await expectView('refused starts', ['run/refused opening', 'run/refused-again opening']);
    await expectView('one run with its steps', ['run/plain finished', ...steps('plain', 0, 1, 2)], { run: 'plain' });
    await expectView(
      'one run with its steps',
      // Steps 1 and 2 were committed, rewound and committed again.
      ['run/rewound finished', ...steps('rewound', 0, 1, 1, 2, 2)],
      { run: 'rewound' },
    );
    // The rows of a run that was reset or rewound do not stand among good runs with scores that it no longer has.
    const good = (above: string) => ({ task: TASK, '2.6': above });
    await expectView('good runs on a task', ['run/long finished', 'run/reset finished'], good('2.15'));
    await expectView('expensive runs', ['run/long finished'], { 5: '11' });
    expect((await world.store.readRun('terminated'))!).toMatchObject({
      status: 'terminated',
      stopReason: expect.stringMatching(/^terminated by .*: by hand$/),
    });
    expect((await executions('long', 'ContinuedAsNew')()) || []).not.toHaveLength(1);
  });

  it('follow a run that is resumed after a terminate, and forget where it rested', async () => {
    world.hold(() => false);
    await again('terminated');
    await ended('terminated');
    await expectView('terminated runs', ['run/ended-parked terminated']);
    expect(await executions('terminated', 'Completed')()).toHaveLength(1);
  });

  it.each(['run', 'sweep'] as const)(
    'leave out the execution that fills the form of a %s, which has no attribute',
    async (form) => {
      const ui = { base: 'http://ui', namespace: 'default' };
      const url = new URL((await startFormUrl({ client: world.client }, ui, form))!);
      expect(url.pathname).toBe('/namespaces/default/workflows/start-workflow');
      // As the form asks for it (fetchInitialValuesForStartWorkflow of the UI).
      const { runId, workflowType } = Object.fromEntries(url.searchParams) as Record<string, string>;
      const [found] = await until('the form to be found', 30_000, async () => {
        const listed = await rows(`RunId = "${runId}" AND WorkflowType = "${workflowType}"`);
        return listed.length > 0 && listed[0]!.status.name === 'TERMINATED' && listed;
      });
      expect(Object.keys(found!.searchAttributes).filter((name) => name.startsWith('Evo'))).toEqual([]);
      // The lists know of it: it is not made a second time.
      expect(await startFormUrl({ client: world.client }, ui, form)).toBe(url.href);
      const { events } = await world.client.workflow.getHandle(found!.workflowId, runId).fetchHistory();
      const input = events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads![0]!;
      const typed = Buffer.from(input.data!).toString();
      expect(url.searchParams.get('taskQueue')).toBe('evolve-workflow');
      for (const { name } of UI_VIEWS)
        if (name !== 'one step')
          expect((await view(name)).filter((row) => row.includes(found!.workflowId))).toEqual([]);
      const { starts } = START_FORMS[form];
      await world.client.workflow.start(workflowType!, {
        workflowId: starts,
        taskQueue: 'evolve-workflow',
        // As the form holds it, with fewer steps.
        args: [JSON.parse(typed.replace('"steps":20', '"steps":2'))],
      });
      expect(await world.client.workflow.getHandle(starts).result()).toMatchObject({ status: 'finished' });
    },
  );

  it('show a sweep with one row for each run', async () => {
    await world.start(swept('rows'), 'sweep/rows');
    const runs = await world.runsOf('rows');
    await world.sweep('rows').result();
    await expectView('one sweep with its runs', ['sweep/rows finished', ...runs.map((run) => `run/${run} finished`)], {
      sweep: 'rows',
    });
    await expectView('all sweeps', ['sweep/my-sweep finished', 'sweep/rows finished']);
  });

  it('are beside the metrics of the SDK for which the dashboard and the alerts ask', async () => {
    const asked = async () => lacking('temporal_', seriesIn(await world.sdkMetrics()));
    await until('all metrics of the SDK', 30_000, async () => (await asked()).length === 0).catch(() => undefined);
    expect(await asked()).toEqual([]);
  });
});

const steps = (run: string, ...numbers: readonly number[]): readonly string[] =>
  numbers.map((step) => `${stepWorkflowId(run, step)} -`);
