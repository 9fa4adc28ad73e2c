// Workflows of a run and its steps on a Temporal server of the test's own, with activities that the test plays: each
// run has a cast that answers its activities, holds them back or lets them fail, and remembers who was asked what.
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { WorkflowHandle, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { type Payloads, PLAIN_PAYLOADS } from '../../../activities/payloads/payloads.ts';
import type { RunBrief } from '../../../activities/interface/run.ts';
import type { StepPlan } from '../../../activities/interface/step.ts';
import { createGenerateBatch } from '../../../activities/llm/chat/batched.ts';
import { runWorkflowId, stepWorkflowId } from '../../../evolution/ids.ts';
import { QUEUES } from '../../../workflows/engine/queues.ts';
import { internal } from '../../../workflows/engine/form.ts';
import type { StepInput } from '../../../workflows/messages/step-input.ts';
import type { evolutionRun } from '../../../workflows/run/evolution-run.ts';
import type { evolutionStep } from '../../../workflows/step/evolution-step.ts';
import { shippedBundle } from './bundle.ts';
import { until } from '../machine/home.ts';
import { localTemporal } from './temporal-server.ts';

/** What an activity was asked: all that any of them takes. */
export type Asked = {
  readonly run: string;
  readonly step: number;
  readonly group: number;
  readonly stage: string;
  readonly slot: number;
  readonly slots: readonly number[];
  readonly first: number;
  readonly count: number;
  readonly island: number;
  readonly ahead: { readonly island: number; readonly told?: unknown };
  readonly told: unknown;
  readonly [key: string]: unknown;
};
type Play = (asked: Asked) => unknown;
type Plays = { readonly [activity: string]: Play };
export type Call = {
  readonly activity: string;
  readonly asked: Asked;
  /** The id of the workflow that asked. */
  readonly workflow: string;
  ended: boolean;
};

/** A queue of evaluations that few hosts poll. */
export const GPU_QUEUE = 'evolve-eval-gpu';

const ACTIVITIES = {
  [QUEUES.db]: [
    'openRun',
    'markRun',
    'endRun',
    'planStep',
    'requireHost',
    'planIsland',
    'planOverlapping',
    'applyResponses',
    'advance',
    'initialIdea',
    'changeSettings',
    'injectProgram',
    'updateTask',
    'resample',
    'commitStep',
    'turnStream',
    'writeResults',
    'planUpdate',
    'commitPolicy',
  ],
  [QUEUES.llm]: ['ask', 'generate', 'generateBatch', 'embed', 'verifyPolicy'],
  [QUEUES.eval]: ['evaluate', 'evaluateHidden'],
  [GPU_QUEUE]: ['evaluate'],
  [QUEUES.rl]: ['applyUpdate', 'publishPolicy'],
  [QUEUES.sweep]: ['openSweep', 'awaitRuns', 'markSweep', 'endSweep'],
};

/** The run whose activity it is; of a sweep, its name, with which the names of its runs begin. */
const castOf = ({ run, sweep, spec, runs }: Asked): string =>
  run ??
  (sweep as string | undefined) ??
  (spec as { name: string } | undefined)?.name ??
  (runs as string[])[0]!.split('.')[0]!;

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);

export const PLAN: StepPlan = {
  generation: 1,
  epoch: 0,
  version: 1,
  injected: 0,
  evaluate: [],
  groups: 2,
  responses: 2,
  perRequest: 2,
  done: null,
};

const totals = (step: number) => ({ programs: step, valid: step, failures: {}, tokens: { in: 0, out: 0 }, costUsd: 0 });

export const BRIEF = {
  configVersion: 1,
  model: 'm',
  batch: 2,
  responses: 2,
  limits: { steps: 1, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null },
  task: 't',
  method: 'code',
  direction: 'maximize',
  seed: 1,
  sweep: null,
  committedStep: 0,
  totals: { ...totals(0), sinceBest: 0 },
  paid: { tokens: 0, costUsd: 0, programs: 0 },
  best: null,
  createdAtMs: 0,
  pausedMs: 0,
};

