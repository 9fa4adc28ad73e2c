// The state of a run, from its document and from its workflow, which counts while it is open. A run that cannot be
// opened again (its evaluator has changed, its task is gone, the database refuses) waits in the workflow engine for
// attention, while its document still says how it ended before.
import type { RunDocument, RunStatus } from '../activities/store/documents.ts';
import { runWorkflowId } from '../evolution/ids.ts';
import type { RunProgress } from '../workflows/messages/messages.ts';
import type { Engine, Parts } from './connection.ts';
import { hasEnded } from './report.ts';
import { isAtRest, isNotFound, RUN_WORKFLOW } from './workflow.ts';

/**
 * What is known of a run's workflow. `status` is what the workflow itself says, null where it has said nothing.
 * `reason` is why it needs attention, as far as known.
 */
export type WorkflowWord = {
  readonly open: boolean;
  readonly status: string | null;
  readonly attention: boolean;
  readonly reason: string | null;
  /** The workflow was ended from outside, without its help. */
  readonly terminated?: true;
};

export const CLOSED: WorkflowWord = { open: false, status: null, attention: false, reason: null };

/** `word` is null where the engine could not be asked, and then the document is all there is. */
export const standing = (run: RunDocument, word: WorkflowWord | null): RunDocument => {
  if (word === null || !word.open) return run;
  const status = openStatus(run, word);
  const statusReason =
    status === 'needs attention'
      ? (word.reason ?? (run.status === status ? run.statusReason : 'the Temporal UI shows why'))
      : run.status === status
        ? run.statusReason
        : null;
  return status === run.status && statusReason === run.statusReason
    ? run
    : { ...run, status, statusReason, stopReason: null, endedAt: null };
};

/** A workflow that was terminated could not write down its end, so its document still says that it runs. */
const terminated = (run: RunDocument, word: WorkflowWord): RunDocument =>
  word.terminated === true && !hasEnded(run) && run.status !== 'queued'
    ? { ...run, status: 'stopped', statusReason: null, stopReason: 'terminated in the workflow engine' }
    : run;

const openStatus = (run: RunDocument, { status, attention }: WorkflowWord): RunStatus => {
  if (attention || status === 'needs attention') return 'needs attention';
  if (status === 'running' || status === 'paused') return status;
  return hasEnded(run) || run.status === 'queued' ? 'running' : run.status;
};

export const wordOfProgress = ({ status, attention }: RunProgress): WorkflowWord => ({
  open: true,
  status,
  attention: attention !== null,
  reason: attention,
});

/** Read from the search attributes of a description or a listed execution, which the run's workflow keeps. */
export const wordOfExecution = ({ status, memo, typedSearchAttributes }: Described): WorkflowWord => {
  if (isAtRest(memo)) return CLOSED;
  if (!OPEN.includes(status.name)) return status.name === 'TERMINATED' ? { ...CLOSED, terminated: true } : CLOSED;
  const values = new Map(typedSearchAttributes?.getAll().map(({ key, value }) => [key.name, value]));
  const word = values.get('EvoStatus');
  return {
    open: true,
    status: typeof word === 'string' ? word : null,
    attention: values.get('EvoNeedsAttention') === true,
    reason: null,
  };
};

type Described = {
  readonly status: { readonly name: string };
  readonly memo?: { readonly [key: string]: unknown } | undefined;
  readonly typedSearchAttributes?: {
    readonly getAll: () => readonly { readonly key: { readonly name: string }; readonly value: unknown }[];
  };
};
const OPEN: readonly string[] = ['RUNNING', 'PAUSED', 'CONTINUED_AS_NEW'];

const ANSWER_MS = 10_000;

/**
 * Documents with the present state of their runs. One query tells which workflows are open. Its answer may be a moment
 * old, so a workflow that disagrees with its document is asked itself. Where the engine is away, `warn` is told and the
 * documents are used as they are.
 */
export const asTheyStand = async (
  parts: Pick<Parts, 'engine'>,
  documents: readonly RunDocument[],
  warn: (text: string) => void = () => undefined,
): Promise<readonly RunDocument[]> => {
  if (documents.length === 0) return documents;
  try {
    const engine = await parts.engine();
    const open = documents.length === 1 ? null : await openWorkflows(engine);
    return await Promise.all(
      documents.map(async (run) => {
        const listed = open?.get(runWorkflowId(run.run));
        const settled = listed !== undefined || hasEnded(run) || run.status === 'queued';
        if (open !== null && settled && standing(run, listed ?? CLOSED) === run) return run;
        const word = await askWorkflow(engine, run);
        return standing(terminated(run, word), word);
      }),
    );
  } catch (error) {
    warn(
      `states are those of the database, for the workflow engine could not be asked: ${error instanceof Error ? error.message : String(error)}`,
    );
    return documents;
  }
};

const openWorkflows = async ({ client, connection }: Engine): Promise<ReadonlyMap<string, WorkflowWord>> =>
  connection.withDeadline(Date.now() + ANSWER_MS, async () => {
    const words = new Map<string, WorkflowWord>();
    for await (const execution of client.workflow.list({
      query: `WorkflowType = "${RUN_WORKFLOW}" AND ExecutionStatus = "Running"`,
    }))
      words.set(execution.workflowId, wordOfExecution(execution));
    return words;
  });

const askWorkflow = async ({ client, connection }: Engine, run: RunDocument): Promise<WorkflowWord> => {
  const handle = client.workflow.getHandle(runWorkflowId(run.run));
  try {
    const word = wordOfExecution(await connection.withDeadline(Date.now() + ANSWER_MS, () => handle.describe()));
    if (standing(run, word) === run || !word.attention) return word;
    // Only the workflow knows the reason. Where no worker answers, its attributes have to do.
    return await connection
      .withDeadline(Date.now() + ANSWER_MS, () => handle.query<RunProgress, []>('status'))
      .then(wordOfProgress, () => word);
  } catch (error) {
    if (isNotFound(error)) return CLOSED;
    throw error;
  }
};
