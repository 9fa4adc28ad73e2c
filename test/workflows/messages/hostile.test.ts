// Messages of every shape, sent to a run, a step and a sweep on a Temporal server: the workflow lives, answers, and
// obeys what people say afterwards.
// Attempts: messages and the terminal.
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { conductorWorld, refusal } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';
import { FULL } from '../../support/sizes.ts';

const world = conductorWorld();

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = (value: unknown): Payload => defaultPayloadConverter.toPayload(value)!;
const raw = (encoding: string | null, data: string): Payload => ({
  metadata: encoding === null ? {} : { encoding: bytes(encoding) },
  data: bytes(data),
});
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** Bodies of messages, by what is wrong with them. Each is a list of payloads, as the Temporal UI and others send. */
const BODIES: { readonly [name: string]: readonly Payload[] } = {
  nothing: [],
  null: [json(null)],
  'a text': [json('now')],
  'an empty text': [json('')],
  'a list': [json([1, { mode: 'now' }])],
  'a number': [json(7)],
  'a logical value': [json(true)],
  'an unknown key': [json({ colour: 'red' })],
  'wrong kinds': [
    json({ mode: 3, reason: [], resample: 'yes', step: '1', attention: {}, last: null, summary: 'done', toStep: {} }),
  ],
  'a summary of nothing': [json({ step: 1, last: 4, summary: {} })],
  'a summary of nulls': [json({ step: 1, last: 4, summary: { step: 1, totals: null, paid: null, best: null } })],
  __proto__: [raw('json/plain', '{"__proto__":{"mode":"now"},"constructor":1,"toString":null}')],
  'a deep nesting': [raw('json/plain', nested(50_000))],
  'a huge object': [json({ reason: 'x'.repeat(1_900_000) })],
  'many keys': [json(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index])))],
  'a lone surrogate': [raw('json/plain', '{"\\ud800":"\\udfff","reason":"\\ud800"}')],
  'broken JSON': [raw('json/plain', '{"mode":')],
  'no encoding': [raw(null, '\u0000\u0001')],
  'another encoding': [raw('binary/encrypted', 'abc')],
  'plain bytes': [raw('binary/plain', 'abc')],
  'an empty payload': [{}],
  'several payloads': [json({ mode: 'x' }), json('x'), raw('nobody/knows', '')],
};

/** The bodies for a message that is one of many; in full all of them for each. */
const FEW: readonly string[] = FULL
  ? Object.keys(BODIES)
  : ['nothing', 'a text', 'wrong kinds', '__proto__', 'a deep nesting', 'broken JSON', 'plain bytes'];
const LIGHT = Object.entries(BODIES).filter(([name]) => FULL || name !== 'a huge object');
const SOME = LIGHT.filter(([name]) => FEW.includes(name));

const send = async (handle: WorkflowHandle, signalName: string, payloads: readonly Payload[]): Promise<void> => {
  await world.client.workflowService.signalWorkflowExecution({
    namespace: world.client.options.namespace,
    workflowExecution: { workflowId: handle.workflowId },
    signalName,
    input: { payloads: payloads as Payload[] },
    requestId: crypto.randomUUID(),
  });
};

/** What the engine says of the query: an answer, or why there is none. */
const query = async (handle: WorkflowHandle, queryType: string, payloads: readonly Payload[]): Promise<string> =>
  world.client.workflowService
    .queryWorkflow({
      namespace: world.client.options.namespace,
      execution: { workflowId: handle.workflowId },
      query: { queryType, queryArgs: { payloads: payloads as Payload[] } },
    })
    .then(
      ({ queryResult }) => new TextDecoder().decode(queryResult?.payloads?.[0]?.data as Uint8Array),
      (error: unknown) => `no answer: ${String(error)}`,
    );

const update = async (handle: WorkflowHandle, name: string, payloads: readonly Payload[]): Promise<string> => {
  const { outcome } = await world.client.workflowService.updateWorkflowExecution({
    namespace: world.client.options.namespace,
    workflowExecution: { workflowId: handle.workflowId },
    waitPolicy: { lifecycleStage: 3 },
    request: { meta: { updateId: crypto.randomUUID() }, input: { name, args: { payloads: payloads as Payload[] } } },
  });
  return outcome?.failure?.message ?? 'taken';
};

/**
 * The reasons for which the workflow's own code failed a task. The engine fails tasks too, where many messages come
 * while one is under way; those are tried again and pass.
 */
