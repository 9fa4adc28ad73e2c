// A worker process runs its workers until SIGTERM or SIGINT, then drains and closes them. Its activities send heartbeats. A worker that fails ends the process, and the supervisor starts it again.
import type { Context } from '@temporalio/activity';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next, Worker } from '@temporalio/worker';
import { type Payloads, PLAIN_PAYLOADS } from '../../activities/payloads/payloads.ts';
import { heartbeatDetails } from '../../activities/telemetry/heartbeat-details.ts';
import { SchemaError } from '../../activities/store/documents/errors.ts';
import type { Standing } from '../../activities/sweep/rungs.ts';
import { AT_REST } from '../../workflows/messages/run-input.ts';
import { hands } from './again.ts';
import type { Engine } from './connect.ts';

/** Work that has not drained so long after its grace is left: others take it when its heartbeats end. */
const LEFT_BEHIND_MS = 10_000;

export const runUntilStopped = async (options: {
  readonly workers: readonly Worker[];
  /** Seconds that running activities have to finish. Those that have not are cancelled, and are tried again elsewhere. */
  readonly grace: number;
  /** Is given what runs a further worker of this process, which drains with the others. */
  readonly started?: (add: (worker: Worker) => void) => void;
  readonly close: () => Promise<void>;
}): Promise<void> => {
  let stopping = false;
  let stop: () => void = () => undefined;
  const workers = [...options.workers];
  // A process that has nothing to poll yet stays until it is asked to end.
  const running: Promise<void>[] = [new Promise((resolve) => (stop = resolve))];
  /** Rejects when any worker fails, also one that began later than those that are waited for at first. */
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  const run = (worker: Worker): void => {
    const ended = worker.run();
    ended.catch(fail);
    running.push(ended);
  };
  const shutdown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    if (stopping) return;
    stopping = true;
    stop();
    setTimeout(
      () => {
        console.error(`ending: what still runs ${options.grace} s after it was asked to stop is tried again elsewhere`);
        process.exit(0);
      },
      options.grace * 1000 + LEFT_BEHIND_MS,
    ).unref();
  };
  process.on('SIGTERM', shutdown);
  process.on('SIGINT', shutdown);
  console.log(`ready: ${options.workers.map((worker) => worker.options.taskQueue).join(', ')} (pid ${process.pid})`);
  try {
    for (const worker of workers) run(worker);
    options.started?.((worker) => {
      if (stopping) return;
      workers.push(worker);
      run(worker);
    });
    for (let waited = 0; waited < running.length;) {
      waited = running.length;
      await Promise.race([Promise.all(running), failed]);
    }
    await options.close();
    process.exit(0);
  } catch (error) {
    console.error('a worker failed:', error);
    process.exit(1);
  }
};

/** The standing of the newest execution of a workflow, for the activities of sweeps. */
export const standingIn = (
  { connection, namespace }: Engine,
  { ofClient }: Pick<Payloads, 'ofClient'> = PLAIN_PAYLOADS,
): ((workflowId: string) => Promise<Standing>) => {
  const client = new Client({ connection, namespace, dataConverter: ofClient });
  return async (workflowId) => {
    try {
      const { status, memo } = await client.workflow.getHandle(workflowId).describe();
      const { name } = status;
      // An execution at its end needs a moment to say so, and is no longer at work.
      if (memo?.[AT_REST] === true) return 'closed';
      return name === 'RUNNING' || name === 'PAUSED' ? 'open' : name === 'TERMINATED' ? 'terminated' : 'closed';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'closed';
      throw error;
    }
  };
};

/** Leaves 2 s of the shortest heartbeat timeout (workflows/engine/heartbeat.ts) to the way. Shorter activities send no heartbeat. */
const INTERVAL_MS = 3_000;
/** By default the SDK holds heartbeats back until 0.8 of their timeout are over, which would leave one second. */
export const HEARTBEATS = { maxHeartbeatThrottleInterval: INTERVAL_MS / 2 } as const;

/**
 * A newer version works in the database, so this process takes nothing more and ends as after SIGTERM. The next one is
 * refused when it starts (activities/store/documents/schema.ts).
 */
const endForNewer = (error: unknown): void => {
  if (!(error instanceof SchemaError)) return;
  console.error(`ending: ${error.message}`);
  process.kill(process.pid, 'SIGTERM');
};

/** Sends heartbeats for every activity, so that the work of a killed worker is noticed within the heartbeat timeout. */
export const heartbeating = (context: Context): { inbound: ActivityInboundCallsInterceptor } => ({
  inbound: {
    async execute(
      input: ActivityExecuteInput,
      next: Next<ActivityInboundCallsInterceptor, 'execute'>,
    ): Promise<unknown> {
      const timer = setInterval(() => {
        const details = heartbeatDetails(context);
        context.heartbeat(...(details.length === 0 ? [] : [details]));
      }, INTERVAL_MS);
      try {
        return await hands.hold(() => next(input));
      } catch (error) {
        endForNewer(error);
        throw error;
      } finally {
        clearInterval(timer);
      }
    },
  },
});
