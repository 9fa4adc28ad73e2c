// A reset by hand, as the Temporal UI sends it, to every point of a run's history and of its steps': each time the run
// ends with the same programs and the same money as if nobody had touched it.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { paidSoFar } from '../../../activities/store/steps/paid.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { QUEUES } from '../../../workflows/engine/queues.ts';
import { conductorWorld } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';
import { FULL } from '../../support/sizes.ts';
import { programsOf } from '../../support/worlds/conducted.ts';
import { world } from '../../support/worlds/world.ts';

const server = conductorWorld();
/** Kinds of events of a history (temporal.api.enums.v1.EventType). */
const [TASK_COMPLETED, SIGNALED] = [7, 26];

/** A run on this server with the real activities, over a store in memory. One step is held until `goOn`. */
const begun = async (run: string, settings: object = {}, heldStep = -1) => {
  const it = world();
  const cast = server.cast(run);
  const goOn = cast.hold('planStep', ({ step }) => step === heldStep);
  const played = cast.play.bind(cast);
  cast.play = (name, asked) => played(name, asked, it.activities[name as keyof typeof it.activities] as never);
  const config = {
    ...{ batch: 2, responses: 2, seed: 3, limits: { steps: 2 } },
    repair: { rounds: 0 },
    evaluation: { sandbox: 'noop' },
    ...settings,
  };
  const workflowId = `run/${run}`;
  const begin = (input: object) =>
    server.client.workflow.start('evolutionRun', { workflowId, taskQueue: QUEUES.workflow, args: [input] });
  const { firstExecutionRunId } = await begin({ run, config });
  const handle = server.client.workflow.getHandle(workflowId);
  const ended = (after = ''): Promise<unknown> =>
    until(`run ${run} to end ${after}`, 60_000, async () => {
      const { status } = await handle.describe();
      return status.name === 'COMPLETED' && ['finished', 'stopped'].includes((await it.store.readRun(run))!.status);
    });
  /** Its executions that did work and have gone over into another one. */
  const executions = async (): Promise<readonly string[]> => {
    const all: string[] = [];
    for await (const { runId, status } of server.client.workflow.list({ query: `WorkflowId = "${workflowId}"` }))
      if (status.name === 'CONTINUED_AS_NEW') all.push(runId);
    return all;
  };
  const committed = (step: number): Promise<unknown> =>
    until(
      `run ${run} to commit step ${step}`,
      30_000,
      async () => ((await it.store.readRun(run))?.committedStep ?? -1) >= step,
    );
  /** What must not depend on resets. */
  const outcome = async () => {
    const programs = await programsOf(it.store, run);
    const document = (await it.store.readRun(run))!;
    const { status, stopReason, committedStep, totals, best, population } = document;
    return {
      programs: programs.map(({ _id, step, slot, outcome: became, score, code, island, parents }) => ({
        ...{ _id, step, slot, became, score, code, island, parents },
      })),
      population,
      ...{ status, stopReason, committedStep, totals, best },
      paid: paidSoFar(document),
      asked: it.asked(),
    };
  };
  return { run, workflowId, handle, first: firstExecutionRunId, begin, goOn, ended, committed, executions, outcome };
};
type Run = Awaited<ReturnType<typeof begun>>;

const pointsOf = async (workflowId: string, runId?: string): Promise<readonly number[]> => {
  const { events } = await server.client.workflow.getHandle(workflowId, runId).fetchHistory();
  return (events ?? []).filter(({ eventType }) => eventType === TASK_COMPLETED).map(({ eventId }) => Number(eventId));
};

const reset = async (workflowId: string, runId: string | undefined, point: number, exclude: boolean): Promise<string> =>
  (
    await server.client.workflowService.resetWorkflowExecution({
      namespace: server.client.options.namespace,
      workflowExecution: { workflowId, ...(runId === undefined ? {} : { runId }) },
      reason: 'a test',
      requestId: randomUUID(),
      workflowTaskFinishEventId: point as never,
      resetReapplyType: 3,
      resetReapplyExcludeTypes: exclude ? [1, 2] : [0],
    })
  ).runId!;

/** All of them in full, else the first, the last and one between, or only the last of these. */
const some = (points: readonly number[], few = false): readonly number[] => {
  if (FULL) return points;
  const middle = Math.floor(points.length / 2);
  return (few ? [middle] : [0, middle, points.length - 1]).map((index) => points[index]!);
};
/** Resets an execution of the run to a point, with the messages that came later and without them. */
const eachReset = async (
  it: Run,
  execution: string,
  check: (point: number, exclude: boolean) => Promise<void>,
  few = false,
) => {
  for (const [index, point] of some(await pointsOf(it.workflowId, execution), few).entries())
    for (const exclude of FULL ? [false, true] : [index % 2 === 0]) {
      await reset(it.workflowId, execution, point, exclude);
      await it.ended(`after a reset to event ${point}${exclude ? ' without messages' : ''}`);
      await check(point, exclude);
    }
};

