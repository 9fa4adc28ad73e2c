// People read the current details of a step in the Temporal UI: whose step it is, and what is under way or parked.
import type { Links } from '../../activities/interface/run.ts';
import type { StepPlan } from '../../activities/interface/step.ts';
import { runWorkflowId, stepWorkflowId } from '../../evolution/ids.ts';
import type { Refusal } from '../../evolution/run-states.ts';
import { type Attention, attentionLines, newestLine, noteLines, pageLine, workflowLink } from '../engine/details.ts';
import { details, digits } from '../engine/telling.ts';
import type { InStep } from '../messages/messages.ts';

type StepShown = Attention & {
  readonly run: string;
  readonly step: number;
  /** Null until the step is planned. */
  readonly plan: StepPlan | null;
  readonly counts: InStep;
  /** The last step here is committed. */
  readonly over: boolean;
  /** The number of phases that are parked. */
  readonly phases: number;
  readonly refusals: readonly Refusal[];
  readonly nowMs: number;
  readonly links?: Links;
};

const underWay = ({ plan, counts }: StepShown): string => {
  const { total, responses, applied, evaluated, toEvaluate } = counts;
  if (plan === null) return 'parents are sampled and prompts written';
  const waits = [
    ...(responses < total ? [`${responses} of ${total} responses have come`] : []),
    ...(applied < responses ? [`edits of ${responses - applied} responses are applied`] : []),
    ...(evaluated < toEvaluate ? [`${evaluated} of ${toEvaluate} programs are evaluated`] : []),
  ];
  return waits.length > 0
    ? waits.join(', ')
    : `${responses} responses and ${evaluated} evaluations, which are committed`;
};

const nameOf = ({ step, plan }: StepShown): string => {
  if (plan?.stream !== undefined) return `Stream of step ${plan.stream.first}, from step ${step} on`;
  return plan?.window === undefined ? `Step ${step}` : `Steps ${step} to ${plan.window.last}`;
};

export const stepDetails = (shown: StepShown): string => {
  const { run, step, plan, over, phases, refusals, nowMs, links } = shown;
  const settings = plan === null ? '' : `, under version ${digits(plan.version)} of the settings`;
  return details([
    `**${nameOf(shown)}** of run \`${run}\`${settings}: ${over ? 'committed' : underWay(shown)}`,
    '',
    ...attentionLines(shown, phases > 1 ? ` ${phases - 1} more phases of this step are parked.` : ''),
    `${workflowLink(runWorkflowId(run), links)} says what you can do${over ? '' : '; the signal `retry`, to this workflow too, lets what is parked try again'}.`,
    '',
    pageLine('run', run, links),
    ...noteLines(refusals),
    '',
    newestLine(nowMs, stepWorkflowId(run, step), links),
  ]);
};
