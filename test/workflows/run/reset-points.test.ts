// A reset by hand, as the Temporal UI sends it, to every point of a run's history and of its steps': each time the run
// ends with the same programs and the same money as if nobody had touched it.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { paidSoFar } from '../../../activities/store/paid.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { QUEUES } from '../../../workflows/engine/queues.ts';
import { conductorWorld } from '../../support/conductor.ts';
import { until } from '../../support/home.ts';
import { world } from '../../support/worlds/world.ts';

const server = conductorWorld();
const TASK_COMPLETED = 7;

/** A run on this server with the real activities, over a store in memory. */
const begun = async (run: string, settings: object = {}) => {
  const it = world();
  const cast = server.cast(run);
  const played = cast.play.bind(cast);
  cast.play = (name, asked) => {
    const real = it.activities[name as keyof typeof it.activities] as ((input: never) => Promise<unknown>) | undefined;
    return real === undefined ? played(name, asked) : real(asked as never);
  };
  const config = {
    ...{ batch: 2, responses: 2, seed: 3, limits: { steps: 2 } },
    diff: { askAgain: 0 },
    evaluation: { sandbox: 'noop' },
    ...settings,
  };
  const workflowId = `run/${run}`;
  const { firstExecutionRunId } = await server.client.workflow.start('evolutionRun', {
    workflowId,
    taskQueue: QUEUES.workflow,
    args: [{ run, config }],
  });
  const handle = server.client.workflow.getHandle(workflowId);
  const ended = (): Promise<unknown> =>
    until(`run ${run} to end`, 10_000, async () => {
      const { status } = await handle.describe();
      return status.name === 'COMPLETED' && ['finished', 'stopped'].includes((await it.store.readRun(run))!.status);
    });
  const committed = (step: number): Promise<unknown> =>
    until(`run ${run} to commit step ${step}`, 30_000, async () => ((await it.store.readRun(run))?.committedStep ?? -1) >= step);
  /** What must not depend on resets. */
  const outcome = async () => {
    const programs = [];
    for await (const program of it.store.eachProgram(run)) programs.push(program);
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
  return { run, workflowId, handle, first: firstExecutionRunId, ended, committed, outcome, store: it.store };
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

const everyPoint = async (it: Run, execution: string, same: (exclude: boolean) => object) => {
  for (const point of await pointsOf(it.workflowId, execution))
    for (const exclude of [false, true]) {
      await reset(it.workflowId, execution, point, exclude);
      try {
        await it.ended();
      } catch {
        console.log('STUCK', it.run, point, exclude, JSON.stringify(await it.handle.query('status').catch(String)));
        await it.handle.terminate();
        continue;
      }
      try {
        expect(await it.outcome()).toEqual(same(exclude));
      } catch (error) {
        console.log('DIFFERS', it.run, point, exclude, (error as Error).message);
        const o = await it.outcome();
        console.log(JSON.stringify({ ...o, programs: o.programs.length }));
      }
    }
};
const chain = async (it: Run): Promise<string[]> => {
  const all: string[] = [];
  for await (const one of server.client.workflow.list({ query: `WorkflowId = "${it.workflowId}"` })) all.push(`${one.runId} ${one.status.name}`);
  return all;
};
const dump = async (it: Run, id: string) => {
  const { events } = await server.client.workflow.getHandle(it.workflowId, id).fetchHistory();
  console.log((events ?? []).map((e) => `${e.eventId} ${Object.keys(e).find((k) => k.endsWith('Attributes'))?.replace('EventAttributes', '')}`).join('\n'));
};

describe('a reset of a run that has ended', () => {
  it('steered', async () => {
    const it = await begun('steered', { limits: { steps: 3 } });
    await it.committed(1);
    await it.handle.signal('pause', {});
    await it.handle.executeUpdate('setConfig', { args: [{ patch: { prompt: { hints: [{ island: null, text: 'hex' }] } } }] });
    await it.handle.executeUpdate('extend', { args: [{ steps: 1, add: true }] });
    await it.handle.signal('resume', {});
    await it.ended();
    const before = await it.outcome();
    expect(before).toMatchObject({ status: 'finished', committedStep: 4 });
    await dump(it, it.first);
    await everyPoint(it, it.first, () => before);
  }, 600_000);

  it('stopped', async () => {
    const it = await begun('stopped', { limits: { steps: 3 } });
    await it.committed(1);
    await it.handle.signal('stop', {});
    await it.ended();
    const before = await it.outcome();
    await dump(it, it.first);
    console.log(await chain(it), JSON.stringify({ ...before, programs: 0 }));
    await everyPoint(it, it.first, () => before);
  }, 600_000);

  it('window', async () => {
    const it = await begun('window', { limits: { steps: 4 }, population: { islands: 2, islandSync: 'migration' }, migration: { every: 2 } });
    await it.ended();
    const before = await it.outcome();
    await dump(it, it.first);
    await everyPoint(it, it.first, () => before);
  }, 600_000);

  it('rewound', async () => {
    const it = await begun('rewound', { limits: { steps: 3 } });
    await it.committed(2);
    await it.handle.executeUpdate('rewind', { args: [{ toStep: 1, resample: true }] }).catch(console.log);
    await it.ended();
    const before = await it.outcome();
    const all = await chain(it);
    console.log(all);
    for (const one of all) await everyPoint(it, one.split(' ')[0]!, () => before);
  }, 600_000);

  it('steps', async () => {
    const it = await begun('steps');
    await it.ended();
    const before = await it.outcome();
    for (const step of [0, 1, 2]) {
      const id = stepWorkflowId(it.run, step);
      const [{ runId }] = [(await server.client.workflow.getHandle(id).describe())];
      for (const point of await pointsOf(id, runId))
        for (const exclude of [false, true]) {
          await reset(id, runId, point, exclude);
          await until('closed', 20_000, async () => (await server.client.workflow.getHandle(id).describe()).status.name !== 'RUNNING').catch(() => console.log('STUCK step', step, point));
          console.log('step', step, point, (await server.client.workflow.getHandle(id).describe()).status.name);
          try { expect(await it.outcome()).toEqual(before); } catch (error) { console.log('DIFFERS step', step, point, (error as Error).message); }
        }
    }
  }, 600_000);
});
