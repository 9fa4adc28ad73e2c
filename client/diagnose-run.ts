// Gathers what the database and the workflow engine know of a run, for findings.ts.
import type { RunDocument } from '../activities/store/documents.ts';
import type { Store } from '../activities/store/store.ts';
import { takeTask } from '../activities/task/kept-task.ts';
import { taskChanged } from '../activities/task/task-digest.ts';
import { runWorkflowId, stepWorkflowId } from '../evolution/ids.ts';
import type { RunProgress } from '../workflows/messages/messages.ts';
import type { Engine } from './connection.ts';
import { type Execution, readEarlier, readExecution } from './execution.ts';
import { type RunFinding, runFindings, type RunState } from './run-findings.ts';
import { standing, wordOfExecution, wordOfProgress } from './run-state.ts';

const ANSWER_MS = 10_000;

export const diagnoseRun = async (store: Store, engine: Engine, run: RunDocument): Promise<readonly RunFinding[]> => {
  const id = runWorkflowId(run.run);
  const workflow = await readExecution(engine, id);
  const [earlier, step, live, superseded, task] = await Promise.all([
    readEarlier(engine, id, workflow?.runId ?? null),
    workflow === null ? null : readStep(engine, run, workflow),
    workflow?.state === 'RUNNING' ? askStatus(engine, id) : null,
    store.supersededSteps(run.run),
    changeOf(run),
  ]);
  const word =
    workflow === null
      ? null
      : live === null
        ? wordOfExecution({ status: { name: workflow.state } })
        : wordOfProgress(live);
  return runFindings({ run: standing(run, word), workflow, earlier, step, live, superseded, task });
};

const changeOf = async (run: RunDocument): Promise<NonNullable<RunState['task']>> => {
  try {
    const { task, digest } = await takeTask(run.config.task);
    if (run.taskSnapshot !== undefined) return digest === run.taskSnapshot ? 'nothing' : 'folder';
    return task.evaluatorDigest !== run.evaluatorDigest
      ? 'evaluator'
      : taskChanged(run, task)
        ? 'prompt text'
        : 'nothing';
  } catch (error) {
    return { problem: (error as Error).message, ...(run.taskSnapshot === undefined ? {} : { kept: true }) };
  }
};

/**
 * The step at hand: the next one, or the last one where it was ended by hand after its commit. Steps of earlier
 * executions are history.
 */
const readStep = async (
  engine: Engine,
  { run, committedStep }: RunDocument,
  workflow: Execution,
): Promise<RunState['step']> => {
  for (const number of [committedStep + 1, committedStep]) {
    const execution = number < 0 ? null : await readExecution(engine, stepWorkflowId(run, number));
    if (execution !== null && execution.startedAt >= workflow.startedAt && execution.state !== 'COMPLETED')
      return { number, execution };
  }
  return null;
};

/** Null when no worker answers. */
const askStatus = async ({ client, connection }: Engine, id: string): Promise<RunProgress | null> =>
  connection
    .withDeadline(Date.now() + ANSWER_MS, () => client.workflow.getHandle(id).query<RunProgress, []>('status'))
    .catch(() => null);
