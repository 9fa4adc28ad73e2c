// People read the current details of an update in the Temporal UI: whose update it is, what it is at, what came of it,
// and what they can do.
import type { LearningBrief, UpdateOrder, UpdateResult } from '../../activities/interface/learning.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { type Parked, parkedText, type Refusal } from '../../evolution/run-states.ts';
import { inMarkdown } from '../../evolution/visible.ts';
import { type Action, actionTable, signal, update } from '../engine/actions.ts';
import { NO_TRAINER, NOT_FINITE, saysType, withoutPerson } from '../engine/park.ts';
import { cut, details, digits, duration, noteLines, utc } from '../engine/telling.ts';
import type { UpdateOperation } from '../messages/messages.ts';
import type { UpdateInput } from '../messages/update-input.ts';

/** An operation that is over, with its time in milliseconds since the epoch. */
export type Done = { readonly operation: UpdateOperation; readonly atMs: number };

type UpdateShown = {
  readonly input: UpdateInput;
  readonly operation: UpdateOperation;
  /** Null until it is planned. */
  readonly order: UpdateOrder | null;
  /** Null until it is applied. */
  readonly result: UpdateResult | null;
  /** The operations of the present order that are over, first to last. */
  readonly done: readonly Done[];
  /** The policy of the run after the last update of the step. */
  readonly settled: LearningBrief | null;
  readonly attention: string | null;
  readonly parked: Parked | null;
  readonly refusals: readonly Refusal[];
  readonly startedAtMs: number;
  readonly nowMs: number;
};

const SHORT = 200;
const LONG = 1_000;
const told = (text: string, bytes = SHORT): string => inMarkdown(cut(text, bytes));
const row = (key: string, value: string): string => `| ${key} | ${value} |`;

const AT_WORK: { readonly [operation in UpdateOperation]: string } = {
  plan: 'the rollouts of the step become a batch',
  apply: 'it is with the trainer, whose progress stands among the pending activities of this workflow',
  publish: 'the policy is handed to the server that is to serve it',
  verify: 'the server is asked for an answer under the name of the policy',
  commit: 'the run moves to the policy',
};
const OVER: { readonly [operation in UpdateOperation]: string } = {
  plan: 'batch stored',
  apply: 'trained',
  publish: 'handed to the server',
  verify: 'served',
  commit: 'committed',
};

const madeOf = ({ kind, rollouts, tokens }: UpdateOrder): string => {
  if (kind === 'start') return 'the weights that it begins with, as version 0';
  const what = kind === 'policy' ? 'rollouts' : 'examples with known answers';
  return `${digits(rollouts)} ${what}, ${digits(tokens)} tokens`;
};

const orderRows = (order: UpdateOrder): readonly string[] => [
  row('makes', `\`${told(order.policy)}\`, version ${digits(order.version)}`),
  row('made of', madeOf(order)),
  row('update id', `\`${order.updateId.slice(0, SHOWN_ID)}\` and on`),
];

/** The UI gives the table half of the page and hides what is wider; the whole id has 64 characters. */
const SHOWN_ID = 16;

/** The numbers of an update, for people. */
const resultRows = (result: UpdateResult): readonly string[] => [
  row('loss', `${short(result.loss)}, gradient norm ${short(result.gradNorm)}`),
  row(
    'clipped',
    `${percent(result.clipFraction)} of the tokens by the ratio, ${percent(result.isClipFraction)} by the importance weight`,
  ),
  row('mismatch', `${short(result.mismatch)} nats between trainer and sampler, mean over the tokens`),
  row('used', `${digits(result.used)} rollouts, ${digits(result.dropped)} left out`),
  row('took', `${duration(result.seconds)} for ${digits(result.tokens)} tokens`),
];
const short = (value: number): string => digits(Number.isFinite(value) ? Number(value.toPrecision(4)) : value);
const percent = (share: number): string => `${digits(Math.round(share * 10_000) / 100)} %`;

