// The progress of a run as text: a block for terminals, one line for everything else. All functions are pure, from a
// state to lines.
import type { RunDocument, UnansweredSum } from '../../activities/store/documents/documents.ts';
import { moneyOf } from '../../activities/store/steps/paid.ts';
import { phaseLines, roundsLine, roundsReport, wallSeconds } from '../../client/read/report.ts';
import { hasEnded, refusalText } from '../../evolution/run-states.ts';
import { type Estimated, priceOf } from '../../evolution/budget/money.ts';
import { INVENTED, inventsScores } from '../../evolution/config/noop.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import { taskName } from '../../evolution/task.ts';
import type { Usage } from '../../evolution/types.ts';
import { amount, clock, dollars, score } from './output.ts';
import { doneInStep, paceText, secondsLeft, shareOfRun } from './pace.ts';
import {
  attentionText,
  endpointText,
  parkedRow,
  refusalsOf,
  statusText,
  statusWord,
  updateText,
  type WatchState,
} from './standing.ts';
import { clip, cutMiddle, LABEL, urlText } from './screen.ts';

/** The live block; every line fits the width. */
export const progressBlock = (state: WatchState, width: number): readonly string[] => {
  const { run, temporalUrl, pageUrl = null } = state;
  const wide = width >= 72;
  const rows: (readonly [string, string])[] = [
    ['run', `${cutMiddle(run.run, Math.max(24, width - LABEL - 3 - statusText(state).length))}   ${statusText(state)}`],
    [
      'task',
      wide
        ? `${taskName(run.config.task)} · method ${run.config.method} · seed ${run.config.seed}`
        : taskName(run.config.task),
    ],
    ...originRow(run),
    ['model', modelText(run)],
    ['step', stepText(state, width - LABEL)],
    ['made', madeText(run, wide)],
    ...notesRows(run),
    ...updateRow(state),
    ['best', bestText(run, wide)],
    ['tokens', `${tokensText(run.totals.tokens)} · cost ${costText(run)}${rewoundText(run)}`],
    ...estimatedRow(run),
    ...unansweredRow(run),
    ['speed', speedText(state)],
  ];
  const attention = attentionText(state);
  if (attention !== null)
    rows.push(['look', attention], ...parkedRow(state), ['', `npx evolve retry ${run.run}   tries again now`]);
  rows.push(...refusalsOf(state).map((one, index) => [index === 0 ? 'note' : '', refusalText(one)] as const));
  const lines = rows.map(([label, text]) => clip(label.padEnd(LABEL) + text, width));
  if (pageUrl !== null) lines.push(`${'page'.padEnd(LABEL)}${pageUrl}`);
  return temporalUrl === null ? lines : [...lines, `${'ui'.padEnd(LABEL)}${urlText(temporalUrl, width - LABEL)}`];
};

/**
 * One plain line for logs and pipes: the committed steps and what they made, then, apart from them, what is under way.
 */
export const progressLine = (state: WatchState): string => {
  const { run, waitingFor } = state;
  const { steps } = run.config.limits;
  const left = leftText(state);
  return [
    `step ${Math.max(0, run.committedStep)}${steps === null ? '' : `/${steps}`}`,
    `programs ${run.totals.programs}`,
    `valid ${run.totals.valid}`,
    `failed ${failed(run)}${failureKinds(run) === '' ? '' : ` (${failureKinds(run)})`}`,
    `best ${run.best === null ? 'none' : `${score(run.best.score)} (strict ${score(run.best.strictScore)})${inventsScores(run.config) ? ' (invented)' : ''}`}`,
    `tokens ${amount(run.totals.tokens.in)}/${amount(run.totals.tokens.out)}`,
    `cost ${costText(run)}`,
    ...[...estimatedRow(run), ...unansweredRow(run)].map(([, text]) => text),
    ...underWay(state),
    ...updateRow(state).map(([, text]) => text),
    ...(state.perMinute === null ? [] : [`${Math.round(state.perMinute)}/min`]),
    ...(left === null ? [] : [`left ${left}`]),
    ...(waitingFor === null ? [] : [`waiting for ${waitingFor}`]),
    ...(statusWord(state) === 'running' ? [] : [statusText(state)]),
    ...(attentionText(state) === null
      ? []
      : [`needs attention: ${attentionText(state)}`, ...parkedRow(state).map(([, text]) => text)]),
    ...refusalsOf(state)
      .slice(0, 1)
      .map((one) => `note: ${refusalText(one)}`),
  ].join('  ');
};

