// Gathers what the database and the workflow engine know of a run, for the findings of `evolve doctor <run>`.
import { withUnanswered } from '../../activities/store/steps/bookings.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { withTrackers } from '../../activities/store/upkeep/tracking.ts';
import { takeTask } from '../../activities/task/kept-task.ts';
import { soonMs } from '../../deploy/host/patience.ts';
import { taskChoice } from '../../evolution/task/task-choice.ts';
import { runWorkflowId, stepWorkflowId, updateWorkflowId, WORKFLOW_QUEUE } from '../../evolution/ids.ts';
import type { RunProgress } from '../../workflows/messages/messages.ts';
import { type Engine, openEngine, type Parts } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';
import { codeFails, type Execution, readEarlier, readExecution } from '../temporal/execution.ts';
import { adviceFor } from '../read/advice.ts';
import { resultsFindings } from '../read/results.ts';
import { endingFindings } from './ending-findings.ts';
import { promptFindings } from './prompt-findings.ts';
import { runFindings, type RunState } from './run-findings.ts';
import type { RunFinding } from '../read/state-findings.ts';
import { findRun } from '../read/run-id.ts';
import { standing, wordOfExecution, wordOfProgress } from '../temporal/run-state.ts';
import { readStream } from './stream-state.ts';
import { unopenedRun } from '../temporal/unopened.ts';
import { query } from '../temporal/workflow.ts';

const ANSWER_MS = 10_000;

/**
 * The findings of a run, as far as parts answer: a part that is away is a finding, and so is a run that is not open
 * yet. Throws UsageError where neither the database nor the engine knows the run.
 */
export const diagnose = async (
  parts: Pick<Parts, 'store' | 'engineSoon' | 'place'>,
  id: string,
): Promise<Diagnosis> => {
  const store = await parts.store().catch((error: unknown) => error as Error);
  // The connection of the parts asks the database whether the engine's namespace is ours, so it needs both.
  const own = store instanceof Error;
  const engine = await (own ? openEngine(parts.place, soonMs()) : parts.engineSoon()).catch(
    (error: unknown) => error as Error,
  );
  const away = [
    ...(store instanceof Error ? [absent('database', store)] : []),
    ...(engine instanceof Error ? [absent('engine', engine)] : []),
  ];
  try {
    const document =
      store instanceof Error ? null : await shownRun(store, id).catch((error: unknown) => error as Error);
    if (document instanceof Error || document === null) {
      const unknown = document instanceof UsageError;
      if (document !== null && !unknown) away.push(absent('database', document));
      const run = engine instanceof Error ? null : await unopenedRun(engine, id).catch(() => null);
      if (run !== null) return { run: id, findings: [...away, unknown ? notOpen(run) : unread(run)] };
      if (unknown) throw document;
      return { run: id, findings: away };
    }
    if (engine instanceof Error)
      return {
        run: document.run,
        findings: [
          ...away,
          {
            about: 'run',
            ok: true,
            detail: `${document.status}, as the database last knew; ${document.committedStep} steps`,
          },
        ],
      };
    const findings = await diagnoseRun(store as Store, engine, document).catch((error: Error) => [
      absent('engine', error),
    ]);
    return { run: document.run, findings };
  } finally {
    if (own && !(engine instanceof Error)) await engine.close().catch(() => undefined);
  }
};

const shownRun = async (store: Store, id: string): Promise<RunDocument> =>
  (await withUnanswered(store, [await findRun(store, id)]))[0]!;

type Diagnosis = { readonly run: string; readonly findings: readonly RunFinding[] };
type Unopened = NonNullable<Awaited<ReturnType<typeof unopenedRun>>>;

const absent = (about: 'database' | 'engine', { message }: Error): RunFinding => ({
  about,
  ok: false,
  detail: `could not be asked: ${message}`,
  command: 'npx evolve doctor',
});

const notOpen = ({ run, reason }: Unopened): RunFinding => ({
  about: 'run',
  ok: false,
  detail: `not open yet: ${reason}`,
  command: `npx evolve retry ${run}, npx evolve stop ${run}, or where no worker answers npx evolve terminate ${run}`,
});

