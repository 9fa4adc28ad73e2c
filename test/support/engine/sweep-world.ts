// Sweeps and their runs on a Temporal server of the test's own, over the store in memory: the workflows and the
// activities of runs and sweeps are those that ship, and a step commits numbers that the test chooses.
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { StepPlan } from '../../../activities/interface/step.ts';
import { createResults } from '../../../activities/results/write-results.ts';
import { createRunActivities } from '../../../activities/run/open-run.ts';
import { summaryOf } from '../../../activities/run/step-summary.ts';
import { createSweepActivities } from '../../../activities/sweep/index.ts';
import { createAwaitRuns } from '../../../activities/sweep/rungs.ts';
import { shippedTask } from '../domain/shipped-tasks.ts';
import { runReport } from '../../../client/read/report.ts';
import { runWorkflowId, sweepWorkflowId } from '../../../evolution/ids.ts';
import { standingIn } from '../../../workers/process/process.ts';
import { installRuntime } from '../../../workers/telemetry/telemetry.ts';
import { QUEUES } from '../../../workflows/engine/queues.ts';
import { commitOf } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { type Bundle, shippedBundle } from './bundle.ts';
import { until } from '../machine/home.ts';
import { localTemporal } from './temporal-server.ts';
import { edited, type Served, type Serving, serving } from './serving.ts';

/** So often a step that is held says that it is alive, which is also how it learns that it was cancelled. */
const BEAT_MS = 200;

type WorldOptions = {
  /** The length of a history at which the server suggests to continue as new. */
  readonly suggestAt?: number;
  /** Further settings of the server: `name=value`. */
  readonly server?: readonly string[];
  /** A text of the bundle that ships, and what stands there instead. */
  readonly edit?: Served['edit'];
  /** No worker runs workflows until the test says which version of them (`serve`). */
  readonly versions?: boolean;
  /** The SDK serves its metrics, as it does in workers that ship. */
  readonly metrics?: boolean;
};

