// People read the current details of a step in the Temporal UI: whose step it is, what is under way, and what they can
// do.
import type { StepPlan } from '../../activities/interface/step.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { type Parked, parkedText, type Refusal } from '../../evolution/run-states.ts';
import { inMarkdown } from '../../evolution/visible.ts';
import { type Action, actionTable, signal, update } from '../engine/actions.ts';
import { withoutPerson } from '../engine/park.ts';
import { cut, details, digits, noteLines, utc } from '../engine/telling.ts';
import type { InStep } from '../messages/messages.ts';
import type { StepInput } from '../messages/step-input.ts';

type StepShown = {
  readonly input: StepInput;
  /** Null until the step is planned. */
  readonly plan: StepPlan | null;
  readonly counts: InStep;
  /** The last step here is committed. */
  readonly over: boolean;
  readonly attention: string | null;
  readonly parked: Parked | null;
  /** The number of phases that are parked. */
  readonly phases: number;
  readonly refusals: readonly Refusal[];
  readonly startedAtMs: number;
  readonly nowMs: number;
};

const SHORT = 200;
const LONG = 1_000;
const told = (text: string, bytes = SHORT): string => inMarkdown(cut(text, bytes));
const row = (key: string, value: string): string => `| ${key} | ${value} |`;

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

const attentionLines = ({ attention, parked, phases }: StepShown): readonly string[] =>
  attention === null
    ? []
    : [
        `**Needs attention**: ${told(attention, LONG)}`,
        '',
        `${parked === null ? withoutPerson(attention) : parkedText(parked, { alone: withoutPerson(attention) })} What is finished is kept.${phases > 1 ? ` ${phases - 1} more phases of this step are parked.` : ''}`,
        '',
      ];

const actionsNow = ({ input: { run }, attention, parked }: StepShown): readonly Action[] => {
  const toRun = ` to \`${runWorkflowId(run)}\``;
  return attention === null
    ? [
        signal('wait after this step', `pause ${run}`, 'pause', { mode: 'step' }, toRun),
        signal('interrupt it', `pause ${run} --now`, 'pause', { mode: 'now' }, toRun),
        signal('end the run after it', `stop ${run}`, 'stop', { mode: 'step' }, toRun),
      ]
    : [
        ...(parked?.trying === true
          ? []
          : [signal('try again now', `retry ${run}`, 'retry', {}, ` to this workflow or${toRun}`)]),
        signal('ask the model afresh', `retry ${run} --resample`, 'retry', { resample: true }, toRun),
        update(
          'ask at another address, then try again',
          `set ${run} model.baseUrl=https://host/v1`,
          'setConfig',
          { patch: { model: { baseUrl: 'https://host/v1' } } },
          toRun,
        ),
        signal('interrupt it', `pause ${run} --now`, 'pause', { mode: 'now' }, toRun),
        signal('end the run', `stop ${run}`, 'stop', {}, toRun),
      ];
};

export const stepDetails = (shown: StepShown): string => {
  const { input, plan, over, refusals, startedAtMs, nowMs } = shown;
  const { run, step, about } = input;
  const last = plan?.window?.last ?? null;
  const stream = plan?.stream ?? null;
  const what =
    stream !== null
      ? `Stream of step ${stream.first}, from step ${step} on`
      : last === null
        ? `Step ${step}`
        : `Steps ${step} to ${last}`;
  const again = Math.max(1, step);
  return details([
    `**${what}** of run \`${run}\`: ${over ? 'committed' : underWay(shown)}`,
    '',
    ...attentionLines(shown),
    row('run', `\`${runWorkflowId(run)}\``),
    '| --- | --- |',
    ...(about === undefined
      ? []
      : [
          row('task', told(about.task)),
          row('method', told(about.method)),
          row('model', told(about.model)),
          row('seed', digits(about.seed)),
        ]),
    row('settings', plan === null ? 'not planned yet' : `version ${digits(plan.version)}`),
    ...(stream === null
      ? []
      : [
          row(
            'schedule',
            `continuous: ${digits(stream.inFlight)} programs at the model at once, and each ${digits(stream.batch)} groups that are finished make a step`,
          ),
        ]),
    row('begun', utc(startedAtMs)),
    '',
    ...(over
      ? [
          `Nothing is left to do here. \`npx evolve rewind ${run} --to-step ${again}\`, or the update \`rewind\` with \`{"toStep": ${again}}\` to the run, does the step again.`,
        ]
      : ['**What you can do now**', '', ...actionTable('message', actionsNow(shown))]),
    ...noteLines(refusals),
    '',
    `As of ${utc(nowMs)}. Where this execution is closed and did not complete, the newest execution of this workflow id says more, or \`${runWorkflowId(run)}\`.`,
  ]);
};