const unread = ({ run, reason }: Unopened): RunFinding => ({
  about: 'workflow',
  ok: false,
  detail: `open; ${reason}`,
  command: `npx evolve terminate ${run} ends it without the database`,
});

const diagnoseRun = async (store: Store, engine: Engine, run: RunDocument): Promise<readonly RunFinding[]> => {
  const id = runWorkflowId(run.run);
  const workflow = await readExecution(engine, id);
  const isStream = run.config.schedule === 'continuous' && workflow?.state === 'RUNNING';
  const [earlier, current, live, superseded, task, stream] = await Promise.all([
    readEarlier(engine, id, workflow?.runId ?? null),
    workflow === null ? null : readStep(engine, run, workflow),
    // Null where no worker answers.
    workflow?.state === 'RUNNING' ? query<RunProgress>(engine, id, 'status', ANSWER_MS).catch(() => null) : null,
    store.supersededSteps(run.run),
    changeOf(run),
    isStream ? readStream(store, engine, run) : null,
  ]);
  // A stream's windows are told by themselves; one whose code fails is told as a step that does.
  const failing = stream?.windows.find(({ execution }) => codeFails(execution));
  const isWindow = stream?.windows.some(({ number }) => number === current?.number) === true;
  const step = failing ?? (isWindow ? null : current);
  const word =
    workflow === null
      ? null
      : live === null
        ? wordOfExecution({ status: { name: workflow.state } })
        : wordOfProgress(live);
  const stands = (await withTrackers(store, [standing(run, word)]))[0]!;
  const update = await readUpdate(engine, run.run, live);
  const executions = [step?.execution ?? null, update.update?.execution ?? null];
  const versions = await readVersionsOf(engine, workflow, executions, live);
  const now = new Date();
  const state = {
    run: stands,
    advice: await adviceFor(store, stands, now),
    workflow,
    earlier,
    step,
    ...update,
    ...versions,
    ...(stream === null ? {} : { stream }),
    live,
    superseded,
    task,
    now,
  };
  return [
    ...runFindings(state),
    ...(await endingFindings(store, run)),
    ...(await promptFindings(store, run)),
    ...resultsFindings(stands),
  ];
};

const changeOf = async (run: RunDocument): Promise<NonNullable<RunState['task']>> => {
  try {
    const { digest } = await takeTask(run.config.task, undefined, taskChoice(run.config));
    return digest === run.taskSnapshot ? 'nothing' : 'folder';
  } catch (error) {
    return { problem: (error as Error).message };
  }
};

/**
 * The step at hand: the next one, or the last one where it was ended by hand after its commit. Steps of earlier
 * executions no longer matter.
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

/** Asks only where something fails or nobody answers. */
const readVersionsOf = async (
  { client }: Engine,
  workflow: Execution | null,
  children: readonly (Execution | null)[],
  live: RunProgress | null,
): Promise<Pick<RunState, 'earlierVersion' | 'served'>> => {
  const failing = [workflow, ...children].find((one) => one !== null && codeFails(one));
  if (workflow === null || (failing === undefined && live !== null)) return {};
  const { polledOn, readVersions } = await import('../../deploy/versions/versions.ts');
  const versions = await readVersions(client);
  const [before] = versions
    .filter(({ build, leftAtMs }) => build !== failing?.version && leftAtMs > 0)
    .toSorted((a, b) => b.leftAtMs - a.leftAtMs);
  return {
    earlierVersion: before?.build ?? null,
    ...(workflow.version === null || live !== null
      ? {}
      : { served: (await polledOn(client, WORKFLOW_QUEUE)).has(workflow.version) }),
  };
};

const readUpdate = async (engine: Engine, run: string, live: RunProgress | null): Promise<Pick<RunState, 'update'>> => {
  const number = live?.update?.step;
  const execution = number === undefined ? null : await readExecution(engine, updateWorkflowId(run, number));
  return number === undefined || execution === null ? {} : { update: { number, execution } };
};
