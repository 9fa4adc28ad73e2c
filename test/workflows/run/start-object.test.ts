// Runs are started by the objects that the Temporal UI's form sends, on a Temporal server: with the real opening of
// runs over a store in memory, and played steps.
import { WorkflowFailedError } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../evolution/types.ts';
import { QUEUES } from '../../../workflows/engine/queues.ts';
import { conductorWorld } from '../../support/engine/conductor.ts';
import { run, world as memoryWorld } from '../../support/worlds/world.ts';

const world = conductorWorld();

type StartObject = { readonly run: string; readonly [key: string]: Json };

/** Run `r` with two committed steps, which has ended by its limit on steps. */
const ended = async () => {
  const memory = memoryWorld();
  const { activities, store } = memory;
  await memory.open();
  for (const n of [0, 1, 2]) await memory.step(n, false);
  await store.setStatus(run, 'finished', { stopReason: 'steps', endedAt: new Date() });
  let first = '';
  /** Starts the run and waits for its end. */
  const start = async (input: StartObject): Promise<unknown> => {
    const plays = {
      openRun: (asked: object) => activities.openRun(asked as never),
      markRun: (asked: object) => activities.markRun(asked as never),
    };
    world.cast(input.run, {}, plays);
    const handle = await world.client.workflow.start('evolutionRun', {
      workflowId: `run/${input.run}`,
      taskQueue: QUEUES.workflow,
      args: [input],
    });
    first = handle.firstExecutionRunId;
    return handle.result();
  };
  const refusal = async (input: StartObject): Promise<{ readonly type: string; readonly message: string }> => {
    const failure: unknown = await start(input).catch((error: unknown) => error);
    if (!(failure instanceof WorkflowFailedError))
      throw new Error('expected the start to be refused', { cause: failure });
    const { type, message } = failure.cause as unknown as { type: string; message: string };
    return { type, message };
  };
  /** The UI's Reset to the first workflow task of the last start, and what comes of it. */
  const resetStart = async (id: string): Promise<unknown> => {
    const workflowExecution = { workflowId: `run/${id}`, runId: first };
    const { events } = await world.client.workflow.getHandle(`run/${id}`, first).fetchHistory();
    await world.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution,
      reason: 'a test',
      workflowTaskFinishEventId: events!.find((event) => event.workflowTaskCompletedEventAttributes)!.eventId!,
      requestId: randomUUID(),
    });
    return world.client.workflow.getHandle(`run/${id}`).result();
  };
  return { ...memory, start, refusal, resetStart, document: async (id = run) => (await store.readRun(id))! };
};

describe('settings beside a run that exists', () => {
  it('are refused where they differ, with each key, and change nothing', async () => {
    const { refusal, document } = await ended();
    const before = await document();
    const { type, message } = await refusal({
      run,
      config: { batch: 3, limits: { steps: 30 }, model: { name: 'big', baseUrl: 'http://h/v1' } },
    });
    expect(type).toBe('ConfigError');
    for (const words of ['batch is 2, got 3', 'limits.steps is 2, got 30', 'model.name is', 'got "big"', '"patch"'])
      expect(message).toContain(words);
    expect(message).not.toContain('seed');
    expect((await refusal({ run, config: { seed: 9, batch: 2 } })).message).toMatch(/seed is 3, got 9.*"fork"/);
    expect((await refusal({ run, config: { bach: 2 } })).message).toContain('bach: unknown key');
    expect(await document()).toEqual(before);
  });

  it('that are the same, or only some of them, go on; so does a reset of the start that made the run', async () => {
    const { start, resetStart, call, activities, document } = await ended();
    expect(await start({ run, config: { batch: 2, limits: { steps: 2 } } })).toMatchObject({ status: 'finished' });
    await call(activities.changeSettings, { run, change: { kind: 'set', patch: { batch: 4 } } });
    expect(await resetStart(run)).toMatchObject({ status: 'finished' });
    expect((await document()).config.batch).toBe(4);
    const { config } = await document();
    expect(await start({ run, config: config as unknown as Json })).toMatchObject({ status: 'finished' });
  });
});

