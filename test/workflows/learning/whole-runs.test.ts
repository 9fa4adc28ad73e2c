// Runs that learn, on a Temporal server, with the activities that ship over a store in memory and a trainer that makes its
// weights by arithmetic: whatever people and the engine do to them meanwhile, each policy is made once, and is the one
// that a run makes that nobody touches.
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCommitPolicy } from '../../../activities/learning/commit-policy.ts';
import { createPlanUpdate } from '../../../activities/learning/plan-update.ts';
import { sha256 } from '../../../activities/sha256.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import { conductorWorld } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';
import { FULL } from '../../support/sizes.ts';
import { codeWorld, configOf } from '../../support/worlds/code-world.ts';
import { LEARNS } from '../../support/worlds/learning-world.ts';
import { RESULT } from '../../activities/store/learning/learning-fixtures.ts';

const server = conductorWorld();
const STEPS = 3;
/** No policy of these runs has weights on a disk. */
const NO_FOLDER = join(tmpdir(), `evolve-no-policies-${randomUUID()}`);
/** The kind of event at which a workflow can be reset (temporal.api.enums.v1.EventType). */
const TASK_COMPLETED = 7;

const begun = async (run: string, lag: 0 | 1) => {
  const of = {
    ...{ method: 'theta', batch: 2, responses: 2, limits: { steps: STEPS }, population: { islands: 1 } },
    ...{ prompt: { frame: 'paper' }, repair: { rounds: 0 } },
    ...LEARNS,
    learning: { ...LEARNS.learning, lag, warmup: null, price: { train: 1 } },
  };
  const score = (code: string): number => Number(/middle_x = 0\.(\d+)/.exec(code)?.[1] ?? 0) % 1000;
  const { store, activities } = codeWorld(of, { score });
  /** Updates by what the trainer did for them, also what it did twice. */
  const trained: string[] = [];
  const learning = {
    ...createPlanUpdate({ store, loadTask: shippedTask, answers: async () => [] }),
    ...createCommitPolicy({ store, policies: NO_FOLDER }),
    async applyUpdate({ updateId, policy }: { readonly updateId: string; readonly policy: string }) {
      const { result } = (await store.readUpdate(run, updateId))!;
      if (result !== null) return result;
      trained.push(updateId);
      const made = { ...RESULT, weightsHash: sha256(updateId), trainingState: policy, samplerState: policy };
      await store.moveUpdate(run, updateId, ['planned'], { state: 'applied', result: made });
      return made;
    },
    async publishPolicy({ updateId, policy }: { readonly updateId: string; readonly policy: string }) {
      const served = { baseUrl: null, model: policy };
      await store.moveUpdate(run, updateId, ['applied', 'published'], { state: 'published', served });
      return served;
    },
    verifyPolicy: async () => ({ baseUrl: 'http://127.0.0.1:9/v1', servedAtMs: 0 }),
  };
  const real: { readonly [name: string]: ((input: never) => Promise<unknown>) | undefined } = {
    ...activities,
    ...learning,
  };
  const cast = server.cast(run);
  const played = cast.play.bind(cast);
  cast.play = (name, asked) => played(name, asked, real[name]);
  const workflowId = `run/${run}`;
  const { firstExecutionRunId: first } = await server.client.workflow.start('evolutionRun', {
    ...{ workflowId, taskQueue: 'evolve-workflow' },
    args: [{ run, config: configOf(of) }],
  });
  const handle = server.client.workflow.getHandle(workflowId);
  const ended = (after = ''): Promise<unknown> =>
    until(`run ${run} to end ${after}`, 120_000, async () => {
      const { status } = await handle.describe();
      const document = (await store.readRun(run))!;
      return status.name === 'COMPLETED' && document.status === 'finished' && document.learned === STEPS;
    });
  /** What must not depend on what was done to the run. */
  const outcome = async () => {
    const { policy, learned, training, committedStep, best } = (await store.readRun(run))!;
    const chain = await store.policyChain(policy?.id ?? null);
    expect(await store.listPolicies(run)).toHaveLength(chain.length);
    expect([...trained].sort()).toEqual(chain.map(({ updateId }) => updateId).sort());
    return {
      policies: chain.map(({ version, step, kind, batchHash, reward }) => ({ version, step, kind, batchHash, reward })),
      ...{ learned, training, committedStep, score: best?.score },
    };
  };
  return { run, first, cast, handle, workflowId, ended, outcome };
};

it.concurrent.each(FULL ? ([0, 1] as const) : ([1] as const))(
  'with lag %i: reset by hand, and rewound in the middle of an update',
  async (lag) => {
    const run = await begun(`whole-lag-${lag}`, lag);
    await run.ended();
    const before = await run.outcome();
    expect(before.policies.map(({ version, step, kind }) => [version, step, kind])).toEqual([
      [0, 0, 'start'],
      [1, 1, 'policy'],
      [2, 2, 'policy'],
      [3, 3, 'policy'],
    ]);
    expect(before.training).toEqual({ tokens: 4 * RESULT.tokens, costUsd: (4 * RESULT.tokens) / 1e6 });

    const { events } = await server.client.workflow.getHandle(run.workflowId, run.first).fetchHistory();
    const points = events!
      .filter(({ eventType }) => eventType === TASK_COMPLETED)
      .map(({ eventId }) => Number(eventId));
    for (const point of FULL ? points : [points[lag === 0 ? 0 : Math.floor(points.length / 2)]!]) {
      await server.client.workflowService.resetWorkflowExecution({
        ...{ namespace: 'default', reason: 'a test', requestId: randomUUID() },
        ...{
          workflowExecution: { workflowId: run.workflowId, runId: run.first },
          workflowTaskFinishEventId: point as never,
        },
      });
      await run.ended(`after a reset to event ${point}`);
      expect(await run.outcome(), `event ${point}`).toEqual(before);
    }

    const release = run.cast.hold('publishPolicy', ({ step }) => step === 2);
    const input = { run: run.run, rewind: { toStep: 1 } };
    await server.client.workflow.start('evolutionRun', {
      ...{ workflowId: run.workflowId, taskQueue: 'evolve-workflow', args: [input] },
    });
    const published = run.cast.of('publishPolicy', ({ step }) => step === 2).length;
    await run.cast.asked('publishPolicy', ({ step }) => step === 2, published + 1);
    await run.handle.executeUpdate('rewind', { args: [{ toStep: 2 }] });
    release();
    await run.ended('after two rewinds');
    expect(await run.outcome()).toEqual(before);
  },
);
