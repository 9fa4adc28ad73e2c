// Steering a run: a message to the open workflow, or the same workflow id started again where it is closed. Used by pause, resume, stop, extend, retry.
import type { RunDocument } from '../activities/store/documents.ts';
import { runWorkflowId } from '../evolution/ids.ts';
import { MissingError, UsageError } from './exit.ts';
import type { Engine } from './connection.ts';
import { isNotFound } from './watch-source.ts';

/** Of workflows/evolution-run.ts and workflows/queues.ts; workflows are imported as types only. */
export const RUN_WORKFLOW = 'evolutionRun';
export const WORKFLOW_QUEUE = 'evolve-workflow';

export const isOpen = async ({ client }: Engine, run: string): Promise<boolean> => {
  try {
    const state = (await client.workflow.getHandle(runWorkflowId(run)).describe()).status.name;
    return state === 'RUNNING' || state === 'PAUSED';
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
};

/** Sends a signal to an open run; says what to do where the run is closed. */
export const tell = async (engine: Engine, run: RunDocument, signal: string, body: object): Promise<void> => {
  if (!(await isOpen(engine, run.run))) throw new UsageError(closedMessage(run, signal));
  await engine.client.workflow.getHandle(runWorkflowId(run.run)).signal(signal, body);
};

const closedMessage = ({ run, status, stopReason }: RunDocument, wanted: string): string => {
  const state = status === 'finished' || status === 'stopped' ? `${status}${stopReason ? ` (${stopReason})` : ''}` : 'closed in the workflow engine';
  const way = status === 'finished' ? `\`npx evolve extend ${run} --steps N\` goes on` : `\`npx evolve resume ${run}\` goes on`;
  return `cannot ${wanted} run ${run}: it is ${state}; ${way}`;
};

/** Starts the run's workflow again; its settings and everything made are in the store. */
export const startAgain = async ({ client }: Engine, run: RunDocument): Promise<void> => {
  await client.workflow.start(RUN_WORKFLOW, {
    workflowId: runWorkflowId(run.run), taskQueue: WORKFLOW_QUEUE, args: [{ run: run.run }],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE', staticSummary: summaryLine(run.config), staticDetails: detailsTable(run.config),
  });
};

/** One line for the Temporal UI. */
export const summaryLine = (config: RunDocument['config']): string => `${config.task}, ${config.method}, ${config.model.name}, seed ${config.seed}`;

/** The settings, for the details pane of the Temporal UI. */
export const detailsTable = ({ task, method, model, seed, batch, responses, limits, population }: RunDocument['config']): string => [
  '| setting | value |', '| --- | --- |',
  ...Object.entries({
    task, method, model: model.kind === 'offline' ? 'offline (no language model)' : `${model.name} at ${model.baseUrl}`, seed, 'batch x responses': `${batch} x ${responses}`,
    islands: population.islands, 'population cap': population.cap, ...Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null).map(([key, value]) => [`limits.${key}`, value])),
  }).map(([key, value]) => `| ${key} | ${value} |`),
].join('\n');

/** The message for an update that the workflow refused or that got no answer. */
export const updateError = (error: unknown): Error => {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  return error instanceof Error && error.name === 'WorkflowUpdateFailedError'
    ? new UsageError(text) : new MissingError(`the run did not answer (${text}); \`npx evolve doctor\` says what is running`);
};
