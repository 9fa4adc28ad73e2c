// A run or a sweep as a workflow: whether it is open, messages to it, and starting the same workflow id again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { setLimits } from '../../evolution/budget/limits.ts';
import { modelText } from '../../evolution/learning/policies.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { RUN_WORKFLOW, runWorkflowId, stepWorkflowId, updateWorkflowId, WORKFLOW_QUEUE } from '../../evolution/ids.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import { shareOf } from '../../evolution/schedule/sharing.ts';
import { taskName } from '../../evolution/task/task.ts';
import { inMarkdown } from '../../evolution/visible.ts';
import { details, summary } from '../../workflows/engine/telling.ts';
import type { InStep, RewindRequest, RunProgress } from '../../workflows/messages/messages.ts';
import type { Engine } from '../connect/connection.ts';
import { MissingError, UsageError } from '../connect/errors.ts';
import { extendCommand } from '../read/usage.ts';
import { rootOf } from '../../evolution/root-cause.ts';

/** workflows/ has this name too, which is imported as types only. */
export const AT_REST = 'EvoAtRest';

/** True for the last execution of a run that has ended (workflows/run/rest.ts). */
export const isAtRest = (memo: { readonly [key: string]: unknown } | undefined): boolean => memo?.[AT_REST] === true;

/** The input of evolutionRun. */
type RunStart = {
  readonly run: string;
  readonly config?: RunConfig;
  readonly taskSnapshot?: string;
  readonly rewind?: RewindRequest;
};

export const isNotFound = (error: unknown): boolean => error instanceof Error && error.name === 'WorkflowNotFoundError';

/** The answer of a workflow to a query. Throws where none comes in this time. */
export const query = <T>({ client, connection }: Engine, id: string, name: string, patienceMs: number): Promise<T> =>
  connection.withDeadline(Date.now() + patienceMs, () => client.workflow.getHandle(id).query<T, []>(name));

/** True where an execution of this id is open and takes messages, which the last one of a run does not. */
export const isOpen = async ({ client }: Engine, workflowId: string): Promise<boolean> => {
  try {
    const { status, memo } = await client.workflow.getHandle(workflowId).describe();
    return (status.name === 'RUNNING' || status.name === 'PAUSED') && !isAtRest(memo);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
};

/** The own word of an open run, and the counters of its open step or window; null: not known. */
export const progressOf = async (
  engine: Engine,
  run: string,
  patienceMs: number,
): Promise<RunProgress & { readonly inStep: InStep | null }> => {
  const { client, connection } = engine;
  const word = await query<RunProgress>(engine, runWorkflowId(run), 'status', patienceMs);
  const inStep = query<InStep>(engine, stepWorkflowId(run, word.workflow), 'inStep', patienceMs).catch(() => null);
  const { update } = word;
  if (update === null) return { ...word, inStep: await inStep };
  const at = await connection
    .withDeadline(Date.now() + patienceMs, () =>
      client.workflow.getHandle(updateWorkflowId(run, update.step)).describe(),
    )
    .then(
      ({ raw }) => atWork(raw.pendingActivities ?? []),
      () => null,
    );
  return { ...word, update: at === null ? update : { ...update, at }, inStep: await inStep };
};

type Pending = {
  readonly activityType?: { readonly name?: string | null } | null;
  readonly heartbeatDetails?: { readonly payloads?: readonly { readonly data?: Uint8Array | null }[] | null } | null;
};

/** The present work of an update by the heartbeat of its activity, else the activity alone. Null between activities. */
const atWork = ([pending]: readonly Pending[]): string | null => {
  if (pending === undefined) return null;
  const name = pending.activityType?.name ?? 'an activity';
  const beat = beatOf(pending);
  if (beat === null) return name;
  const { what, done, total } = beat;
  return `${name}: ${what.slice(0, LONGEST_BEAT)}${total > 0 ? `, ${done} of ${total}` : ''}`;
};
const LONGEST_BEAT = 80;

const beatOf = ({ heartbeatDetails }: Pending): { what: string; done: number; total: number } | null => {
  try {
    const [payload] = heartbeatDetails?.payloads ?? [];
    const { what, done, total } = JSON.parse(Buffer.from(payload!.data!).toString()) as { [key: string]: unknown };
    return typeof what === 'string' ? { what, done: Number(done), total: Number(total) } : null;
  } catch {
    return null;
  }
};

/** The last execution of a run needs a moment, and a worker, to complete. */
const RESTING_MS = 10_000;

/**
 * Starts the run's workflow. `again` means that it has run before, so its settings and everything it made are in the
 * store.
 */
export const startRunWorkflow = async (
  engine: Pick<Engine, 'client'>,
  input: RunStart,
  config: RunConfig,
  { again }: { readonly again: boolean },
): Promise<void> => {
  const { client } = engine;
  const workflowId = runWorkflowId(input.run);
  const start = () =>
    client.workflow.start(RUN_WORKFLOW, {
      workflowId,
      taskQueue: WORKFLOW_QUEUE,
      args: [input],
      workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      priority: shareOf({ run: input.run, sweep: null, weight: config.run.weight }),
      staticSummary: summaryLine(config),
      staticDetails: detailsTable(config),
    });
  await (again ? overRest(client, workflowId, start) : start());
};

/** Starts a workflow whose id may have a last execution of a run or a sweep that still completes. */
export const overRest = async (
  client: Engine['client'],
  workflowId: string,
  start: () => Promise<unknown>,
): Promise<void> => {
  for (const deadline = performance.now() + RESTING_MS; ; await sleep(POLL_MS)) {
    try {
      await start();
      return;
    } catch (error) {
      const resting = isAlreadyStarted(error) ? await restingExecution(client, workflowId) : null;
      if (resting === null) throw error;
      // No worker completes it. It holds nothing, and whoever starts it again waits for no more than its place.
      if (performance.now() > deadline)
        await client.workflow.getHandle(workflowId, resting).terminate('it is started again');
    }
  }
};

/** The run id of the present execution, where that is the last one of a run. */
const restingExecution = async (client: Engine['client'], workflowId: string): Promise<string | null> => {
  const { memo, runId } = await client.workflow.getHandle(workflowId).describe();
  return isAtRest(memo) ? runId : null;
};

export const isAlreadyStarted = (error: unknown): boolean =>
  error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError';

/** An update waits so long for its answer, because a worker that is away takes no message. */
const ANSWER_MS = 60_000;

/**
 * Sends an update and returns its answer. Where the workflow refuses it, throws UsageError with the workflow's message.
 */
export const update = async <T>(
  { client, connection }: Engine,
  workflowId: string,
  name: string,
  body: object,
  updateId?: string,
): Promise<T> => {
  try {
    return await connection.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflow
        .getHandle(workflowId)
        .executeUpdate<T, [object]>(name, { args: [body], ...(updateId === undefined ? {} : { updateId }) }),
    );
  } catch (error) {
    throw updateError(error);
  }
};

