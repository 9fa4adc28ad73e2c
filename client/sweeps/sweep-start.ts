// The workflow of a sweep: found by name, whoever started it, or started.
import type { Json } from '../../evolution/types.ts';
import { inJson } from '../../evolution/visible.ts';
import { summary as summarised } from '../../workflows/engine/telling.ts';
import { checkParts } from '../runs/check-parts.ts';
import type { Engine, Parts } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';
import { refreshKeys } from '../connect/keys.ts';
import { checkNamedPolicies } from '../runs/named-policies.ts';
import type { PreparedSweep } from './sweep-spec.ts';
import { isAlreadyStarted, isAtRest, isOpen, overRest, untilOpened } from '../temporal/workflow.ts';
import { SWEEP_WORKFLOW, sweepWorkflowId, WORKFLOW_QUEUE } from '../../evolution/ids.ts';

/**
 * The id of the sweep's open workflow, or null where there is none. It is `sweep/<name>`, or an id that a schedule
 * made, which ends in the time.
 */
export const openSweepWorkflow = async (engine: Engine, name: string): Promise<string | null> => {
  const id = sweepWorkflowId(name);
  if (await isOpen(engine, id)) return id;
  const query = `WorkflowType = "${SWEEP_WORKFLOW}" AND EvoSweepId = "${name}" AND ExecutionStatus = "Running"`;
  for await (const { workflowId, memo } of engine.client.workflow.list({ query }))
    if (workflowId !== id && !isAtRest(memo)) return workflowId;
  return null;
};

/** The id of its newest workflow, open or closed. */
export const sweepWorkflow = async (engine: Engine, name: string): Promise<string> => {
  const open = await openSweepWorkflow(engine, name);
  if (open !== null) return open;
  for await (const { workflowId } of engine.client.workflow.list({
    query: `WorkflowType = "${SWEEP_WORKFLOW}" AND EvoSweepId = "${name}"`,
  }))
    return workflowId;
  return sweepWorkflowId(name);
};

const MOST_DETAILS = 15_000;

/** Quotes at both ends of every line keep a fence of the text's own from ending this one. */
const specDetails = (spec: Json): string => {
  const text = inJson(JSON.stringify(spec, null, 2));
  const cut =
    text.length > MOST_DETAILS ? `${text.slice(0, MOST_DETAILS)}\n... (cut off: ${text.length} characters)` : text;
  return `\`\`\`json\n${cut}\n\`\`\``;
};

/** `spec` has its final name. Whoever else started it meanwhile started the same sweep. */
export const startSweepWorkflow = async (
  { client }: Engine,
  name: string,
  spec: Json,
  summary: string,
): Promise<void> => {
  const workflowId = sweepWorkflowId(name);
  await overRest(client, workflowId, () =>
    client.workflow.start(SWEEP_WORKFLOW, {
      workflowId,
      taskQueue: WORKFLOW_QUEUE,
      args: [spec],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: summarised(summary),
      staticDetails: specDetails(spec),
    }),
  ).catch((error: unknown) => {
    if (!isAlreadyStarted(error)) throw error;
  });
};

/** Starts the prepared sweep, or finds it under way. Waits until its document exists and resolves to its name. */
export const launchSweep = async (
  parts: Parts,
  { spec, expanded, taken, first }: PreparedSweep,
  warn: (text: string) => void,
): Promise<string> => {
  const { place } = parts;
  const { name, runs } = expanded;
  const [{ configsOf, keepingTasks }, { makeWorld }] = await Promise.all([
    import('./sweep-spec.ts'),
    import('../tasks/world.ts'),
  ]);
  const configs = configsOf(expanded);
  await checkParts(place, configs);
  for (const [named, { task }] of taken) await makeWorld(place, task, named);
  const store = await parts.store();
  await checkNamedPolicies(store, configs);
  for (const config of configs) refreshKeys(place.home.root, config, place.env);
  const engine = await parts.engine();
  if ((await openSweepWorkflow(engine, name)) !== null) {
    warn(`sweep ${name} is under way already; a change of its file is taken up when it is started again after its end`);
    return name;
  }
  if ((await store.readSweep(name)) === null) await first.ask(warn);
  await startSweepWorkflow(
    engine,
    name,
    { ...((await keepingTasks(store, spec, taken)) as object), name },
    `${runs.length} runs of ${configs.length} configurations`,
  );
  const refused = (reason: string) => new UsageError(`sweep ${name} could not be opened: ${reason}`);
  if (!(await untilOpened(engine, sweepWorkflowId(name), async () => (await store.readSweep(name)) !== null, refused)))
    warn(`sweep ${name} is started, and no worker has taken it up yet; \`npx evolve doctor\` says what is running`);
  return name;
};
