// The details of a run in the Temporal UI: its state, what needs attention, a summary, and what a person can do. They are
// written anew at every change and leave nothing in the history.
import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { RunBrief } from '../../activities/interface/run.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { hasEnded, type Refusal, type RunStatus } from '../../evolution/run-states.ts';
import type { Situation } from '../../evolution/steering/base/verb.ts';
import {
  type Attention,
  attentionLines,
  newestLine,
  noteLines,
  overLines,
  pageLine,
  stateLine,
  told,
  workflowLink,
} from '../engine/details.ts';
import { details, digits, dollars, summary } from '../engine/telling.ts';
import { whatNow } from '../engine/what-now.ts';

export type Shown = Attention & {
  readonly run: string;
  readonly status: RunStatus;
  /** The reason of the pause or the end. */
  readonly reason: string | null;
  /** Null where nothing is known of the run yet. */
  readonly brief: RunBrief | null;
  readonly paused: boolean;
  readonly refusals: readonly Refusal[];
  /** The reason for going on in another execution; null while the run is in this one. */
  readonly left: string | null;
};

/** The execution of the run's workflow that shows these details. */
type Execution = {
  readonly nowMs: number;
  readonly id: string;
  /** The execution that continued as this one, and the one of which a reset made it. */
  readonly after: string | null;
  readonly resetOf: string | null;
};

/** The situation of a run, by which verbs make sense. */
export const situationOf = ({ run, status, reason, brief, paused, attention }: Shown): Situation => ({
  run,
  state: status,
  steps: brief?.committedStep ?? 0,
  programs: brief?.totals.programs ?? 0,
  best: brief?.best ?? null,
  begun: brief !== null && brief.committedStep >= 0,
  sweep: brief?.sweep ?? null,
  stopReason: reason,
  stream: brief?.stream === true,
  paused,
  parked: attention,
});

const bestText = ({ best }: RunBrief): string =>
  best === null
    ? 'no best program yet'
    : `best ${digits(best.score)}${typeof best.strictScore === 'number' ? `, strict ${digits(best.strictScore)}` : ''} (${told(best.program)})`;

const policyText = ({ learning }: RunBrief): string => {
  if (learning === undefined) return '';
  const { on, policy } = learning;
  const how = on ? '' : ' (learning is switched off)';
  return policy === null
    ? `; no policy yet${how}`
    : `; policy ${told(policy.id)}, version ${digits(policy.version)}${how}`;
};

const summaryLine = (brief: RunBrief): string => {
  const { task, method, model, seed, configVersion, totals, paid } = brief;
  return `${told(task)}, ${told(method)}, ${told(model)}, seed ${digits(seed)}, version ${digits(configVersion)} of the settings${policyText(brief)}; ${bestText(brief)}; ${digits(totals.programs)} programs, ${digits(totals.valid)} valid; ${dollars(paid.costUsd)} USD.`;
};

const progressText = ({ committedStep, limits }: RunBrief): string => {
  const { steps } = limits;
  return `, step ${digits(Math.max(0, committedStep))}${steps === null || steps === undefined ? '' : ` of ${digits(steps)}`}`;
};

const executionLines = (
  { run, status, brief, left }: Shown,
  { nowMs, id, after, resetOf }: Execution,
): readonly string[] => {
  const linkTo = (execution: string): string => workflowLink(runWorkflowId(run), brief?.links, execution);
  const origins = [
    ...(resetOf === null ? [] : [`a reset of ${linkTo(resetOf)} made it`]),
    ...(after === null ? [] : [`it continues ${linkTo(after)}`]),
  ];
  return [
    // The last execution of a run records its end, and does nothing else.
    ...(left !== null || after === null || !hasEnded({ status })
      ? []
      : [`The last steps, with their timeline, stand in the execution before this one: ${linkTo(after)}.`, '']),
    `${newestLine(nowMs, runWorkflowId(run), brief?.links)} This one is \`${id}\`${origins.length === 0 ? '' : `; ${origins.join('; ')}`}.`,
  ];
};

export const runDetails = (shown: Shown, execution: Execution): string => {
  const { run, status, reason, brief, refusals, left } = shown;
  return details([
    ...overLines(left, runWorkflowId(run), brief?.links),
    stateLine(status, reason, brief === null ? ', not open yet' : progressText(brief)),
    '',
    ...attentionLines(shown),
    brief === null ? 'The input of this workflow says what was asked for.' : summaryLine(brief),
    '',
    ...(left === null ? [...whatNow('run', situationOf(shown)), ''] : []),
    pageLine('run', run, brief?.links),
    ...noteLines(refusals),
    '',
    ...executionLines(shown, execution),
  ]);
};

export const showRun = (shown: Shown): void => {
  const { runId, originalExecutionRunId, continuedFromExecutionRunId = null } = workflowInfo();
  const execution: Execution = {
    nowMs: Date.now(),
    id: runId,
    after: continuedFromExecutionRunId,
    resetOf: originalExecutionRunId === runId ? null : originalExecutionRunId,
  };
  setCurrentDetails(textOf(shown, execution));
};

/** No text may hold up a run. */
const textOf = (shown: Shown, execution: Execution): string => {
  try {
    return runDetails(shown, execution);
  } catch {
    return details([`**${shown.status}**`, '', `\`npx evolve status ${shown.run}\` says more.`]);
  }
};

export const stepSummaryLine = ({ task, batch, responses }: RunBrief, step: number): string =>
  summary(step === 0 ? `${task}: initial program` : `${task}: step ${step}, ${batch} x ${responses} responses`);
