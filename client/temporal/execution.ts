// One execution of a workflow as the engine knows it: whether it is open, how and by whom it was ended, what is
// pending.
import { type ProtoFailure, TemporalFailure } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import proto from '@temporalio/proto';
import type { Engine } from '../connect/connection.ts';
import { isNotFound } from './workflow.ts';

type Asked = Pick<Engine, 'client' | 'namespace'>;

type PendingActivity = {
  readonly activity: string;
  /** Counts from 1. */
  readonly attempt: number;
  readonly lastFailure: string | null;
  readonly paused: boolean;
  /** Since when no worker has it; null where one has. */
  readonly waitsSince: Date | null;
};

export type Execution = {
  readonly runId: string;
  /** RUNNING, COMPLETED, FAILED, CANCELLED, TERMINATED, CONTINUED_AS_NEW, TIMED_OUT, PAUSED. */
  readonly state: string;
  readonly startedAt: Date;
  readonly closedAt: Date | null;
  /** The actor and the reason of its end: `terminated by alice@host: test`. Null while open and where it completed. */
  readonly ending: string | null;
  /** The execution that a reset put in its place. */
  readonly resetTo: string | null;
  readonly pending: readonly PendingActivity[];
  /** Attempts at the present workflow task. More than a few mean that the workflow's code fails. */
  readonly taskAttempts: number;
  /** The failure of the first of these attempts; null where none failed, or where it is not known. */
  readonly taskFailure: { readonly message: string; readonly diverges: boolean } | null;
  /** The version of the workflows on which it is. Null: it has none. */
  readonly version: string | null;
};

/** Some may meet a worker that ends. */
const USUAL_ATTEMPTS = 3;
/** True where the code of a workflow fails at every task. A history that does not replay once never does. */
export const codeFails = ({ taskAttempts, taskFailure }: Execution): boolean =>
  taskAttempts > USUAL_ATTEMPTS || taskFailure?.diverges === true;

/** The newest execution of this id, or the one that `runId` names. Null where the engine knows none. */
export const readExecution = async (engine: Asked, workflowId: string, runId?: string): Promise<Execution | null> => {
  try {
    const {
      raw,
      status,
      runId: found,
      startTime,
      closeTime,
    } = await engine.client.workflow.getHandle(workflowId, runId).describe();
    const pending = await Promise.all(
      (raw.pendingActivities ?? []).map(async (one) => ({
        activity: one.activityType?.name ?? 'an activity',
        attempt: one.attempt ?? 1,
        lastFailure: one.lastFailure ? await deepest(engine, one.lastFailure) : null,
        paused: one.paused ?? false,
        waitsSince: one.state === SCHEDULED && one.scheduledTime ? new Date(tsToMs(one.scheduledTime)) : null,
      })),
    );
    const ended = !['RUNNING', 'PAUSED', 'COMPLETED', 'CONTINUED_AS_NEW'].includes(status.name);
    const taskAttempts = raw.pendingWorkflowTask?.attempt ?? 0;
    const { deploymentVersion, versioningOverride } = raw.workflowExecutionInfo?.versioningInfo ?? {};
    return {
      runId: found,
      state: status.name,
      startedAt: startTime,
      closedAt: closeTime ?? null,
      ending: ended ? await readEnding(engine, workflowId, found) : null,
      resetTo: raw.workflowExtendedInfo?.resetRunId || null,
      pending,
      taskAttempts,
      taskFailure: taskAttempts > 1 ? await readTaskFailure(engine, workflowId, found) : null,
      version: versioningOverride?.pinned?.version?.buildId || deploymentVersion?.buildId || null,
    };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
};

const EARLIER = 20;

/** Executions of this id that somebody ended or reset, newest first and without the present one. */
export const readEarlier = async (
  engine: Asked,
  workflowId: string,
  present: string | null,
): Promise<readonly Execution[]> => {
  const closed: { readonly runId: string; readonly startTime: Date }[] = [];
  const query = `WorkflowId = "${workflowId}" AND ExecutionStatus IN ("Terminated", "Failed", "Canceled", "TimedOut")`;
  for await (const { runId, startTime } of engine.client.workflow.list({ query })) {
    if (runId !== present) closed.push({ runId, startTime });
    if (closed.length >= EARLIER) break;
  }
  closed.sort((a, b) => b.startTime.getTime() - a.startTime.getTime());
  const executions = await Promise.all(closed.map(({ runId }) => readExecution(engine, workflowId, runId)));
  return executions.filter((one) => one !== null);
};

/** HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT of the API. */
const CLOSE_EVENT = 2;

/** Reads only the last event, because histories can be long. */
const readEnding = async ({ client, namespace }: Asked, workflowId: string, runId: string): Promise<string | null> => {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId, runId },
    historyEventFilterType: CLOSE_EVENT,
  });
  const event = history?.events?.at(-1);
  const terminated = event?.workflowExecutionTerminatedEventAttributes;
  if (terminated)
    return `terminated by ${terminated.identity || 'somebody'}${terminated.reason ? `: ${terminated.reason}` : ', no reason given'}`;
  if (event?.workflowExecutionCanceledEventAttributes) return 'cancelled in the workflow engine';
  if (event?.workflowExecutionTimedOutEventAttributes) return 'ended by a time-out';
  const failure = event?.workflowExecutionFailedEventAttributes?.failure;
  return failure ? `failed: ${await deepest({ client }, failure)}` : null;
};

const { PENDING_ACTIVITY_STATE_SCHEDULED: SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;
const { WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR: DIVERGES } =
  proto.temporal.api.enums.v1.WorkflowTaskFailedCause;

/** The server notes the first of several failed attempts alone, and nothing else comes after it. */
const readTaskFailure = async (
  { client, namespace }: Asked,
  workflowId: string,
  runId: string,
): Promise<Execution['taskFailure']> => {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId, runId },
    maximumPageSize: 10,
  });
  const last = history?.events?.find(
    (event) => event.workflowTaskFailedEventAttributes ?? event.workflowTaskCompletedEventAttributes,
  );
  const { cause, failure } = last?.workflowTaskFailedEventAttributes ?? {};
  if (!failure) return null;
  const [message = ''] = (await deepest({ client }, failure)).split('\n');
  return { message, diverges: cause === DIVERGES };
};

/** The message at the root of a chain of failures, because the wrappers only say that something failed. */
const deepest = async ({ client }: Pick<Asked, 'client'>, failure: ProtoFailure): Promise<string> => {
  const error = await decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, failure);
  let root = error;
  while (root?.cause instanceof TemporalFailure) root = root.cause;
  return root?.message || error?.message || 'no message';
};