/** What a run tells a step, without limits. */
const STEP_INPUT = internal({
  ...{ batching: { size: 4, inFlight: 4 }, budget: null, window: null, continues: null },
});

/** A turn of a stream that commits all that it is given. */
export const turned = ({ step, commit, further = [] }: Asked) => {
  const committed = (commit === undefined ? [] : [commit, ...(further as readonly unknown[])]) as {
    groups: number[];
  }[];
  const [first, ...more] = committed.map(({ groups }, index) => ({ summary: summaryOf(step + index), groups }));
  return { ...(first ?? { summary: null, groups: [] }), ...(more.length > 0 && { further: more }), preludes: [] };
};

/** Everything goes well, at once. */
const wellPlayed = (plan: StepPlan, brief: object): Plays => ({
  openRun: ({ run }) => ({ ...BRIEF, run, ...brief }) as unknown as RunBrief,
  markRun: () => undefined,
  endSweep: () => null,
  writeResults: () => ({ host: 'h', directory: '/r', failure: null }),
  endRun: () => null,
  planStep: () => plan,
  requireHost: () => undefined,
  planIsland: ({ island }) => ({
    groups: range(0, plan.groups).filter((group) => group % plan.window!.islands! === island),
    preludes: [],
  }),
  planOverlapping: () => ({ groups: range(0, plan.groups), preludes: [] }),
  ask: () => ({ tokens: 1, costUsd: 0 }),
  advance: () => ({ next: null, refused: false }),
  generate: ({ group, first, count }) => ({
    stored: range(group * plan.responses + first, count),
    missing: [],
    tokens: count,
    costUsd: 0,
  }),
  applyResponses: ({ slots }) => ({ evaluate: slots }),
  embed: ({ slots }) => ({ evaluate: slots, tokens: slots.length, costUsd: 0 }),
  evaluate: ({ slots }) => ({ evaluated: slots.length }),
  initialIdea: () => undefined,
  commitStep: ({ step }) => summaryOf(step),
  turnStream: turned,
});

const summaryOf = (step: number) => ({
  step,
  generation: 1,
  totals: { ...totals(step), sinceBest: 0 },
  best: null,
  paid: { tokens: 0, costUsd: 0, programs: 0 },
  populationSize: 1,
  evaluationMs: null,
});

/** Ends the activity for good: its phase parks. */
export const refusal = (message: string, type = 'ModelRefused'): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, type);

/** Fails the attempt; the next one is to come after this time. */
export const retried = (message: string, afterMs: number): ApplicationFailure =>
  ApplicationFailure.create({ message, nextRetryDelay: afterMs });

type Is = (asked: Asked) => boolean;

export class Cast {
  readonly calls: Call[] = [];
  readonly run: string;
  readonly #plays: Plays;
  #holds: { readonly activity: string; readonly is: Is; readonly open: Promise<void> }[] = [];

  constructor(run: string, plays: Plays) {
    this.run = run;
    this.#plays = plays;
  }

  /** With `real`, what ships answers, and this only remembers the call and holds it back. */
  async play(activity: string, asked: Asked, real?: (input: never) => Promise<unknown>): Promise<unknown> {
    const workflow = Context.current().info.workflowExecution!.workflowId;
    const call: Call = { activity, asked, workflow, ended: false };
    this.calls.push(call);
    for (const { open, ...hold } of this.#holds) if (hold.activity === activity && hold.is(asked)) await held(open);
    const answer = await (real === undefined ? this.#plays[activity]!(asked) : real(asked as never));
    call.ended = true;
    return answer;
  }

  /** Holds such calls back until the returned function is called. */
  hold(activity: string, is: Is = () => true): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#holds.push({ activity, is, open: promise });
    return resolve;
  }

  of(activity: string, is: Is = () => true): readonly Call[] {
    return this.calls.filter((call) => call.activity === activity && is(call.asked));
  }

  /** Waits until so many such calls have come. */
  async asked(activity: string, is: Is = () => true, times = 1): Promise<void> {
    await until(`${times} x ${activity} of ${this.run}`, 60_000, async () => this.of(activity, is).length >= times);
  }

  /** All of which an activity was asked, one list: `slots`, mostly. */
  slots(activity: string, is: Is = () => true): readonly number[] {
    return this.of(activity, is)
      .flatMap(({ asked }) => asked.slots)
      .sort((a, b) => a - b);
  }
}

/** Alive as real activities are, and cancelled as they are. */
const held = async (open: Promise<void>): Promise<void> => {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), 1_000);
  await Promise.race([open, context.cancelled]).finally(() => clearInterval(beat));
};

