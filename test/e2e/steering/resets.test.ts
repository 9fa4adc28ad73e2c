// What a person does by hand in the Temporal UI, sent through the server's API: reset, terminate and cancel of runs
// and steps, reset of one activity. Each time the run finishes, no program is lost, none is there twice, and `evolve
// rebuild` finds no difference.
import { beforeAll, describe, expect, it } from 'vitest';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import type { InStep } from '../../../workflows/messages/messages.ts';
import { type Endpoint, startEndpoint } from '../../support/models/endpoint.ts';
import type { Point } from '../../support/engine/engine.ts';
import { until } from '../../support/machine/home.ts';
import { allDifferent, endpointFor, sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';
import { expectWhole, factsOf } from '../../support/machine/whole.ts';

const SIZE = { steps: 4, perStep: 6 };
const ALL_POINTS: readonly Point[] = ['first', 'middle', 'last'];
/** In `npm test` the point behind which most is under way; there a steered run is reset to its first one, too. */
const POINTS = FULL ? ALL_POINTS : (['middle'] as const);
const LATENCY_MS = 300;

describe('by hand in the Temporal UI', () => {
  const live = sharedHome();
  let undisturbed: readonly object[];
  beforeAll(async () => {
    const endpoint = await startEndpoint();
    await start('undisturbed', endpoint);
    await live.engine.ended('undisturbed');
    undisturbed = factsOf(await expectWhole(live.engine.store, 'undisturbed', SIZE));
    await endpoint.stop();
  });

  const start = (run: string, { url }: Endpoint): Promise<void> =>
    live.engine.start(run, {
      ...{ seed: 4, batch: 3, responses: 2, limits: { steps: SIZE.steps } },
      // Each step has a workflow of its own.
      schedule: 'steps',
      model: { name: 'small', baseUrl: url },
      evaluation: { sandbox: 'noop' },
    });
  const stepHandle = (run: string, step: number) => live.engine.client.workflow.getHandle(stepWorkflowId(run, step));
  const engineSays = (run: string, step: number, is: (inStep: InStep) => boolean): Promise<unknown> =>
    until(`step ${step} of ${run} to be so far`, 60_000, async () =>
      stepHandle(run, step)
        .query<InStep>('inStep')
        .then(is, () => false),
    );
  /** The step's requests are at the model. */
  const under = (run: string, step: number): Promise<unknown> => engineSays(run, step, ({ total }) => total > 0);
  /** The run has finished with the programs that it would have made undisturbed. */
  const expectAsUndisturbed = async (run: string): Promise<void> => {
    expect(await live.engine.ended(run)).toMatchObject({
      status: 'finished',
      stopReason: 'steps',
      committedStep: SIZE.steps,
    });
    expect(factsOf(await expectWhole(live.engine.store, run, SIZE))).toEqual(undisturbed);
    await live.must('rebuild', run);
  };
  const openSteps = async (run: string): Promise<readonly string[]> => {
    const open = [];
    for await (const one of live.engine.client.workflow.list({
      query: `EvoRunId = "${run}" AND WorkflowType = "evolutionStep" AND ExecutionStatus = "Running"`,
    }))
      open.push(one.workflowId);
    return open;
  };

  it.each(POINTS)('reset of a running run to its %s workflow task', async (point) => {
    const run = `run-${point}`;
    const endpoint = await endpointFor({ latencyMs: LATENCY_MS });
    await start(run, endpoint);
    await live.engine.seen(run, 'in its third step', ({ committedStep }) => committedStep >= 2);
    await under(run, 3);
    await live.engine.reset(`run/${run}`, point);
    await expectAsUndisturbed(run);
    await until('no step to be left over', 30_000, async () => (await openSteps(run)).length === 0);
  });

  it('reset of a run that was steered: what was asked for is there once, steps that are done again come out as they did', async () => {
    const endpoint = await endpointFor({ latencyMs: LATENCY_MS });
    await start('steered', endpoint);
    await live.engine.seen('steered', 'its first step', ({ committedStep }) => committedStep >= 1);
    await live.engine.update('steered', 'set', { patch: { batch: 2 } });
    await live.engine.update('steered', 'inject', { program: 'x = 1\n', island: 1 });
    await live.engine.update('steered', 'hint', { hint: 'try hexagons' });
    await live.engine.update('steered', 'extend', { steps: 1, add: true });
    await live.engine.seen('steered', 'in its fifth step', ({ committedStep }) => committedStep >= 4);
    const upToFour = async () => (await live.home.programs('steered', '--code')).filter(({ step }) => step <= 4);
    const before = await upToFour();
    // Before all of these messages: the server sends them again.
    await live.engine.reset('run/steered', 'first');
    expect(await live.engine.ended('steered')).toMatchObject({
      status: 'finished',
      committedStep: 5,
      configVersion: 4,
    });
    expect(await upToFour()).toEqual(before);
    expect((await live.home.programs('steered')).filter(({ parents }) => parents.length === 0)).toHaveLength(1);
    await live.must('rebuild', 'steered');
  });

  it.each(POINTS)('reset of a running step to its %s workflow task', async (point) => {
    const run = `step-${point}`;
    // Group by group, so that the step has a history: the first is evaluated while the last is still at the model.
    const endpoint = await endpointFor({ latencyMs: (request) => 600 * (1 + (request % 3)) });
    await start(run, endpoint);
    await engineSays(run, 2, ({ evaluated }) => evaluated > 0);
    await live.engine.reset(stepWorkflowId(run, 2), point);
    endpoint.setLatency(0);
    await expectAsUndisturbed(run);
    expect(allDifferent(endpoint) || endpoint.asked.length <= SIZE.steps * 3 + 2).toBe(true);
  });

  it.runIf(FULL)('reset of a step that is long closed changes nothing', async () => {
    const endpoint = await endpointFor({ latencyMs: LATENCY_MS });
    await start('closed', endpoint);
    await live.engine.seen('closed', 'in its third step', ({ committedStep }) => committedStep >= 2);
    for (const point of ALL_POINTS) {
      const { generation, committedStep } = await live.engine.document('closed');
      await live.engine.reset(stepWorkflowId('closed', 1), point);
      await until(
        'the reset step to close',
        30_000,
        async () => !(await live.engine.isOpen(stepWorkflowId('closed', 1))),
      );
      const after = await live.engine.document('closed');
      expect(after.generation).toBe(generation);
      expect(after.committedStep).toBeGreaterThanOrEqual(committedStep);
    }
    await expectAsUndisturbed('closed');
  });

  it.runIf(FULL)('reset of a step that was rewound changes nothing', async () => {
    const endpoint = await endpointFor({ latencyMs: LATENCY_MS });
    await start('given-up', endpoint);
    await live.engine.seen('given-up', 'in its third step', ({ committedStep }) => committedStep >= 2);
    const { runId } = (await stepHandle('given-up', 2).describe()).raw.workflowExecutionInfo!.execution!;
    await live.engine.update('given-up', 'rewind', { toStep: 1 });
    await expectAsUndisturbed('given-up');
    const { generation } = await live.engine.document('given-up');
    await live.engine.reset(stepWorkflowId('given-up', 2), 'middle', runId!);
    await until(
      'the reset step to close',
      60_000,
      async () => !(await live.engine.isOpen(stepWorkflowId('given-up', 2))),
    );
    expect((await live.engine.document('given-up')).generation).toBe(generation);
    await expectAsUndisturbed('given-up');
  });

  it.each(FULL ? (['terminate', 'cancel'] as const) : (['terminate'] as const))(
    '%s of a step: the run needs attention and goes on by `evolve retry`',
    async (verb) => {
      const run = `${verb}-step`;
      const endpoint = await endpointFor({ latencyMs: 1_500 });
      await start(run, endpoint);
      await live.engine.seen(run, 'in its second step', ({ committedStep }) => committedStep >= 1);
      await under(run, 2);
      endpoint.setLatency(LATENCY_MS);
      if (verb === 'terminate') await stepHandle(run, 2).terminate('a test');
      else await stepHandle(run, 2).cancel();
      const parked = await live.engine.seen(run, 'in need of attention', ({ status }) => status === 'needs attention');
      expect(parked.statusReason).toMatch(/step 2 ended without a result/);
      expect((await live.home.evolve(['list'])).stdout).toContain('needs attention');
      const doctor = await live.home.evolve(['doctor', run]);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout + doctor.stderr).toContain('evolve retry');
      await live.must('retry', run);
      await expectAsUndisturbed(run);
    },
  );

  it('terminate of a run: `evolve doctor` says so, `evolve resume` goes on', async () => {
    // Answers come late until then, lest a busy machine sees the run at its end only.
    const endpoint = await endpointFor({ latencyMs: 1_500 });
    await start('ended', endpoint);
    await live.engine.seen('ended', 'in its second step', ({ committedStep }) => committedStep >= 1);
    await live.engine.client.workflow.getHandle('run/ended').terminate('a test');
    // Lists of the server follow a moment later.
    const query = 'WorkflowId = "run/ended" AND ExecutionStatus = "Terminated"';
    await until('the list to have it', 30_000, async () => (await live.engine.client.workflow.count(query)).count > 0);
    endpoint.setLatency(LATENCY_MS);
    const doctor = await live.home.evolve(['doctor', 'ended']);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout + doctor.stderr).toMatch(/terminated/i);
    expect(doctor.stdout + doctor.stderr).toContain('evolve resume');
    await live.must('resume', 'ended');
    await expectAsUndisturbed('ended');
    expect((await live.home.evolve(['doctor', 'ended'])).code).toBe(0);
  });

  it.runIf(FULL)('cancel of a run: it is stopped, and goes on by `evolve resume`', async () => {
    const endpoint = await endpointFor({ latencyMs: 1_500 });
    await start('cancelled', endpoint);
    await live.engine.seen('cancelled', 'in its second step', ({ committedStep }) => committedStep >= 1);
    await live.engine.client.workflow.getHandle('run/cancelled').cancel();
    endpoint.setLatency(LATENCY_MS);
    expect(await live.engine.ended('cancelled')).toMatchObject({
      status: 'stopped',
      stopReason: expect.stringContaining('cancelled'),
    });
    await live.must('resume', 'cancelled');
    await expectAsUndisturbed('cancelled');
  });

  it.runIf(FULL)('reset of one activity that waits for its next attempt makes it try at once', async () => {
    const endpoint = await endpointFor({});
    // Not a 500: requests that may have been billed wait for a person after the fifth.
    endpoint.be('busy');
    await start('stuck', endpoint);
    await under('stuck', 1);
    const pending = () =>
      stepHandle('stuck', 1)
        .describe()
        .then(({ raw }) => raw.pendingActivities ?? []);
    // From the sixth attempt on the next one is sixteen seconds or more away.
    await until('attempts that are far apart', 60_000, async () =>
      (await pending()).some(({ attempt, activityType }) => activityType?.name === 'generate' && (attempt ?? 0) >= 6),
    );
    const waiting = (await pending()).filter(({ activityType }) => activityType?.name === 'generate');
    const { namespace } = live.home.up().temporal;
    endpoint.be('answers');
    for (const { activityId } of waiting)
      await live.engine.client.workflowService.resetActivityExecution({
        namespace,
        workflowId: stepWorkflowId('stuck', 1),
        activityId: activityId!,
      });
    // A reset activity begins with its first attempt, at once: whoever waited for the old one would still be at the
    // sixth.
    await until('attempts that are counted anew', 60_000, async () =>
      (await pending()).every(({ activityType, attempt }) => activityType?.name !== 'generate' || (attempt ?? 0) < 6),
    );
    await live.engine.seen('stuck', 'its first step', ({ committedStep }) => committedStep >= 1);
    await expectAsUndisturbed('stuck');
  });
});