const attentionLines = ({ attention, parked, input: { training } }: UpdateShown): readonly string[] =>
  attention === null
    ? []
    : [
        `**Needs attention**: ${told(attention, LONG)}`,
        '',
        `${parked === null ? withoutPerson(attention) : parkedText(parked, { alone: withoutPerson(attention) })} ${training === undefined ? 'The run keeps its policy. ' : ''}What is finished is kept.`,
        '',
      ];

/**
 * The ways out of an update that is parked, by the reason in `attention`. A change of a setting lets
 * it try again at once.
 */
export const updateActions = (run: string, attention: string, whom = ''): readonly Action[] => [
  ...(saysType(NO_TRAINER, attention)
    ? [{ to: 'start the worker in which trainers run', command: 'up --learn', message: 'none' }]
    : []),
  ...(saysType(NOT_FINITE, attention)
    ? [
        update(
          'train with smaller steps, and try again',
          `set ${run} learning.optimizer.learningRate=1e-7`,
          'setConfig',
          { patch: { learning: { optimizer: { learningRate: 1e-7 } } } },
          whom,
        ),
      ]
    : []),
  update(
    'go on with the policy as it is',
    `set ${run} learning.on=false`,
    'setConfig',
    { patch: { learning: { on: false } } },
    whom,
  ),
];

const actionsNow = ({ input: { run }, attention, parked }: UpdateShown): readonly Action[] => {
  const whom = ` to \`${runWorkflowId(run)}\``;
  const interrupt = signal('interrupt it', `pause ${run} --now`, 'pause', { mode: 'now' }, whom);
  const end = signal('end the run, and make this update when it goes on', `stop ${run}`, 'stop', {}, whom);
  if (attention === null) return [interrupt, end];
  const again = signal('try again now', `retry ${run}`, 'retry', {}, ` to this workflow or${whom}`);
  return [...(parked?.trying === true ? [] : [again]), ...updateActions(run, attention, whom), interrupt, end];
};

const stateText = ({ operation, settled, order }: UpdateShown): string => {
  if (settled === null) return AT_WORK[operation];
  if (order === null) return `nothing was to be trained${settled.last === null ? '' : `: ${told(settled.last)}`}`;
  return 'committed';
};

export const updateDetails = (shown: UpdateShown): string => {
  const { input, order, result, done, settled, refusals, startedAtMs, nowMs } = shown;
  const { run, step, about, trainer, policy, training } = input;
  const ofRun = training === undefined;
  return details([
    ofRun
      ? `**Update after step ${digits(step)}** of run \`${run}\`: ${stateText(shown)}`
      : `**Training of judge** \`${run}\`, ${digits(step)} epochs: ${stateText(shown)}`,
    '',
    ...attentionLines(shown),
    ofRun ? row('run', `\`${runWorkflowId(run)}\``) : row('judge', `\`${run}\``),
    '| --- | --- |',
    row('task', told(about.task)),
    row('method', told(about.method)),
    row('trainer', told(trainer)),
    row('trained on from', policy === null ? 'no policy yet' : `\`${told(policy)}\``),
    ...(order === null ? [] : orderRows(order)),
    ...(result === null ? [] : resultRows(result)),
    row('done', done.map(({ operation, atMs }) => `${OVER[operation]} ${utc(atMs)}`).join(', ') || 'nothing yet'),
    row('begun', utc(startedAtMs)),
    '',
    ...(!ofRun
      ? [
          `\`npx evolve train-judge ${run}\` with the same arguments lets it try again at once and waits for it; \`npx evolve policies ${run}\` lists what is made.`,
        ]
      : settled === null
        ? ['**What you can do now**', '', ...actionTable('message', actionsNow(shown))]
        : [
            `Nothing is left to do here. \`npx evolve policies ${run}\` lists the policies of the run. Where the run goes back behind step ${digits(step)}, it also goes back to the policy that it had then.`,
          ]),
    ...noteLines(refusals),
    '',
    `As of ${utc(nowMs)}.${ofRun ? ` Where this execution is closed and did not complete, the newest execution of this workflow id says more, or \`${runWorkflowId(run)}\`.` : ''}`,
  ]);
};