type StepHandle = WorkflowHandle<typeof evolutionStep>;

/**
 * `suggestAt`: the length of a history at which the server suggests to continue as new. `payloads`: how client and
 * workers encrypt.
 */
export const conductorWorld = ({
  suggestAt,
  payloads: { ofClient, ofWorker } = PLAIN_PAYLOADS,
}: { readonly suggestAt?: number; readonly payloads?: Payloads } = {}) => {
  const casts = new Map<string, Cast>();
  let env: TestWorkflowEnvironment;
  let workers: Worker[];
  let running: Promise<unknown>;

  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    env = await localTemporal({ suggestAt, dataConverter: ofClient });
    const common = { connection: env.nativeConnection, dataConverter: ofWorker, shutdownForceTime: '1s' } as const;
    const workflowBundle = await shippedBundle();
    const playing = (name: string) => (asked: Asked) => casts.get(castOf(asked))!.play(name, asked);
    workers = await Promise.all([
      Worker.create({ ...common, taskQueue: QUEUES.workflow, workflowBundle }),
      ...Object.entries(ACTIVITIES).map(([taskQueue, names]) =>
        Worker.create({
          ...common,
          taskQueue,
          activities: Object.fromEntries(names.map((name) => [name, playing(name)])),
          maxConcurrentActivityTaskExecutions: 200,
        }),
      ),
    ]);
    running = Promise.all(workers.map((worker) => worker.run()));
  });

  afterAll(async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await env.teardown();
  });

  return {
    cast(run: string, plan: Partial<StepPlan> = {}, plays: Plays = {}, brief: object = {}): Cast {
      const cast: Cast = new Cast(run, {
        ...wellPlayed({ ...PLAN, ...plan }, brief),
        // As the model's worker does it, each request played as one of its own.
        ...(createGenerateBatch({
          generate: (request) => cast.play('generate', request as never) as never,
          applyResponses: (answers) => cast.play('applyResponses', answers as never) as never,
          report: ({ workflowId, runId }, outcomes) =>
            env.client.workflow.getHandle(workflowId, runId).signal('answersReceived', internal({ outcomes })),
        }) as unknown as Plays),
        ...plays,
      });
      casts.set(run, cast);
      return cast;
    },
    step({ run }: Cast, input: Partial<StepInput> = {}): Promise<StepHandle> {
      const step = input.step ?? 1;
      return env.client.workflow.start<typeof evolutionStep>('evolutionStep', {
        workflowId: stepWorkflowId(run, step),
        taskQueue: QUEUES.workflow,
        args: [{ ...STEP_INPUT, run, step, owner: randomUUID(), ...input }],
      });
    },
    start({ run }: Cast): Promise<WorkflowHandleWithFirstExecutionRunId<typeof evolutionRun>> {
      return env.client.workflow.start<typeof evolutionRun>('evolutionRun', {
        workflowId: runWorkflowId(run),
        taskQueue: QUEUES.workflow,
        args: [{ run }],
      });
    },
    get client() {
      return env.client;
    },
    get connection() {
      return env.connection;
    },
    history: async (handle: WorkflowHandle): Promise<string> => historyToJSON(await handle.fetchHistory()),
  };
};
