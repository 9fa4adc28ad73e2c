// Starts a run: settings, checks, key, workflow. Nothing exists before every check has passed.
import type { Store } from '../../activities/store/store.ts';
import { keepTask, type TakenTask } from '../../activities/task/kept-task.ts';
import { usableTask } from '../../activities/task/usable-task.ts';
import { judgeNotes } from '../../evolution/ideas/idea.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { taskChoice } from '../../evolution/task/task-choice.ts';
import { RunPlan } from '../../evolution/experiments/run-plan.ts';
import type { Resolved } from '../../evolution/methods/resolve.ts';
import { phaseNotes } from '../../evolution/methods/size.ts';
import { checkParts } from './check-parts.ts';
import { machineOf, type Parts, type Place } from '../connect/connection.ts';
import { MissingError, UsageError } from '../connect/errors.ts';
import { refreshKeys } from '../connect/keys.ts';
import { checkNamedPolicies } from './named-policies.ts';
import { FirstRequests } from './first-request.ts';
import { checkFit, checkModels, statementNotes } from './preflight.ts';
import { checkRunId, newRunId } from '../read/run-id.ts';
import { lockWorld, makeWorld } from '../tasks/world.ts';
import { isAlreadyStarted, startRunWorkflow, untilOpened } from '../temporal/workflow.ts';

export type Prepared = {
  readonly run: string | null;
  readonly resolved: Resolved;
  readonly taken: TakenTask;
  readonly warnings: readonly string[];
  readonly plan: RunPlan;
  /** They cost something, so that they go out when the run is wanted. */
  readonly first: FirstRequests;
};

/**
 * Checks everything that can be checked without any part running. `run` is the wanted id, and one is chosen where it is
 * left out.
 */
export const prepareRun = async (place: Place, resolved: Resolved, run: string | undefined): Promise<Prepared> => {
  const id = run === undefined ? null : checkRunId(run);
  await lockWorld(place, resolved.config.task);
  const taken = await usableTask(resolved.config.task, resolved.whereabouts, taskChoice(resolved.config));
  checkFit(resolved.config, taken.task, resolved.whereabouts, machineOf(place));
  return {
    run: id,
    resolved,
    taken,
    plan: new RunPlan(resolved.config, taken.task),
    first: new FirstRequests([{ config: resolved.config, task: taken.task }], place),
    warnings: [
      ...(await checkModels([resolved.config], place, resolved.whereabouts)),
      ...statementNotes(resolved.config, taken.task),
      ...resolved.notes,
      ...phaseNotes(resolved.config),
      ...judgeNotes(resolved.config),
    ],
  };
};

/**
 * Starts the prepared run, waits until its document exists and resolves to its id. `warn` is told when no worker takes
 * it up.
 */
export const launchRun = async (
  parts: Parts,
  { run: wanted, resolved, taken, first }: Prepared,
  warn: (text: string) => void,
): Promise<string> => {
  const { config } = resolved;
  const { place } = parts;
  await checkParts(place, [config]);
  await makeWorld(place, taken.task, config.task);
  const store = await parts.store();
  const run = wanted ?? newRunId(config, Math.random);
  await requireFree(store, run);
  await checkNamedPolicies(store, [config]);
  await first.ask(warn);
  refreshKeys(place.home.root, config, place.env);
  const engine = await parts.engine();
  const taskSnapshot = await keepTask(store, taken);
  await startRunWorkflow(engine, { run, config, taskSnapshot }, config, { again: false }).catch((error: unknown) => {
    throw isAlreadyStarted(error) ? new UsageError(takenMessage(run, 'known to the workflow engine')) : error;
  });
  const refused = (reason: string) => new MissingError(`run ${run} could not be opened: ${reason}`);
  if (!(await untilOpened(engine, runWorkflowId(run), async () => (await store.readRun(run)) !== null, refused)))
    warn(`run ${run} is started, and no worker has taken it up yet; \`npx evolve doctor\` says what is running`);
  return run;
};

/** Throws where a run has this id, or a judge that was trained under it, because both name policies. */
export const requireFree = async (store: Store, run: string): Promise<void> => {
  const taken = await store.readRun(run);
  if (taken !== null) throw new UsageError(takenMessage(run, taken.status));
  const removed = await store.pruning.nameTaken(run);
  if (removed !== null) throw new UsageError(`--run: ${removed}`);
  if ((await store.listPolicies(run)).length > 0)
    throw new UsageError(
      `--run: there is a judge "${run}" already (\`npx evolve policies ${run}\`): choose another id`,
    );
};

export const takenMessage = (run: string, status: string): string =>
  `--run: there is a run "${run}" already (${status}): choose another id, or go on with \`npx evolve resume ${run}\` or \`npx evolve extend ${run}\``;