export const sweepWorld = ({ suggestAt, server = [], edit, versions = false, metrics = false }: WorldOptions = {}) => {
  const store = memoryStore();
  /** Every step that was begun, which is where a run pays. */
  const begun: { readonly run: string; readonly step: number }[] = [];
  const opened: string[] = [];
  /** Where runs leave their files. */
  const directory = mkdtempSync(join(tmpdir(), 'evolve-runs-'));
  let holds: (run: string, step: number) => boolean = () => false;
  let fails: (run: string, step: number) => boolean = () => false;
  /** Wakes the steps that wait, so that they need not look again and again whether they are still held. */
  let released = Promise.withResolvers<void>();
  const holdThose = (is: typeof holds): void => {
    holds = is;
    released.resolve();
    released = Promise.withResolvers<void>();
  };
  let env: TestWorkflowEnvironment;
  let sdkPort: number | null = null;
  let workers: Worker[];
  let running: Promise<unknown>;
  let bundle: Bundle;
  const servers: Serving[] = [];
  const kept = (one: Serving): Serving => {
    servers.push(one);
    return one;
  };

  const planStep = async ({ run, step, owner }: { run: string; step: number; owner: string }): Promise<StepPlan> => {
    const generation = await store.openStep(run, step, owner);
    begun.push({ run, step });
    if (fails(run, step)) throw ApplicationFailure.nonRetryable('the test lets it fail', 'ModelRefused');
    // Alive as real activities are, and cancelled as they are.
    while (holds(run, step)) {
      Context.current().heartbeat();
      await Promise.race([released.promise, Context.current().sleep(BEAT_MS)]);
    }
    const document = (await store.readRun(run))!;
    if (document.committedStep < step) {
      const commit = commitOf(run, step, generation);
      // The best of a run is its seed, so that the configurations differ.
      const score = document.config.seed + step / 10;
      await store.commit({ ...commit, totals: { ...commit.totals, costUsd: step }, best: { ...commit.best!, score } });
    }
    const done = await summaryOf(store, (await store.readRun(run))!, step, generation);
    return { generation, done } as StepPlan;
  };

  beforeAll(async () => {
    sdkPort = await installRuntime(new DefaultLogger('ERROR'), metrics);
    env = await localTemporal({ settings: server, suggestAt });
    const common = { connection: env.nativeConnection, shutdownForceTime: '1s' } as const;
    const standing = standingIn({ connection: env.connection, namespace: 'default' } as never);
    const deps = { store, loadTask: shippedTask, standing };
    const runs = createRunActivities(deps);
    bundle = { code: edited((await shippedBundle()).code, edit) };
    workers = await Promise.all([
      ...(versions ? [] : [Worker.create({ ...common, taskQueue: QUEUES.workflow, workflowBundle: bundle })]),
      Worker.create({
        ...common,
        taskQueue: QUEUES.db,
        activities: {
          ...runs,
          ...createResults({ ...deps, directory, report: (run) => runReport(run, new Date(), null) }),
          planStep,
          async openRun(input: Parameters<typeof runs.openRun>[0]) {
            opened.push(input.run);
            return runs.openRun(input);
          },
        },
      }),
      Worker.create({
        ...common,
        taskQueue: QUEUES.sweep,
        activities: {
          ...createSweepActivities(deps),
          ...createAwaitRuns({ ...deps, pollMs: 100, patienceMs: 1_000 }),
        },
      }),
    ]);
    running = Promise.all(workers.map((worker) => worker.run()));
  });

  afterAll(async () => {
    holdThose(() => false);
    await Promise.all(servers.map((one) => one.stop()));
    for (const worker of workers) worker.shutdown();
    await running;
    await env.teardown();
    rmSync(directory, { recursive: true, force: true });
  });

  return {
    store,
    begun,
    opened,
    directory,
    get client() {
      return env.client;
    },
    get engine() {
      return { connection: env.connection, namespace: 'default' };
    },
    /** What the SDK answers at /metrics. */
    async sdkMetrics(): Promise<string> {
      return (await fetch(`http://127.0.0.1:${sdkPort}/metrics`)).text();
    },
    /** Steps for which this is true wait before they commit. */
    hold: holdThose,
    /** Steps for which this is true are parked. */
    fail(is: (run: string, step: number) => boolean): void {
      fails = is;
    },
    get connection() {
      return env.connection;
    },
    /** Runs a version of the workflows, as a process with the role `engine` does. */
    serve: (served: Served): Promise<Serving> => serving(env, bundle.code, served).then(kept),
    /** As the UI's form starts it: one JSON object, under any id. */
    start(spec: object, workflowId: string): Promise<WorkflowHandle> {
      return env.client.workflow.start('sweep', { workflowId, taskQueue: QUEUES.workflow, args: [spec] });
    },
    /** As `evolve resume` starts it. */
    startRun: (run: string): Promise<WorkflowHandle> =>
      env.client.workflow.start('evolutionRun', {
        workflowId: runWorkflowId(run),
        taskQueue: QUEUES.workflow,
        args: [{ run }],
      }),
    /** The first execution of a workflow. */
    async firstOf(workflowId: string) {
      const { raw } = await env.client.workflow.getHandle(workflowId).describe();
      const runId = raw.workflowExecutionInfo!.firstRunId!;
      return { runId, history: await env.client.workflow.getHandle(workflowId, runId).fetchHistory() };
    },
    /** What the UI shows on the workflow's page. */
    async page(workflowId: string): Promise<string> {
      const about = await env.client.workflow
        .getHandle(workflowId)
        .query<{ readonly currentDetails: string }>('__temporal_workflow_metadata');
      return about.currentDetails;
    },
    /** As the UI resets a workflow to the completion of a workflow task. */
    async reset(workflowId: string, runId: string, eventId: number): Promise<void> {
      await env.client.workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId, runId },
        workflowTaskFinishEventId: eventId as never,
        requestId: randomUUID(),
        reason: 'a test',
      });
    },
    sweep: (name: string): WorkflowHandle => env.client.workflow.getHandle(sweepWorkflowId(name)),
    run: (run: string): WorkflowHandle => env.client.workflow.getHandle(runWorkflowId(run)),
    /** The ids of the sweep's runs, once it is open. */
    runsOf: (name: string): Promise<readonly string[]> =>
      until(`sweep ${name} to be open`, 60_000, async () => {
        const runs = (await store.readSweep(name))?.runs.map(({ run }) => run);
        return runs ?? false;
      }),
    steps: (run: string): number => begun.filter((one) => one.run === run).length,
  };
};

/** Two seeds of one configuration, four steps each. */
export const swept = (name: string, more: object = {}): object => ({
  name,
  base: { task: 'circle-packing-square-26', batch: 2, responses: 2, limits: { steps: 3 } },
  seeds: [1, 2],
  ...more,
});
