// The workflow of a sweep: found by name whoever started it, and started. Used by SweepHandle and DurableEvolve.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../activities/store/store.ts';
import type { Json } from '../../evolution/types.ts';
import { checkParts, type Engine, type Parts } from './connection.ts';
import { UsageError } from './errors.ts';
import { refreshKey } from './keys.ts';
import { configsOf, type PreparedSweep } from './sweep-spec.ts';
import { isAlreadyStarted, isOpen, rootOf, SWEEP_WORKFLOW, sweepWorkflowId, WORKFLOW_QUEUE } from './workflow.ts';

/** The id of its open workflow, null where there is none: `sweep/<name>`, or what a schedule started, whose ids end in the time. */
export const openSweepWorkflow = async (engine: Engine, name: string): Promise<string | null> => {
  const id = sweepWorkflowId(name);
  if (await isOpen(engine, id)) return id;
  const query = `WorkflowType = "${SWEEP_WORKFLOW}" AND EvoSweepId = "${name}" AND ExecutionStatus = "Running"`;
  for await (const { workflowId } of engine.client.workflow.list({ query })) return workflowId;
  return null;
};

/** The id of its newest workflow, open or closed. */
export const sweepWorkflow = async (engine: Engine, name: string): Promise<string> => {
  const open = await openSweepWorkflow(engine, name);
  if (open !== null) return open;
  for await (const { workflowId } of engine.client.workflow.list({ query: `WorkflowType = "${SWEEP_WORKFLOW}" AND EvoSweepId = "${name}"` })) return workflowId;
  return sweepWorkflowId(name);
};

/** `spec` with its final name. Whoever else started it meanwhile started the same. */
export const startSweepWorkflow = async ({ client }: Engine, name: string, spec: Json, summary: string): Promise<void> => {
  await client.workflow.start(SWEEP_WORKFLOW, {
    workflowId: sweepWorkflowId(name), taskQueue: WORKFLOW_QUEUE, args: [spec], workflowIdReusePolicy: 'ALLOW_DUPLICATE', staticSummary: summary,
    staticDetails: `\`\`\`json\n${JSON.stringify(spec, null, 2).slice(0, 15_000)}\n\`\`\``,
  }).catch((error: unknown) => { if (!isAlreadyStarted(error)) throw error; });
};

/** Starts the prepared sweep, or finds it under way; waits until its document exists and resolves to its name. */
export const launchSweep = async (parts: Parts, { spec, expanded }: PreparedSweep, warn: (text: string) => void): Promise<string> => {
  const { place } = parts;
  const { name, runs } = expanded;
  const configs = configsOf(expanded);
  await checkParts(place, configs);
  const store = await parts.store();
  for (const { model, models } of configs) refreshKey(place.home.root, [model, ...models], place.env);
  const engine = await parts.engine();
  if (await openSweepWorkflow(engine, name) !== null) {
    warn(`sweep ${name} is under way already; a change of its file is taken up when it is started again after its end`);
    return name;
  }
  await startSweepWorkflow(engine, name, { ...(spec as object), name }, `${runs.length} runs of ${configs.length} configurations`);
  if (!(await opened(store, engine, name))) warn(`sweep ${name} is started, and no worker has taken it up yet; \`npx evolve doctor\` says what is running`);
  return name;
};

const OPENING_MS = 60_000;

/** Until the sweep's document exists. False when it did not come in time. */
const opened = async (store: Store, { client }: Engine, name: string): Promise<boolean> => {
  const deadline = Date.now() + OPENING_MS;
  const handle = client.workflow.getHandle(sweepWorkflowId(name));
  for (let round = 0; Date.now() < deadline; round += 1) {
    if (await store.readSweep(name)) return true;
    if (round % 10 === 9 && (await handle.describe()).status.name === 'FAILED') {
      await handle.result().catch((error: unknown) => { throw new UsageError(`sweep ${name} could not be opened: ${rootOf(error).message}`); });
    }
    await sleep(200);
  }
  return false;
};
