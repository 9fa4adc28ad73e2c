// Starts a run: settings, checks, key, workflow. Nothing exists before every check has passed. Used by `run` and `start`.
import { setTimeout as sleep } from 'node:timers/promises';
import { runWorkflowId } from '../evolution/ids.ts';
import type { Resolved } from '../evolution/config/schema.ts';
import type { RunFlags } from './commands/shared-flags.ts';
import type { Context } from './command.ts';
import { checkParts, openEngine, withStore, type Engine } from './connection.ts';
import { MissingError, UsageError } from './exit.ts';
import { refreshKey } from './keys.ts';
import { note } from './output.ts';
import { checkModel, checkTask } from './preflight.ts';
import { checkRunId, newRunId } from './run-id.ts';
import { settingsFrom } from './settings-flags.ts';
import { detailsTable, RUN_WORKFLOW, summaryLine, WORKFLOW_QUEUE } from './steer.ts';

export type Launch = { readonly run: string | null; readonly resolved: Resolved };

/** Everything that can be checked without any part running. */
export const prepare = async (context: Context, flags: RunFlags): Promise<Launch> => {
  const run = flags.run === undefined ? null : checkRunId(flags.run);
  const resolved = settingsFrom(flags, context.env);
  await checkTask(resolved.config.task, resolved.whereabouts('task'));
  for (const warning of await checkModel(resolved.config.model, context.home.root, context.env)) note(`note: ${warning}`);
  return { run, resolved };
};

/** Starts the prepared run and waits until its document exists; resolves to its id. */
export const launch = async (context: Context, { run: wanted, resolved }: Launch): Promise<string> => {
  const { config } = resolved;
  await checkParts(context, config);
  const run = wanted ?? newRunId(config, Math.random);
  await withStore(context, async (store) => {
    const taken = await store.readRun(run);
    if (taken !== null) throw new UsageError(takenMessage(run, taken.status));
  });
  refreshKey(context.home.root, config.model, context.env);
  const engine = await openEngine(context);
  try {
    await engine.client.workflow.start(RUN_WORKFLOW, {
      workflowId: runWorkflowId(run), taskQueue: WORKFLOW_QUEUE, args: [{ run, config }],
      workflowIdReusePolicy: 'REJECT_DUPLICATE', staticSummary: summaryLine(config), staticDetails: detailsTable(config),
    }).catch((error: unknown) => {
      throw error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError' ? new UsageError(takenMessage(run, 'known to the workflow engine')) : error;
    });
    await opened(context, engine, run);
  } finally {
    await engine.close();
  }
  return run;
};

const takenMessage = (run: string, status: string): string =>
  `--run: there is a run "${run}" already (${status}): choose another id, or go on with \`npx evolve resume ${run}\` or \`npx evolve extend ${run}\``;

const OPENING_MS = 60_000;

/** Until the run's document exists `latest` would name another run. */
const opened = async (context: Context, engine: Engine, run: string): Promise<void> => {
  const deadline = Date.now() + OPENING_MS;
  const handle = engine.client.workflow.getHandle(runWorkflowId(run));
  await withStore(context, async (store) => {
    for (let round = 0; Date.now() < deadline; round += 1) {
      if (await store.readRun(run)) return;
      if (round % 10 === 9 && (await handle.describe()).status.name === 'FAILED') await handle.result();
      await sleep(200);
    }
    note(`note: run ${run} is started, and no worker has taken it up yet; \`npx evolve doctor\` says what is running`);
  }).catch((error: unknown) => { throw refused(error, run); });
};

const refused = (error: unknown, run: string): unknown => {
  if (!(error instanceof Error) || error.name !== 'WorkflowFailedError') return error;
  let cause: Error = error;
  while (cause.cause instanceof Error) cause = cause.cause;
  return new MissingError(`run ${run} could not be opened: ${cause.message}`);
};