const updateRow = (state: WatchState): (readonly [string, string])[] => {
  const text = updateText(state);
  return text === null ? [] : [['learns', text]];
};

/** How far the work is that is not committed, once anything of it is done. */
const underWay = ({ run, inStep }: WatchState): readonly string[] =>
  inStep === null || hasEnded(run) || doneInStep(inStep) === 0
    ? []
    : [`under way ${Math.min(inStep.total, doneInStep(inStep))} of ${inStep.total}`];

/**
 * Rows on the initial phase, lines that came back, the policy, rounds of ideas, and programs without a cell, where
 * there are any.
 */
const notesRows = ({
  config,
  policy = null,
  totals: { lines, rounds },
  population: { noCell, founded },
}: RunDocument): (readonly [string, string])[] => [
  ...phaseLines(config, founded).map((text) => ['phase', text] as const),
  ...(lines === undefined || lines.reintroduced === 0
    ? []
    : [
        [
          'lines',
          `edits added ${amount(lines.added)}, of which an ancestor had deleted ${amount(lines.reintroduced)} before`,
        ] as const,
      ]),
  ...(policy === null
    ? []
    : [
        [
          'policy',
          `version ${policy.version} (${policy.id})${config.learning.on ? '' : ' · learning is off'}`,
        ] as const,
      ]),
  ...(rounds === undefined ? [] : [['rounds', roundsLine(roundsReport(rounds)!)] as const]),
  ...Object.entries(noCell ?? {}).map(
    ([feature, count]) => ['', `${amount(count)} valid without ${feature}: they have no cell`] as const,
  ),
];

/** The sweep to which the run belongs, or the run of which it is a fork. */
const originRow = ({ sweep, origin }: RunDocument): (readonly [string, string])[] => {
  const texts = [
    ...(sweep === null ? [] : [`sweep ${sweep}`]),
    ...(origin === null ? [] : [`fork of ${origin.run} after step ${origin.step}`]),
  ];
  return texts.length === 0 ? [] : [['of', texts.join(' · ')]];
};

const modelText = ({ config: { model, models } }: RunDocument): string =>
  [model, ...models]
    .map((one) =>
      one.kind === 'offline'
        ? 'no language model (offline genetic-programming mutator)'
        : `${one.name} at ${endpointText(one)}`,
    )
    .join(' + ');

/** `12.3 k in (4.00 k cached) · 5.00 k out (3.00 k reasoning)`. */
export const tokensText = ({ in: read, out, cached, reasoning }: Usage, between = ' · '): string =>
  `${amount(read)} in${cached === undefined ? '' : ` (${amount(cached)} cached)`}${between}${amount(out)} out${reasoning === undefined ? '' : ` (${amount(reasoning)} reasoning)`}`;

/** The cost is unknown as soon as the price of one model is. */
export const costText = ({ config: { model, models }, totals }: RunDocument): string =>
  [model, ...models].some((one) => priceOf(one) === null)
    ? 'unknown (model.price is not set)'
    : dollars(totals.costUsd);

/** What was paid for in rewound steps: limits count it. */
export const rewoundText = (run: RunDocument): string => {
  const { tokens, costUsd } = moneyOf(run).setAside;
  return tokens === 0 ? '' : ` · in rewound steps ${amount(tokens)} tokens, ${dollars(costUsd)}`;
};

/** What nobody counted is said beside what was counted, with the limits that depend on it. */
const estimatedRow = ({ totals: { estimated }, config: { limits } }: RunDocument): (readonly [string, string])[] => {
  if (estimated === undefined) return [];
  const held = (['tokens', 'costUsd'] as const).filter((key) => limits[key] !== null).map((key) => `limits.${key}`);
  return [
    [
      '',
      `${estimatedText(estimated)}${held.length === 0 ? '' : `; ${held.join(' and ')} ${held.length === 1 ? 'is' : 'are'} held against the estimate`}`,
    ],
  ];
};

