// Runs whose workflow is open and that have no document yet: their opening fails, or no worker has taken them up. Only
// the workflow engine knows of them, and people must see why they wait, and be able to end them.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { RUN_WORKFLOW, runWorkflowId } from '../../evolution/ids.ts';
import { type Parked, type Refusal, type RunStatus } from '../../evolution/run-states.ts';
import type { Engine, TemporalUi } from '../connect/connection.ts';
import { NO_FAILURES, temporalUrl } from '../read/report.ts';
import type { RunReport } from '../read/shapes.ts';
import { isAtRest, isOpen, progressOf } from './workflow.ts';

type Unopened = {
  readonly run: string;
  readonly startedAt: Date;
  readonly state: RunStatus;
  readonly reason: string;
  readonly parked: Parked | null;
  readonly refusals: readonly Refusal[];
};

const ANSWER_MS = 5_000;
/** More of them are counted by the Temporal UI; each costs a question to its workflow. */
const MOST = 20;

/** The workflow's word, or the fact that no worker answers for it. */
const wordOf = async (engine: Engine, run: string): Promise<Omit<Unopened, 'run' | 'startedAt'>> =>
  progressOf(engine, run, ANSWER_MS).then(
    ({ status, attention, parked, refusals }) => ({
      state: status,
      reason: attention ?? 'its opening is tried',
      parked,
      refusals,
    }),
    () => ({ state: 'needs attention', reason: 'no worker answers', parked: null, refusals: [] }),
  );

/** Newest first. `known` are the runs that have documents. */
export const unopenedRuns = async (engine: Engine, known: readonly RunDocument[]): Promise<readonly Unopened[]> => {
  const ids = new Set(known.map(({ run }) => runWorkflowId(run)));
  const started: { readonly run: string; readonly startedAt: Date }[] = [];
  const query = `WorkflowType = "${RUN_WORKFLOW}" AND ExecutionStatus = "Running"`;
  for await (const { workflowId, startTime, memo } of engine.client.workflow.list({ query })) {
    if (ids.has(workflowId) || !workflowId.startsWith('run/') || isAtRest(memo)) continue;
    started.push({ run: workflowId.slice('run/'.length), startedAt: startTime });
    if (started.length >= MOST) break;
  }
  return Promise.all(started.map(async (one) => ({ ...one, ...(await wordOf(engine, one.run)) })));
};

/** Null where the engine knows no open workflow of this run. */
export const unopenedRun = async (engine: Engine, run: string): Promise<Unopened | null> => {
  if (!(await isOpen(engine, runWorkflowId(run)))) return null;
  const { startTime } = await engine.client.workflow.getHandle(runWorkflowId(run)).describe();
  return { run, startedAt: startTime, ...(await wordOf(engine, run)) };
};

export const notOpenYet = (run: string): string =>
  `run ${run} is not open yet: \`npx evolve status ${run}\` says why, \`npx evolve retry ${run}\` tries again now, \`npx evolve stop ${run}\` ends it`;

/** The report of a run of which nothing but its workflow exists. */
export const unopenedReport = (
  { run, startedAt, state, reason, parked, refusals }: Unopened,
  now: Date,
  ui: TemporalUi | null,
): RunReport => ({
  ...{ run, task: '-', method: '-', seed: 0, state, stopReason: `not open yet: ${reason}`, parked, refusals },
  ...{ steps: 0, programs: 0, valid: 0, failures: NO_FAILURES, best: null, uncommitted: null, scoresInvented: false },
  ...{ tokens: { in: 0, out: 0 }, costUsd: 0, estimated: { answers: 0, tokens: 0 } },
  wallSeconds: Math.round((now.getTime() - startedAt.getTime()) / 100) / 10,
  ...{
    offlineModel: false,
    level: null,
    stream: false,
    createdAt: startedAt.toISOString(),
    lines: null,
    rounds: null,
    noCell: {},
  },
  ...{ initialisation: null, limits: {}, settingsVersion: 0, paid: { tokens: 0, costUsd: 0 } },
  unanswered: { requests: 0, tokens: { in: 0, out: 0 }, costUsd: 0 },
  ...{ mark: null, sweep: null, origin: null, taskUpdates: [], policy: null, trackers: [] },
  temporalUrl: temporalUrl(ui, run),
});
