// The form *Start Workflow* of the Temporal UI fills itself from an execution that exists, and from nothing else. So
// there is one that no worker ever ran: it was terminated at once, and no view shows it.
import type { Engine } from '../connect/connection.ts';
import type { TemporalUi } from '../connect/connection.ts';
import { workflowsUrl } from './ui-views.ts';
import { isAlreadyStarted } from './workflow.ts';
import { RUN_WORKFLOW, WORKFLOW_QUEUE } from '../../evolution/ids.ts';

const FORM_ID = 'durable-evolve/start-a-run';
/** No worker polls this queue. */
const QUEUE = 'durable-evolve-installation';
const MEMO = 'EvoStartForm';
const INPUT = { run: 'my-run', config: { task: 'circle-packing-square-26', limits: { steps: 20 } } };

/** The form's address, with task queue, type and input filled in. Null where the engine does not let us fill it. */
export const startFormUrl = async (engine: Pick<Engine, 'client'>, ui: TemporalUi): Promise<string | null> => {
  const runId = (await filledForm(engine)) ?? (await fillForm(engine));
  if (runId === null) return null;
  const parameters = new URLSearchParams({ workflowType: RUN_WORKFLOW, taskQueue: WORKFLOW_QUEUE, runId });
  return `${workflowsUrl(ui)}/start-workflow?${parameters.toString()}`;
};

/** The newest one with today's input. An old one goes when its retention is over. */
const filledForm = async ({ client }: Pick<Engine, 'client'>): Promise<string | null> => {
  const query = `WorkflowId = "${FORM_ID}" AND ExecutionStatus = "Terminated"`;
  for await (const { runId, memo } of client.workflow.list({ query }))
    if (memo?.[MEMO] === JSON.stringify(INPUT)) return runId;
  return null;
};

const fillForm = async ({ client }: Pick<Engine, 'client'>): Promise<string | null> => {
  try {
    const { firstExecutionRunId } = await client.workflow.start(RUN_WORKFLOW, {
      workflowId: FORM_ID,
      taskQueue: QUEUE,
      args: [INPUT],
      memo: { [MEMO]: JSON.stringify(INPUT) },
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
    await client.workflow.getHandle(FORM_ID).terminate('the form *Start Workflow* is filled from it; it does no work');
    return firstExecutionRunId;
  } catch (error) {
    if (isAlreadyStarted(error)) return null;
    throw error;
  }
};