export const estimatedText = ({ answers, tokens }: Estimated): string =>
  `estimated: about ${amount(tokens)} tokens of ${amount(answers)} ${answers === 1 ? 'answer' : 'answers'}, whose endpoint named none`;

const unansweredRow = ({ unanswered }: RunDocument): (readonly [string, string])[] =>
  unanswered === undefined || unanswered.requests === 0 ? [] : [['', unansweredText(unanswered)]];

/** What was sent and not answered counts against limits, so whoever reads the tokens is told of it. */
export const unansweredText = (sum: UnansweredSum): string => `without an answer: ${requestsText(sum)}`;

export const requestsText = ({ requests, tokens, costUsd }: UnansweredSum): string =>
  `${amount(requests)} ${requests === 1 ? 'request' : 'requests'}, about ${amount(tokens.in + tokens.out)} tokens (estimated), ${dollars(costUsd)}`;

/** The step at hand according to the document, because the workflow may already be in a later one. */
const stepNow = ({ run, live }: WatchState): number =>
  Math.max(
    0,
    !hasEnded(run) && live !== null && live.step > run.committedStep ? run.committedStep + 1 : run.committedStep,
  );

const stepText = (state: WatchState, width: number): string => {
  const { run, inStep } = state;
  const { steps } = run.config.limits;
  const head = `${stepNow(state)}${steps === null ? '' : `/${steps}`}`;
  if (hasEnded(run)) return `${head} done`;
  const total = inStep?.total ?? run.config.batch * run.config.responses;
  const done = Math.min(total, doneInStep(inStep));
  // What a stream has under way is for several steps.
  const tail =
    inStep === null
      ? ''
      : run.config.schedule === 'continuous'
        ? `${total} under way: ${inStep.responses} answered, ${done} finished`
        : `${done} of ${total} done, ${inStep.responses} answered`;
  const room = width - head.length - tail.length - 4;
  const share = shareOfRun(run, inStep);
  return [head, ...(share === null || room < 10 ? [] : [bar(share, Math.min(30, room))]), tail]
    .filter((part) => part !== '')
    .join('  ');
};

const bar = (share: number, width: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
};

const failed = (run: RunDocument): number => run.totals.programs - run.totals.valid;
const failureKinds = (run: RunDocument): string =>
  Object.entries(run.totals.failures)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');

const madeText = (run: RunDocument, wide: boolean): string => {
  const kinds = failureKinds(run);
  return `${run.totals.programs} programs · ${run.totals.valid} valid · ${failed(run)} failed${wide && kinds !== '' ? `: ${kinds}` : ''}`;
};

const bestText = (run: RunDocument, wide: boolean): string => {
  const { best } = run;
  if (best === null) return 'none yet';
  const found = best.step === 0 ? 'the initial program' : `step ${best.step}`;
  const mark = inventsScores(run.config) ? ` · ${INVENTED}` : '';
  return wide
    ? `${score(best.score)} tolerant · ${score(best.strictScore)} strict · ${found}${mark}`
    : `${score(rankingScore(best, run.config.evaluation.scoring))} · ${found}${mark}`;
};

const leftText = ({ run, inStep, perMinute, now }: WatchState): string | null => {
  if (hasEnded(run)) return null;
  const left = secondsLeft(run, inStep, perMinute, now);
  return left === null ? null : `about ${clock(left)}`;
};

const speedText = (state: WatchState): string => {
  const { run, now } = state;
  const left = leftText(state);
  const perMinute = hasEnded(run) ? (run.totals.programs / Math.max(1, wallSeconds(run, now))) * 60 : state.perMinute;
  return [
    ...(perMinute === null ? [] : [paceText(perMinute)]),
    `elapsed ${clock(wallSeconds(run, now))}`,
    ...(left === null ? [] : [`time left ${left}`]),
  ].join(' · ');
};
