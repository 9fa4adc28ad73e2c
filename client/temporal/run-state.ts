// The state of a run, from its document and from its workflow, which counts while it is open. A run that cannot be
// opened again (its evaluator has changed, its task is gone, the database refuses) waits in the workflow engine for
// attention, while its document still says how it ended before.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { RUN_WORKFLOW, runWorkflowId } from '../../evolution/ids.ts';
import type { RunProgress } from '../../workflows/messages/messages.ts';
import type { Engine, Parts } from '../connect/connection.ts';
import {
  hasEnded,
  isParked,
  isRunStatus,
  type Parked,
  type Refusal,
  type RunStatus,
} from '../../evolution/run-states.ts';
import { isAtRest, isNotFound, query } from './workflow.ts';

/**
 * The known state of a run's workflow. `status` is the workflow's own word, null where it gave none. `reason` and
 * `parked` explain why it needs attention, as far as known.
 */
export type WorkflowWord = {
  readonly open: boolean;
  readonly status: string | null;
  readonly attention: boolean;
  readonly reason: string | null;
  readonly parked?: Parked | null;
  /** The last messages that changed nothing; only the workflow itself tells them. */
  readonly refusals?: readonly Refusal[];
  /** The workflow was ended from outside, without its help. */
  readonly terminated?: true;
};

export const CLOSED: WorkflowWord = { open: false, status: null, attention: false, reason: null };

/** `word` is null where the engine could not be asked, and then the document is all there is. */
export const standing = (run: RunDocument, word: WorkflowWord | null): RunDocument => {
  if (word === null || !word.open) return run;
  const status = openStatus(run, word);
  const wasParked = isParked(run.status);
  const statusReason = isParked(status)
    ? (word.reason ?? (wasParked ? run.statusReason : 'the Temporal UI shows why'))
    : run.status === status || (PAUSES.includes(run.status) && PAUSES.includes(status))
      ? run.statusReason
      : null;
  const storedPhase = run.parked ?? null;
  const parked = isParked(status) ? (word.parked ?? (wasParked ? storedPhase : null)) : null;
  const same =
    status === run.status &&
    statusReason === run.statusReason &&
    JSON.stringify(parked) === JSON.stringify(storedPhase);
  return same ? run : { ...run, status, statusReason, parked, stopReason: null, endedAt: null };
};

const PAUSES: readonly RunStatus[] = ['pausing', 'paused'];

/** A workflow that was terminated could not write down its end, so its document still says that it runs. */
export const terminated = (run: RunDocument, word: WorkflowWord): RunDocument =>
  word.terminated === true && !hasEnded(run) && run.status !== 'queued'
    ? { ...run, status: 'terminated', statusReason: null, stopReason: 'terminated in the workflow engine' }
    : run;

const openStatus = (run: RunDocument, { status, attention }: WorkflowWord): RunStatus => {
  if (isRunStatus(status) && !hasEnded({ status }) && (!attention || isParked(status) || status === 'stopping'))
    return status;
  if (attention) return 'needs attention';
  return hasEnded(run) || run.status === 'queued' ? 'opening' : run.status;
};

export const wordOfProgress = ({ status, attention, parked, refusals }: RunProgress): WorkflowWord => ({
  open: true,
  status,
  attention: attention !== null,
  reason: attention,
  parked,
  refusals,
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
/** The most time for details beside a known state. */
const WORD_MS = 3_000;

/**
 * Documents with the present state of their runs. One query tells which workflows are open. Its answer may be a moment
 * old, so a workflow that disagrees with its document is asked itself. Where the engine is away, `warn` is told and the
 * documents are used as they are.
 */
export const asTheyStand = async (
  parts: Pick<Parts, 'engineSoon'>,
  documents: readonly RunDocument[],
  warn: (text: string) => void = () => undefined,
): Promise<readonly RunDocument[]> => {
  if (documents.length === 0) return documents;
  try {
    const engine = await parts.engineSoon();
    const open = documents.length === 1 ? null : await openWorkflows(engine);
    return await Promise.all(
      documents.map(async (run) => {
        const listed = open?.get(runWorkflowId(run.run));
        const settled = listed !== undefined || hasEnded(run) || run.status === 'queued';
        if (open !== null && settled && standing(run, listed ?? CLOSED) === run) return run;
        const word = await askWorkflow(engine, run, documents.length === 1);
        const stands = standing(terminated(run, word), word);
        return word.refusals === undefined || word.refusals.length === 0
          ? stands
          : { ...stands, refusals: word.refusals };
      }),
    );
  } catch (error) {
    warn(engineAway(error));
    return documents;
  }
};

export const engineAway = (error: unknown): string =>
  `states are those of the database, for the workflow engine could not be asked: ${error instanceof Error ? error.message : String(error)}`;

const openWorkflows = async ({ client, connection }: Engine): Promise<ReadonlyMap<string, WorkflowWord>> =>
  connection.withDeadline(Date.now() + ANSWER_MS, async () => {
    const words = new Map<string, WorkflowWord>();
    for await (const execution of client.workflow.list({
      query: `WorkflowType = "${RUN_WORKFLOW}" AND ExecutionStatus = "Running"`,
    }))
      words.set(execution.workflowId, wordOfExecution(execution));
    return words;
  });

/** With `closely` the workflow itself is asked even where its attributes agree with the document. */
const askWorkflow = async (engine: Engine, run: RunDocument, closely: boolean): Promise<WorkflowWord> => {
  const { client, connection } = engine;
  const id = runWorkflowId(run.run);
  try {
    const word = wordOfExecution(
      await connection.withDeadline(Date.now() + ANSWER_MS, () => client.workflow.getHandle(id).describe()),
    );
    const agrees = standing(run, word) === run;
    if (!word.open || (!closely && (agrees || !word.attention))) return word;
    // Only the workflow knows the reason, and what it refused. Where no worker answers, its attributes have to do.
    return await query<RunProgress>(engine, id, 'status', agrees ? WORD_MS : ANSWER_MS).then(
      wordOfProgress,
      () => word,
    );
  } catch (error) {
    if (isNotFound(error)) return CLOSED;
    throw error;
  }
};