describe('a start object', () => {
  it('extends a run once, however often it comes', async () => {
    const { start, resetStart, refusal, document } = await ended();
    expect(await start({ run, extend: { steps: 2, add: true } })).toMatchObject({ status: 'finished', steps: 4 });
    expect(await resetStart(run)).toMatchObject({ status: 'finished', steps: 4 });
    expect((await document()).config.limits.steps).toBe(4);
    const before = await document();
    const refused = await refusal({ run, extend: { steps: 1 } });
    expect(refused).toMatchObject({
      type: 'BadRequest',
      message: expect.stringContaining('limits.steps = 1 is not more'),
    });
    expect(await refusal({ run, extend: { stepps: 1 } })).toMatchObject({ type: 'BadRequest' });
    expect(await document()).toEqual(before);
  });

  it('patches a run, and what cannot change is refused in the words of the update', async () => {
    const { start, refusal, document } = await ended();
    await start({ run, patch: { batch: 5 } });
    expect(await document()).toMatchObject({ configVersion: 2, config: { batch: 5 }, status: 'finished' });
    const before = await document();
    expect((await refusal({ run, patch: { seed: 4 } })).message).toContain('seed: cannot change in a run');
    expect((await refusal({ run, patch: { batch: 1 }, extend: { steps: 9 } })).message).toContain(
      'expected one of config, rewind, extend, patch and fork, got extend and patch',
    );
    expect(await document()).toEqual(before);
  });

  it('rewinds a run once, however often it comes', async () => {
    const { start, resetStart, refusal, document, step } = await ended();
    expect((await refusal({ run, rewind: { toStep: 3 } })).message).toContain('expected 1 to 2');
    await start({ run, rewind: { toStep: 2 } });
    expect((await document()).committedStep).toBe(1);
    const { owner } = (await document()).openings!;
    await step(2, false, 0, owner);
    await resetStart(run);
    expect((await document()).committedStep).toBe(2);
  });

  it('forks a run into a new one, once', async () => {
    const { start, resetStart, document } = await ended();
    const fork = { from: run, atStep: 1, patch: { seed: 8, limits: { steps: 3 } } };
    expect(await start({ run: 'branch', fork })).toMatchObject({ status: 'finished', steps: 3 });
    expect(await document('branch')).toMatchObject({
      origin: { run, step: 1 },
      committedStep: 1,
      config: { seed: 8, batch: 2 },
    });
    expect(await resetStart('branch')).toMatchObject({ status: 'finished' });
    expect((await document()).committedStep).toBe(2);
  });

  it('that forks what cannot be forked is refused', async () => {
    const { refusal, store } = await ended();
    for (const [fork, words] of [
      [{ from: 'rr', atStep: 1 }, 'there is no run "rr"'],
      [{ from: run, atStep: 3 }, 'fork: atStep: expected 0 to 2'],
      [{ from: run, atStep: 1, patch: { task: 'golomb-ruler-12' } }, 'start a new run instead'],
      [{ from: run, atStep: 1, patch: { bach: 2 } }, 'fork: patch.bach: bach: unknown key'],
      [{ from: run, atStep: 2 }, 'would end at once with 2 steps'],
    ] as const)
      expect(await refusal({ run: 'no-branch', fork })).toMatchObject({
        type: 'ConfigError',
        message: expect.stringContaining(words),
      });
    expect(await store.readRun('no-branch')).toBeNull();
  });

  it('that forks into a run that is there is refused', async () => {
    const { refusal, document } = await ended();
    const before = await document();
    expect((await refusal({ run, fork: { from: run, atStep: 1 } })).message).toContain('there is a run "r" already');
    expect(await document()).toEqual(before);
  });
});
