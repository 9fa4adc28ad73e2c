// Gathers what the database and the workflow engine know of a run, for findings.ts. Called by RunHandle.diagnose; changes nothing.
import type { RunDocument } from '../../../activities/store/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { runWorkflowId, stepWorkflowId } from '../../../evolution/ids.ts';
import type { RunProgress } from '../../../workflows/messages.ts';
import type { Engine } from '../connection.ts';
import { readEarlier, readExecution } from './execution.ts';
import { runFindings, type RunFinding } from './findings.ts';

const ANSWER_MS = 10_000;

export const diagnoseRun = async (store: Store, engine: Engine, run: RunDocument): Promise<readonly RunFinding[]> => {
  const id = runWorkflowId(run.run);
  const workflow = await readExecution(engine, id);
  const number = run.committedStep + 1;
  const [earlier, execution, live, superseded] = await Promise.all([
    readEarlier(engine, id, workflow?.runId ?? null),
    readExecution(engine, stepWorkflowId(run.run, number)),
    workflow?.state === 'RUNNING' ? askStatus(engine, id) : null,
    store.supersededSteps(run.run),
  ]);
  return runFindings({ run, workflow, earlier, step: execution === null ? null : { number, execution }, live, superseded });
};

/** Null when no worker answers. */
const askStatus = async ({ client, connection }: Engine, id: string): Promise<RunProgress | null> =>
  connection.withDeadline(Date.now() + ANSWER_MS, () => client.workflow.getHandle(id).query<RunProgress, []>('status')).catch(() => null);