/** The error for an update that the workflow refused or that got no answer. */
const updateError = (error: unknown): Error => {
  const text = rootOf(error).message;
  return error instanceof Error && error.name === 'WorkflowUpdateFailedError'
    ? new UsageError(text)
    : new MissingError(`the workflow did not answer (${text}); \`npx evolve doctor\` says what is running`);
};

/** The reason for which a message cannot reach a closed run, and the command that goes on. */
export const closedMessage = (document: RunDocument, wanted: string): string => {
  const { run, status, stopReason, sweep } = document;
  if (status === 'queued')
    return `cannot ${wanted} run ${run}: it waits for its turn in sweep ${sweep}; \`npx evolve sweep status ${sweep}\` shows it`;
  const state = hasEnded(document)
    ? `${status}${stopReason ? ` (${stopReason})` : ''}`
    : 'closed in the workflow engine';
  const way =
    status === 'finished'
      ? `\`npx evolve ${extendCommand(document, null, new Date())}\` goes on`
      : `\`npx evolve resume ${run}\` goes on`;
  return `cannot ${wanted} run ${run}: it is ${state}; ${way}`;
};

/** One line for the Temporal UI. */
const summaryLine = ({ task, method, seed, model, models }: RunConfig): string =>
  summary(`${taskName(task)}, ${method}, ${[model, ...models].map(({ name }) => name).join(' + ')}, seed ${seed}`);

/** The settings, for the details pane of the Temporal UI. */
const detailsTable = ({
  task,
  method,
  model,
  models,
  learning,
  seed,
  batch,
  responses,
  limits,
  population,
}: RunConfig): string =>
  details([
    '| setting | value |',
    '| --- | --- |',
    ...Object.entries({
      task,
      method,
      model: [model, ...models]
        .map((one) =>
          one.kind === 'offline' ? 'offline (no language model)' : modelText({ learning }, one, 'no endpoint'),
        )
        .join('; '),
      seed,
      'batch x responses': `${batch} x ${responses}`,
      islands: population.islands,
      'population cap': population.cap,
      ...Object.fromEntries(setLimits(limits).map(([key, value]) => [`limits.${key}`, value])),
    }).map(([key, value]) => `| ${key} | ${inMarkdown(String(value))} |`),
  ]);

const OPENING_MS = 60_000;
const POLL_MS = 200;
/** Polls between two looks at the workflow itself. */
const LOOKS_EVERY = 10;

/**
 * Waits until a workflow that was just started has made its document, because until then `latest` would name another
 * one. Resolves to false when it did not come in time. Where the workflow has failed, throws what `refused` makes of
 * the reason.
 */
export const untilOpened = async (
  { client }: Engine,
  workflowId: string,
  exists: () => Promise<boolean>,
  refused: (reason: string) => Error,
): Promise<boolean> => {
  const deadline = performance.now() + OPENING_MS;
  const handle = client.workflow.getHandle(workflowId);
  for (let round = 1; performance.now() < deadline; round += 1) {
    if (await exists()) return true;
    if (round % LOOKS_EVERY === 0 && (await handle.describe()).status.name === 'FAILED') {
      await handle.result().catch((error: unknown) => {
        throw refused(rootOf(error).message);
      });
    }
    await sleep(POLL_MS);
  }
  return false;
};