const faults = async ({ workflowId }: WorkflowHandle): Promise<readonly string[]> => {
  const found: string[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await world.client.workflowService.getWorkflowExecutionHistory({
      namespace: world.client.options.namespace,
      execution: { workflowId },
      maximumPageSize: 1,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
    for (const { workflowTaskFailedEventAttributes: failed } of page.history?.events ?? [])
      if (failed?.failure) found.push(failed.failure.message ?? 'no message');
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return found;
};

/** An answer to the query, once the engine has handed all messages to the workflow. */
const word = <T>(handle: WorkflowHandle, name: string): Promise<T> =>
  until(`an answer of ${handle.workflowId}`, 60_000, () => handle.query<T>(name).catch(() => null));

describe('a run', () => {
  it('lives through every body of every signal, query and update, and obeys pause, resume and stop afterwards', async () => {
    const cast = world.cast(
      'hostile',
      {},
      {
        changeSettings: () => {
          throw new Error('no body of these is a change of settings');
        },
        injectProgram: () => {
          throw new Error('no body of these is a program');
        },
      },
    );
    const release = cast.hold('generate');
    const handle = await world.start(cast);
    await cast.asked('generate');
    // Stop, resume and pause without a body mean what they say, so these three are asked for last.
    for (const signal of ['stepReport', 'windowReport', 'retry', 'closeWindow', 'nobody', 'pause', 'stop'])
      for (const [name, payloads] of signal === 'stop' ? Object.entries(BODIES) : signal === 'pause' ? LIGHT : SOME) {
        if (['pause', 'stop'].includes(signal) && ['nothing', 'null'].includes(name)) continue;
        await send(handle, signal, payloads);
      }
    expect(await word(handle, 'status')).toMatchObject({ paused: false, stopping: false, status: 'running' });
    for (const [name, payloads] of LIGHT) {
      expect(await query(handle, 'status', payloads), name).toContain('"status":"running"');
      if (!FEW.includes(name)) continue;
      for (const one of ['extend', 'set', 'add-model', 'remove-model', 'hint', 'inject', 'rewind'])
        expect(await update(handle, one, payloads), `${one}: ${name}`).toMatch(
          name === 'a huge object' || name === 'a deep nesting' ? /./ : new RegExp(`^${one}\\b`),
        );
    }
    await send(handle, 'pause', []);
    expect(await word(handle, 'status')).toMatchObject({ paused: true, status: 'pausing', refusal: null });
    await send(handle, 'resume', BODIES['another encoding']!);
    expect(await word(handle, 'status'), 'a body that nobody can read').toMatchObject({ paused: true });
    await send(handle, 'resume', []);
    expect(await word(handle, 'status')).toMatchObject({ paused: false });
    await send(handle, 'stop', [json({ mode: 'sometimes' })]);
    expect(await word(handle, 'status')).toMatchObject({
      stopping: false,
      refusal: 'stop: "mode" expected "step" or "now", got "sometimes"',
    });
    await send(handle, 'stop', [json(null)]);
    release();
    expect(await handle.result()).toMatchObject({ status: 'stopped' });
    expect(await faults(handle)).toEqual([]);
  });

  it('that is no stream ends, though somebody asked it for a next window, to which nobody would hand over', async () => {
    const cast = world.cast('hostile-window', {}, {}, { stream: false });
    const release = cast.hold('generate');
    const handle = await world.start(cast);
    await cast.asked('generate');
    const report = { step: 1, last: 9, summary: null };
    await handle.signal('windowReport', { ...report, next: null });
    await handle.signal('windowReport', { ...report, next: 2 });
    expect(await word(handle, 'status')).toMatchObject({ workflow: 1 });
    release();
    expect(await handle.result()).toMatchObject({ status: 'finished', steps: 1 });
  });

  // Long by nature: the engine suggests to continue as new after some 4,000 events.
  it.runIf(FULL)('that is paused and flooded with signals continues as new, and obeys stop', async () => {
    const cast = world.cast('hostile-flood');
    const release = cast.hold('generate');
    const handle = await world.start(cast);
    await cast.asked('generate');
    const { runId } = await handle.describe();
    await handle.signal('pause', { mode: 'now' });
    for (let sent = 0; sent < 5_000; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => send(handle, 'stepReport', [json('x')])));
    const latest = world.client.workflow.getHandle('run/hostile-flood');
    await until('a new execution', 120_000, async () => (await latest.describe()).runId !== runId);
    expect(await word(latest, 'status')).toMatchObject({ paused: true });
    release();
    await latest.signal('stop', {});
    expect(await latest.result()).toMatchObject({ status: 'stopped' });
  });

  // The engine ends a workflow whose answers to messages are more than 4 MiB at a time (deploy/supervisor/children.ts).
  it.runIf(FULL)('takes the largest programs that it accepts, and outlives many of them at a time', async () => {
    const cast = world.cast('hostile-large', {}, { injectProgram: ({ island }) => ({ injected: `k${island}` }) });
    const release = cast.hold('generate');
    const handle = await world.start(cast);
    await cast.asked('generate');
    const program = `#${'x'.repeat(1_499_000)}`;
    // The engine refuses what is too much at a time, and the client tries it again for a while.
    const some = [0, 1, 2, 3].map((island) => update(handle, 'inject', [json({ program, island })]));
    await Promise.all(some.map((one) => one.catch(() => 'not taken')));
    await until('the next one to be taken', 60_000, () =>
      update(handle, 'inject', [json({ program, island: 4 })]).then(
        (answer) => answer === 'taken',
        () => false,
      ),
    );
    release();
    expect(await handle.result()).toMatchObject({ status: 'finished' });
    expect(await faults(handle)).toEqual([]);
  });

  it('whose step is parked ends when it is cancelled, and its step with it', async () => {
    const cast = world.cast(
      'hostile-parked',
      {},
      {
        generate: () => {
          throw refusal('no model');
        },
      },
    );
    const handle = await world.start(cast);
    await until('to be parked', 60_000, async () =>
      Boolean((await handle.describe()).searchAttributes.EvoNeedsAttention?.[0]),
    );
    await handle.cancel();
    expect(await handle.result()).toMatchObject({
      status: 'stopped',
      stopReason: expect.stringContaining('cancelled'),
    });
    expect(cast.of('markRun').at(-1)?.asked).toMatchObject({ status: 'stopped' });
    const step = world.client.workflow.getHandle(stepWorkflowId('hostile-parked', 1));
    expect((await step.describe()).status.name).toBe('CANCELLED');
  });

  it('that cannot be opened says why, and obeys stop while its opening is tried again and again', async () => {
    const cast = world.cast(
      'hostile-opening',
      {},
      {
        openRun: () => {
          throw new Error('the database is away');
        },
      },
    );
    const handle = await world.start(cast);
    await cast.asked('openRun', () => true, 2);
    expect(await word(handle, 'status')).toMatchObject({ opening: true, stopping: false });
    await handle.signal('stop', { reason: 'enough' });
    expect(await handle.result()).toMatchObject({ status: 'stopped', stopReason: expect.stringContaining('enough') });
  });

  it('that cannot be opened ends when it is cancelled, parked or not', async () => {
    for (const parked of [false, true]) {
      const run = `hostile-cancel-${parked ? 'parked' : 'trying'}`;
      const cast = world.cast(
        run,
        {},
        {
          openRun: () => {
            throw parked ? refusal('the evaluator has changed', 'TaskChanged') : new Error('away');
          },
        },
      );
      const handle = await world.start(cast);
      if (parked)
        await until('to be parked', 60_000, async () =>
          Boolean((await handle.describe()).searchAttributes.EvoNeedsAttention?.[0]),
        );
      else await cast.asked('openRun', () => true, 2);
      await handle.cancel();
      expect(await handle.result()).toMatchObject({ status: 'stopped', steps: 0 });
    }
  });

  it.each(Object.keys(BODIES))('that is started with %s ends with words', async (name) => {
    const workflowId = `run/hostile-input-${Object.keys(BODIES).indexOf(name)}`;
    await world.client.workflowService.startWorkflowExecution({
      namespace: world.client.options.namespace,
      workflowId,
      workflowType: { name: 'evolutionRun' },
      taskQueue: { name: 'evolve-workflow' },
      input: { payloads: BODIES[name] as Payload[] },
      requestId: crypto.randomUUID(),
    });
    await expect(world.client.workflow.getHandle(workflowId).result()).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/^evolutionRun/), type: 'BadRequest' },
    });
  });

  it('whose counters are no numbers is shown, listed and ended', async () => {
    const strange = { programs: 1e308, valid: null, failures: {}, tokens: { in: null, out: 1e308 }, costUsd: null };
    const cast = world.cast(
      'hostile-numbers',
      {},
      {
        commitStep: ({ step }) => ({
          step,
          generation: 1,
          totals: { ...strange, sinceBest: null },
          best: { program: 'p', score: null, strictScore: null, step },
          paid: { tokens: 1e308, costUsd: null, programs: 1 },
          populationSize: 1,
          evaluationMs: null,
        }),
      },
      { limits: { steps: 2, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null } },
    );
    const handle = await world.start(cast);
    expect(await handle.result()).toMatchObject({ status: 'finished', steps: 2 });
    expect(await faults(handle)).toEqual([]);
  });
});

