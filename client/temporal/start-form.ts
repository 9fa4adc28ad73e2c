// The form *Start Workflow* of the Temporal UI fills itself from an execution that exists, and otherwise from the last one
// of the type, with its search attributes. So there is one of each type that no worker ever ran and that has no
// attributes: it was terminated at once, and no view shows it.
import type { Engine } from '../connect/connection.ts';
import type { TemporalUi } from '../connect/connection.ts';
import { workflowsUrl } from './ui-views.ts';
import { isAlreadyStarted } from './workflow.ts';
import { RUN_WORKFLOW, SWEEP_WORKFLOW, WORKFLOW_QUEUE } from '../../evolution/ids.ts';

const SETTINGS = { task: 'circle-packing-square-26', limits: { steps: 20 } };
/** `starts` is the workflow id for what the form starts as it is filled in. */
export const START_FORMS = {
  run: {
    id: 'durable-evolve/start-a-run',
    type: RUN_WORKFLOW,
    starts: 'run/my-run',
    input: { run: 'my-run', config: SETTINGS },
  },
  sweep: {
    id: 'durable-evolve/start-a-sweep',
    type: SWEEP_WORKFLOW,
    starts: 'sweep/my-sweep',
    input: { name: 'my-sweep', base: SETTINGS, grid: { batch: [4, 8] }, seeds: [1, 2] },
  },
} as const;
export type StartForm = keyof typeof START_FORMS;
/** No worker polls this queue. */
const QUEUE = 'durable-evolve-installation';
const MEMO = 'EvoStartForm';

/** The form's address, with task queue, type and input filled in. Null where the engine does not let us fill it. */
export const startFormUrl = async (
  engine: Pick<Engine, 'client'>,
  ui: TemporalUi,
  form: StartForm,
): Promise<string | null> => {
  const runId = (await filledForm(engine, form)) ?? (await fillForm(engine, form));
  if (runId === null) return null;
  const parameters = new URLSearchParams({ workflowType: START_FORMS[form].type, taskQueue: WORKFLOW_QUEUE, runId });
  return `${workflowsUrl(ui)}/start-workflow?${parameters.toString()}`;
};

/** The newest one with today's input. An old one goes when its retention is over. */
const filledForm = async ({ client }: Pick<Engine, 'client'>, form: StartForm): Promise<string | null> => {
  const { id, input } = START_FORMS[form];
  const query = `WorkflowId = "${id}" AND ExecutionStatus = "Terminated"`;
  for await (const { runId, memo } of client.workflow.list({ query }))
    if (memo?.[MEMO] === JSON.stringify(input)) return runId;
  return null;
};

const fillForm = async ({ client }: Pick<Engine, 'client'>, form: StartForm): Promise<string | null> => {
  const { id, type, input } = START_FORMS[form];
  try {
    const { firstExecutionRunId } = await client.workflow.start(type, {
      workflowId: id,
      taskQueue: QUEUE,
      args: [input],
      memo: { [MEMO]: JSON.stringify(input) },
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
    await client.workflow.getHandle(id).terminate('the form *Start Workflow* is filled from it; it does no work');
    return firstExecutionRunId;
  } catch (error) {
    if (isAlreadyStarted(error)) return null;
    throw error;
  }
};
