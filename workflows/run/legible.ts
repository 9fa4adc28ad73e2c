// People read these texts about a run in the Temporal UI: one-line summaries and Markdown details. What comes from
// outside is put in so that it draws nothing.
import { setLimits } from '../../evolution/budget/limits.ts';
import type { Written } from '../../activities/interface/results.ts';
import type { RunBrief } from '../../activities/interface/run.ts';
import type { OnHidden } from '../../activities/interface/step.ts';
import type { Limits } from '../../evolution/config/run-config.ts';
import { hasEnded, type Parked, parkedText, type Refusal } from '../../evolution/run-states.ts';
import { inMarkdown, visible } from '../../evolution/visible.ts';
import { withoutPerson } from '../engine/park.ts';
import type { LastError } from '../messages/run-input.ts';
import { isObject, shown as anything } from '../../evolution/steering/base/check.ts';
import type { StepInput } from '../messages/step-input.ts';
import { counted, cut, details, digits, dollars, duration, noteLines, summary, utc } from '../engine/telling.ts';
import { spentBy } from './spending.ts';
import { type Situation, whatNow } from './what-now.ts';

/** The state of a run as its current details show it. */
export type Shown = Pick<Situation, 'status' | 'paused' | 'interrupts' | 'stepParked' | 'updateParked' | 'nowMs'> & {
  readonly attention: string | null;
  readonly parked: Parked | null;
  /** The reason of the pause or the end. */
  readonly reason: string | null;
  readonly refusals: readonly Refusal[];
  readonly hidden: OnHidden | null;
  /** The place of the files of a run that has ended; null where it is not known. */
  readonly files: Written | null;
  readonly lastError: LastError | null;
  /** The step whose workflow is at work, and since when. */
  readonly underWay: { readonly step: number; readonly sinceMs: number } | null;
  /** The step whose update is under way, and since when. */
  readonly updating: { readonly step: number; readonly sinceMs: number } | null;
  readonly execution: Execution;
};

/** The execution of the run's workflow whose page it is. */
type Execution = {
  readonly id: string;
  readonly startedAtMs: number;
  /** The execution that continued as this one, and the one of which a reset made it. */
  readonly after: string | null;
  readonly resetOf: string | null;
  /** The reason for going on in another execution; null while the run is in this one. */
  readonly left: string | null;
};

const SHORT = 200;
const LONG = 1_000;
const LONGEST_FAILURES = 2_000;
const told = (text: string, bytes = SHORT): string => inMarkdown(cut(text, bytes));
const code = (id: string): string => `\`${visible(cut(id, SHORT)).replaceAll(/[`|\s]/g, ' ')}\``;
const row = (key: string, value: string): string => `| ${key} | ${value} |`;

/** Facts that do not change from step to step. Rows of a table. */
const settingRows = (brief: RunBrief): readonly string[] => [
  row('task', told(brief.task)),
  row('method', told(brief.method)),
  row('model', told(brief.model)),
  row('seed', digits(brief.seed)),
  row('settings', settingsText(brief)),
  row('a step', `${digits(brief.batch)} groups of ${digits(brief.responses)} responses`),
  row('sweep', typeof brief.sweep === 'string' ? code(`sweep/${brief.sweep}`) : 'none'),
  row('policy', policyText(brief)),
];

const policyText = ({ learning }: RunBrief): string => {
  if (learning === undefined) return 'none: the run does not learn';
  const { on, trainer, lag, policy } = learning;
  const how = on ? `trained by ${told(trainer)}${lag === 1 ? ', each update beside the next step' : ''}` : OFF;
  return `${policy === null ? 'none yet' : `${code(policy.id)}, version ${digits(policy.version)}`}; ${how}`;
};
const OFF = 'learning is switched off (`learning.on`)';

const settingsText = ({ configVersion, differing }: RunBrief): string => {
  const version = `version ${digits(configVersion)}`;
  if (differing === undefined) return version;
  const { named, more } = differing;
  if (named.length === 0) return `${version}, all as in the preset of the method`;
  return `${version}; not as in the preset: ${told(named.join(', '), LONG)}${more > 0 ? ` and ${digits(more)} more` : ''}`;
};

export const runTable = (brief: RunBrief): string =>
  details([
    '| setting | value |',
    '| --- | --- |',
    ...settingRows(brief),
    ...setLimits(brief.limits).map(([key, value]) => row(`limit: ${key}`, digits(value))),
  ]);

