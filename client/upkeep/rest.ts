// The last executions of runs (workflows/run/rest.ts) and sweeps in the engine. A run or sweep that was ended from
// outside gets one, and one that is no more the present row is deleted. Nothing else is ever deleted.
import type { Client } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { RUN_WORKFLOW, runWorkflowId, SWEEP_WORKFLOW, sweepWorkflowId, WORKFLOW_QUEUE } from '../../evolution/ids.ts';
import { ATTRIBUTES } from '../../workflows/engine/attributes.ts';
import { cut } from '../../workflows/engine/telling.ts';
import { internal } from '../../workflows/engine/form.ts';
import type { Rest } from '../../workflows/messages/run-input.ts';
import type { SweepCarry } from '../../workflows/messages/sweep-input.ts';
import { AT_REST, isAlreadyStarted, isAtRest } from '../temporal/workflow.ts';

type Start = {
  readonly type: string;
  readonly id: string;
  readonly args: readonly unknown[];
  readonly attributes: SearchAttributePair[];
};

/** The reason of a person, and what the server says of who it was, may have any length. The input must be taken. */
const REASON_BYTES = 1_000;

/**
 * Starts the last execution of a run that was ended from outside; it writes down the end. False where the run has an
 * open execution already, because somebody was faster. Takes some milliseconds of a worker, or waits for one.
 */
export const startRest = (client: Client, run: string, reason: string): Promise<boolean> => {
  const rest = internal<Rest>({
    status: 'terminated',
    reason: cut(reason, REASON_BYTES),
    unwritten: true,
    brief: null,
  });
  const attributes = [{ key: ATTRIBUTES.run, value: run }];
  return startResting(client, { type: RUN_WORKFLOW, id: runWorkflowId(run), args: [{ run, rest }], attributes });
};

/** The same for a sweep. */
export const startSweepRest = (client: Client, name: string, reason: string): Promise<boolean> => {
  const rest = { status: 'terminated', reason: cut(reason, REASON_BYTES) } as const;
  const carry: SweepCarry = internal({ startedAtMs: 0, paused: null, rest });
  const attributes = [{ key: ATTRIBUTES.sweep, value: name }];
  return startResting(client, { type: SWEEP_WORKFLOW, id: sweepWorkflowId(name), args: [{ name }, carry], attributes });
};

const startResting = async (client: Client, { type, id, args, attributes }: Start): Promise<boolean> => {
  try {
    await client.workflow.start(type, {
      workflowId: id,
      taskQueue: WORKFLOW_QUEUE,
      args: [...args],
      memo: { [AT_REST]: true },
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      typedSearchAttributes: [...attributes, { key: ATTRIBUTES.status, value: 'terminated' }],
    });
    return true;
  } catch (error) {
    if (isAlreadyStarted(error)) return false;
    throw error;
  }
};

/**
 * Deletes the last executions of this workflow id that are not the `present` one any more. They did no work and hold
 * nothing. A server that refuses it keeps them, and its lists show them until their retention is over.
 */
export const deleteRests = async (client: Client, workflowId: string, present: string): Promise<void> => {
  const query = `WorkflowId = "${workflowId}" AND ExecutionStatus = "Completed"`;
  for await (const { runId, memo } of client.workflow.list({ query }))
    if (runId !== present && isAtRest(memo))
      await client.workflowService
        .deleteWorkflowExecution({ namespace: client.options.namespace, workflowExecution: { workflowId, runId } })
        .catch(() => undefined);
};