describe('a step', () => {
  it('lives through every body of every signal, and ends', async () => {
    const cast = world.cast('hostile-step');
    const release = cast.hold('generate');
    const handle = await world.step(cast);
    await cast.asked('generate');
    for (const signal of ['retry', 'closeWindow', 'nobody'])
      for (const [, payloads] of SOME) await send(handle, signal, payloads);
    await word(handle, 'inStep');
    for (const [name, payloads] of SOME) expect(await query(handle, 'inStep', payloads), name).toContain('"total":4');
    release();
    expect(await handle.result()).toMatchObject({ step: 1 });
    expect(await faults(handle)).toEqual([]);
  });

  it('that a person starts with anything else than a step ends with words', async () => {
    for (const payloads of [[], [json(null)], [json({ run: 'x', step: 1 })], BODIES['plain bytes']!]) {
      const workflowId = `run/hostile-by-hand/step/${crypto.randomUUID()}`;
      await world.client.workflowService.startWorkflowExecution({
        namespace: world.client.options.namespace,
        workflowId,
        workflowType: { name: 'evolutionStep' },
        taskQueue: { name: 'evolve-workflow' },
        input: { payloads: payloads as Payload[] },
        requestId: crypto.randomUUID(),
      });
      await expect(world.client.workflow.getHandle(workflowId).result()).rejects.toMatchObject({
        cause: { message: expect.stringMatching(/^evolutionStep/), type: 'BadRequest' },
      });
    }
  });
});