/** The progress of the run towards each of its limits. */
const limitRows = (brief: RunBrief, nowMs: number): readonly string[] => {
  const spent = spentBy(brief, nowMs);
  const text: { readonly [limit in keyof Limits]: (limit: number) => string } = {
    steps: (limit) => `${digits(Math.max(0, spent.steps))} of ${digits(limit)}`,
    programs: (limit) => `${digits(spent.programs)} of ${digits(limit)}`,
    tokens: (limit) => `${digits(spent.tokens)} of ${digits(limit)}`,
    costUsd: (limit) => `${dollars(spent.costUsd)} of ${digits(limit)} USD`,
    wallSeconds: (limit) => `${duration(spent.wallSeconds)} of ${duration(limit)}`,
    targetScore: (limit) => `${spent.best === null ? 'no score yet' : digits(spent.best)}, to reach ${digits(limit)}`,
    noImprovementPrograms: (limit) => `${digits(spent.sinceBest)} of ${digits(limit)} programs since the best one`,
    stagnantEpochs: (limit) => `${digits(spent.stagnantEpochs)} of ${digits(limit)}`,
  };
  const rows = setLimits(brief.limits).map(([key, limit]) => row(`limit: ${key}`, text[key]?.(limit) ?? digits(limit)));
  return rows.length === 0 ? [row('limits', 'none')] : rows;
};

/** Facts about the run that its step shows to people. */
export const aboutStep = ({ task, method, model, seed }: RunBrief): NonNullable<StepInput['about']> => ({
  task: cut(task, SHORT),
  method: cut(method, SHORT),
  model: cut(model, SHORT),
  seed: counted(seed),
});

export const stepSummaryLine = (brief: RunBrief, step: number): string =>
  summary(
    step === 0
      ? `${brief.task}: initial program`
      : `${brief.task}: step ${step}, ${brief.batch} x ${brief.responses} responses`,
  );

const hiddenText = ({ hiddenDirection }: RunBrief, { score, outcome, initial }: OnHidden): string =>
  [
    score === null ? told(outcome) : `**${digits(score)}**`,
    ...(hiddenDirection === undefined
      ? []
      : [`, the ${hiddenDirection === 'maximise' ? 'larger' : 'smaller'} the better`]),
    ...(initial === undefined || initial === null ? [] : [`; the initial program has ${digits(initial)} there`]),
  ].join('');

const bestText = ({ best, scoring }: RunBrief): string => {
  if (best === null) return 'none yet';
  const strict = typeof best.strictScore === 'number' ? `, strict ${digits(best.strictScore)}` : '';
  const ranks = strict === '' ? '' : `, and the ${scoring === 'strict' ? 'strict' : 'tolerant'} score ranks`;
  return `**${digits(best.score)}**${strict}${ranks}; program ${code(best.program)}`;
};

/** The workflow of a window of steps is named after its first one. */
const underWayText = ({ underWay, updating }: Shown, committedStep: number): string => {
  const update = updating === null ? '' : `update of step ${digits(updating.step)}, begun ${utc(updating.sinceMs)}`;
  if (update === '' || underWay !== null)
    return `${stepText(underWay, committedStep)}${update === '' ? '' : `; beside it ${update}`}`;
  return update;
};

const stepText = (underWay: Shown['underWay'], committedStep: number): string => {
  if (underWay === null) return 'no step';
  const { step, sinceMs } = underWay;
  return committedStep >= step
    ? `step ${digits(committedStep + 1)}, in a window from step ${digits(step)} on, begun ${utc(sinceMs)}`
    : `step ${digits(step)}, begun ${utc(sinceMs)}`;
};

/** The progress of the run. Rows of a table. */
const progressRows = (brief: RunBrief, shown: Shown): readonly string[] => {
  const { totals, best, committedStep, committedAtMs, improvedAtMs, paid, learning } = brief;
  const { nowMs, hidden, lastError } = shown;
  const failures =
    cut(
      Object.entries(totals.failures)
        .map(([kind, count]) => `${kind} ${count}`)
        .join(', '),
      LONGEST_FAILURES,
    ) || 'none';
  const aside = paid.tokens > totals.tokens.in + totals.tokens.out;
  return [
    row('under way', underWayText(shown, committedStep)),
    ...(learning?.last ? [row('last update', told(learning.last, LONG))] : []),
    row('best', bestText(brief)),
    ...(hidden === null || hidden.program !== best?.program
      ? []
      : [row('best on hidden instances', hiddenText(brief, hidden))]),
    row('last commit', committedStep < 0 ? 'none yet' : `step ${digits(committedStep)}, ${utc(committedAtMs)}`),
    row(
      'last improvement',
      best === null
        ? 'none yet'
        : `step ${digits(best.step)}, ${utc(improvedAtMs)}, ${digits(totals.sinceBest)} programs ago`,
    ),
    ...limitRows(brief, nowMs),
    row(
      'programs',
      `${digits(totals.programs)} made, ${digits(totals.valid)} valid; failures: ${inMarkdown(failures)}`,
    ),
    row('tokens', `${digits(totals.tokens.in)} in, ${digits(totals.tokens.out)} out`),
    row(
      'cost',
      `${dollars(paid.costUsd)} USD${aside ? ` for ${digits(paid.tokens)} tokens, with what later steps replaced and what stayed without an answer` : ''}`,
    ),
    row('last error', lastError === null ? 'none' : `${utc(lastError.atMs)}: ${told(lastError.text, LONG)}`),
  ];
};