const LIMIT_MS = FULL ? 1_200_000 : 300_000;

describe('a reset by hand', () => {
  it(
    'of a run that was left alone',
    async () => {
      const it = await begun('plain');
      await it.ended();
      const before = await it.outcome();
      expect(before).toMatchObject({ status: 'finished', committedStep: 2 });
      await eachReset(it, it.first, async (point) => expect(await it.outcome(), `event ${point}`).toEqual(before));
    },
    LIMIT_MS,
  );

  it(
    'of a run whose settings and limits were changed: what was stored counts, also without the messages',
    async () => {
      const it = await begun('steered', { limits: { steps: 2 } }, 2);
      await it.committed(1);
      await it.handle.signal('pause', {});
      const hints = [{ island: null, text: 'hexagons' }];
      await it.handle.executeUpdate('set', { args: [{ patch: { prompt: { hints } } }] });
      await it.handle.executeUpdate('extend', { args: [{ steps: 1, add: true }] });
      await it.handle.signal('resume', {});
      it.goOn();
      await it.ended();
      const before = await it.outcome();
      expect(before).toMatchObject({ status: 'finished', committedStep: 3 });
      const { events } = await server.client.workflow.getHandle(it.workflowId, it.first).fetchHistory();
      const paused = Number(events!.find(({ eventType }) => eventType === SIGNALED)!.eventId);
      // Of a point between the two signals the first stands in what is kept, and the run waits for the other.
      const points = (await pointsOf(it.workflowId, it.first)).filter((point) => point < paused);
      for (const point of some(points, true)) {
        await reset(it.workflowId, it.first, point, true);
        await it.ended(`after a reset to event ${point}`);
        expect(await it.outcome(), `event ${point}`).toEqual(before);
      }
    },
    LIMIT_MS,
  );

  it(
    'of a run that was stopped: with its messages it stops again, without them it goes on',
    async () => {
      const it = await begun('stopped', { limits: { steps: 3 } }, 2);
      await it.committed(1);
      await it.handle.signal('stop', {});
      it.goOn();
      await it.ended();
      const before = await it.outcome();
      expect(before.status).toBe('stopped');
      expect(before.committedStep).toBeLessThan(3);
      const [opened] = await pointsOf(it.workflowId, it.first);
      await reset(it.workflowId, it.first, opened!, false);
      await it.ended();
      expect(await it.outcome()).toEqual(before);
      await reset(it.workflowId, it.first, opened!, true);
      await it.ended();
      const alone = await begun('not-stopped', { limits: { steps: 3 } });
      await alone.ended();
      const inRun = ({ programs, ...rest }: typeof before) =>
        JSON.stringify({ ...rest, programs }).replaceAll(/"(not-)?stopped:/g, '"run:');
      expect(inRun(await it.outcome())).toEqual(inRun(await alone.outcome()));
    },
    LIMIT_MS,
  );

  it(
    'of a run that was rewound, in each of its executions',
    async () => {
      const it = await begun('rewound', { limits: { steps: 3 } });
      await it.ended();
      await it.begin({ run: it.run, rewind: { toStep: 2, resample: true } });
      await it.ended();
      const before = await it.outcome();
      expect(before).toMatchObject({ status: 'finished', committedStep: 3, asked: 6 + 4 });
      for (const execution of await it.executions())
        await eachReset(
          it,
          execution,
          async (point) => expect(await it.outcome(), `event ${point} of ${execution}`).toEqual(before),
          true,
        );
    },
    LIMIT_MS,
  );

  it(
    'of a window of steps',
    async () => {
      const population = { islands: 2, islandSync: 'migration' };
      const it = await begun('window', { limits: { steps: 4 }, population, migration: { unit: 'steps', interval: 3 } });
      await it.ended();
      const before = await it.outcome();
      await eachReset(
        it,
        it.first,
        async (point) => expect(await it.outcome(), `event ${point}`).toEqual(before),
        true,
      );
    },
    LIMIT_MS,
  );

  it(
    'of steps that are closed',
    async () => {
      const it = await begun('closed', { limits: { steps: 1 } });
      await it.ended();
      const before = await it.outcome();
      for (const step of [0, 1]) {
        const id = stepWorkflowId(it.run, step);
        const { runId } = await server.client.workflow.getHandle(id).describe();
        for (const point of some(await pointsOf(id, runId), true)) {
          await reset(id, runId, point, false);
          await until(`step ${step} to close`, 60_000, async () => {
            const { status } = await server.client.workflow.getHandle(id).describe();
            return status.name !== 'RUNNING';
          });
          expect(await it.outcome(), `step ${step}, event ${point}`).toEqual(before);
        }
      }
    },
    LIMIT_MS,
  );
});
