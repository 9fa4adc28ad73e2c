// Workflow tasks that failed, which no release and no accident may cause.
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';

/** A task that a message has overtaken is done again, and is no failure of code. */
const { WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND: OVERTAKEN } = proto.temporal.api.enums.v1.WorkflowTaskFailedCause;

/** Where and why tasks failed, over all executions that the server lists for the query. */
export const failedTasks = async (client: Client, query: string): Promise<readonly string[]> => {
  const failed: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const { workflowTaskFailedEventAttributes: failure } of events!)
      if (failure && failure.cause !== OVERTAKEN)
        failed.push(`${workflowId}: ${failure.cause} ${failure.failure?.message}`);
  }
  return failed;
};