describe('a sweep', () => {
  const started = (name: string) =>
    world.client.workflow.start('sweep', {
      workflowId: `sweep/${name}`,
      taskQueue: 'evolve-workflow',
      args: [{ name }],
    });

  it('lives through every body of every signal and query, and obeys stop', async () => {
    const cast = world.cast(
      'hostile-sweep',
      {},
      {
        openSweep: () => ({
          name: 'hostile-sweep',
          runs: [{ run: 'hostile-sweep.1', group: 0, summary: 'x' }],
          maxParallel: 1,
          rungs: [],
          stopped: [],
          decided: 0,
          page: { groups: [], scoring: 'tolerant', task: null, method: null, model: null, limits: null },
        }),
        awaitRuns: () => [
          { run: 'hostile-sweep.1', state: 'ended', attention: false, programs: 1, best: null, rung: null },
        ],
        markSweep: () => undefined,
      },
    );
    const release = cast.hold('openSweep');
    const handle = await started('hostile-sweep');
    await cast.asked('openSweep');
    for (const signal of ['pause', 'stop', 'nobody', 'resume'])
      for (const [name, payloads] of signal === 'stop' ? LIGHT : SOME)
        if (!['pause', 'stop'].includes(signal) || !['nothing', 'null'].includes(name))
          await send(handle, signal, payloads);
    await word(handle, 'progress');
    for (const [name, payloads] of SOME)
      expect(await query(handle, 'progress', payloads), name).toContain('"status":"opening"');
    release();
    expect(await handle.result()).toMatchObject({ status: 'finished' });
    expect(await faults(handle)).toEqual([]);
  });

  it('that cannot be opened obeys stop and cancel', async () => {
    for (const how of ['stop', 'cancel'] as const) {
      const name = `hostile-sweep-${how}`;
      const cast = world.cast(
        name,
        {},
        {
          openSweep: () => {
            throw new Error('the database is away');
          },
        },
      );
      const handle = await started(name);
      await cast.asked('openSweep', () => true, 2);
      expect(await word(handle, 'progress')).toMatchObject({ opening: true });
      if (how === 'stop') {
        await handle.signal('stop', {});
        expect(await handle.result()).toMatchObject({ status: 'stopped', runs: 0 });
      } else {
        await handle.cancel();
        await expect(handle.result()).rejects.toThrow();
        expect((await handle.describe()).status.name).toBe('CANCELLED');
      }
    }
  });
});