const filesText = (run: string, files: Written | null): string => {
  const again = `\`npx evolve files ${run}\` writes them`;
  if (files === null) return again;
  const { host, directory, failure } = files;
  return failure === null
    ? `${told(directory, LONG)} on ${told(host)}`
    : `could not be written on ${told(host)}: ${told(failure, LONG)}; ${again}`;
};

const attentionLines = ({ attention, parked }: Pick<Shown, 'attention' | 'parked'>): readonly string[] =>
  attention === null
    ? []
    : [
        `**Needs attention**: ${told(attention, LONG)}`,
        '',
        `${parked === null ? withoutPerson(attention) : parkedText(parked, { alone: withoutPerson(attention) })} What is finished is kept.`,
        '',
      ];

const stateLine = (status: string, reason: string | null, then = ''): string =>
  `**${status}**${reason ? ` (${told(reason, LONG)})` : ''}${then}`;

const executionLines = (
  run: string,
  { id, startedAtMs, after, resetOf }: Execution,
  nowMs: number,
): readonly string[] => [
  '',
  `As of ${utc(nowMs)}. This page is one execution of \`run/${run}\`: \`${id}\`, begun ${utc(startedAtMs)}${resetOf === null ? '' : ` by a reset of \`${resetOf}\``}${after === null ? '' : `, as the continuation of \`${after}\``}. Where it is closed and did not complete, the run went on in the newest execution of \`run/${run}\`.`,
];

const leftLines = (run: string, { left }: Execution): readonly string[] =>
  left === null
    ? []
    : [
        `**This execution is over**: ${told(left, LONG)}. The newest execution of \`run/${run}\` says how the run stands.`,
        '',
      ];

/** The whole page of a run that is known, be it open, at rest, or over in this execution. */
export const runDetails = (brief: RunBrief, shown: Shown): string => {
  const { run, limits, committedStep } = brief;
  const { status, reason, attention, nowMs, refusals, execution } = shown;
  const steps = limits.steps === null || limits.steps === undefined ? '' : ` of ${digits(limits.steps)}`;
  return details([
    ...leftLines(run, execution),
    stateLine(status, reason, `, step ${digits(Math.max(0, committedStep))}${steps}`),
    '',
    ...attentionLines(shown),
    `| run | \`${run}\` |`,
    '| --- | --- |',
    ...settingRows(brief),
    ...progressRows(brief, shown),
    ...(hasEnded(shown) ? [row('files', filesText(run, shown.files))] : []),
    '',
    ...(execution.left === null ? whatNow({ ...shown, run, brief, parked: attention !== null }) : []),
    ...noteLines(refusals),
    ...executionLines(run, execution, nowMs),
  ]);
};

/** A run that is not open has no programs to show yet: what is known is what its start object asked for. */
export const openingDetails = (run: string, asked: unknown, shown: Shown): string =>
  details([
    stateLine(shown.status, shown.reason, ', not open yet'),
    '',
    ...attentionLines(shown),
    `| run | \`${run}\` |`,
    '| --- | --- |',
    ...askedRows(asked),
    '',
    ...whatNow({ ...shown, run, brief: null, parked: shown.attention !== null }),
    ...noteLines(shown.refusals),
    ...executionLines(run, shown.execution, shown.nowMs),
  ]);

const ASKED = ['task', 'method', 'model', 'seed', 'limits'] as const;

/** The settings of the start object were typed by anybody and are not checked yet. */
const askedRows = (asked: unknown): readonly string[] =>
  ASKED.flatMap((key) =>
    isObject(asked) && Object.hasOwn(asked, key) ? [row(`${key}, as asked for`, told(askedText(asked[key])))] : [],
  );

const askedText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (!isObject(value) || typeof value['name'] !== 'string') return anything(value);
  return value['kind'] === 'offline' ? 'no language model' : value['name'];
};
