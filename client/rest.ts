// The last executions of runs (workflows/run/rest.ts) in the engine: a run that was ended from outside is given one, and
// one that stands in the way of the run's present row is deleted. Nothing else is ever deleted.
import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../evolution/ids.ts';
import { ATTRIBUTES } from '../workflows/engine/attributes.ts';
import type { Rest } from '../workflows/messages/run-input.ts';
import { AT_REST, isAlreadyStarted, isAtRest, RUN_WORKFLOW, WORKFLOW_QUEUE } from './workflow.ts';

/**
 * Starts the last execution of a run that was ended from outside; it writes down the end. False where the run has an
 * open execution already, because somebody was faster. Takes some milliseconds of a worker, or waits for one.
 */
export const startRest = async (client: Client, run: string, reason: string): Promise<boolean> => {
  const rest: Rest = { status: 'terminated', reason, unwritten: true };
  try {
    await client.workflow.start(RUN_WORKFLOW, {
      workflowId: runWorkflowId(run),
      taskQueue: WORKFLOW_QUEUE,
      args: [{ run, rest }],
      memo: { [AT_REST]: true },
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      typedSearchAttributes: [
        { key: ATTRIBUTES.run, value: run },
        { key: ATTRIBUTES.status, value: rest.status },
      ],
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
