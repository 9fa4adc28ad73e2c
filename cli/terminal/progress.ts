// The progress of a run as text: a block for terminals, one line for everything else. All functions are pure.
import type { RunDocument, UnansweredSum } from '../../activities/store/documents/documents.ts';
import { rescoringText } from '../../evolution/reports/rescoring-text.ts';
import { trustText } from '../../evolution/task/trust.ts';
import { moneyOf, paidSoFar } from '../../activities/store/steps/paid.ts';
import { phaseLines, roundsLine, roundsReport, wallSeconds } from '../../client/read/report.ts';
import { hasEnded, refusalText } from '../../evolution/run-states.ts';
import { type Estimated, priceOf } from '../../evolution/budget/money.ts';
import { INVENTED, inventsScores } from '../../evolution/config/noop.ts';
import { adviceLines } from '../../evolution/steering/advice/advice.ts';
import { inStepText } from '../../evolution/reports/in-step.ts';
import { aheadText } from '../../evolution/reports/spending.ts';
import { wholeMark } from '../../evolution/steering/base/people.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import { taskName } from '../../evolution/task/task.ts';
import type { Usage } from '../../evolution/types.ts';
import { amount, clock, counted, dollars } from '../../evolution/reports/number-text.ts';
import { LOCAL, score, scores } from './output.ts';
import { doneInStep, paceText, secondsLeft, shareOfRun } from './pace.ts';
import {
  attentionText,
  endpointText,
  parkedNote,
  refusalsOf,
  statusText,
  statusWord,
  updateText,
  type WatchState,
} from './standing.ts';
import { clip, cutMiddle, LABEL, urlText } from './screen.ts';

/** A label and its text; the text is null where there is nothing to say. */
type Row = readonly [label: string, text: string | null];

/** The live block; every line fits the width. */
export const progressBlock = (state: WatchState, width: number): readonly string[] => {
  const { run, temporalUrl, pageUrl = null } = state;
  const wide = width >= 72;
  const { task, method, seed } = run.config;
  const attention = attentionText(state);
  const rows: readonly Row[] = [
    ['run', `${cutMiddle(run.run, Math.max(24, width - LABEL - 3 - statusText(state).length))}   ${statusText(state)}`],
    ['task', wide ? `${taskName(task)} · method ${method} · seed ${seed}` : taskName(task)],
    ['level', run.trust === undefined ? null : trustText(run.trust)],
    ['of', originText(run)],
    ...(run.rescorings ?? []).map((one, index): Row => [index === 0 ? 'task' : '', rescoringText(one)]),
    ['mark', run.mark ? wholeMark(run.mark) : null],
    ['model', modelText(run)],
    ['step', stepText(state, width - LABEL)],
    ['made', madeText(run, wide)],
    ...notesRows(run),
    ['learns', updateText(state)],
    ['best', bestText(run, wide)],
    ['so far', uncommittedText(run)],
    ['tokens', `${tokensText(run.totals.tokens)} · cost ${costText(run)}${rewoundText(run)}`],
    ['', estimatedNote(run)],
    ['', unansweredNote(run)],
    ['', spendingText(state)],
    [hasEnded(state.run) ? 'time' : 'speed', speedText(state)],
    ['look', attention],
    ['', attention && parkedNote(state)],
    ['', attention && `npx evolve retry ${run.run}   tries again now`],
    ...(state.advice ?? []).flatMap((one) =>
      adviceLines(run.run, one).map((text, index): Row => [index === 0 ? 'advice' : '', text]),
    ),
    ...refusalsOf(state).map((one, index): Row => [index === 0 ? 'note' : '', refusalText(one, LOCAL)]),
  ];
  return [
    ...rows.flatMap(([label, text]) => (text === null ? [] : [clip(label.padEnd(LABEL) + text, width)])),
    ...(pageUrl === null ? [] : ['page'.padEnd(LABEL) + pageUrl]),
    ...(temporalUrl === null ? [] : ['ui'.padEnd(LABEL) + urlText(temporalUrl, width - LABEL)]),
  ];
};

/** One plain line for logs and pipes: the committed steps and what they made, then, apart from them, the open step. */
export const progressLine = (state: WatchState): string => {
  const { run, waitingFor, perMinute } = state;
  const { committedStep, best, totals, config } = run;
  const { steps } = config.limits;
  const left = leftText(state);
  const attention = attentionText(state);
  const [refusal] = refusalsOf(state);
  const kinds = failureKinds(run);
  const parts: readonly (string | null)[] = [
    `step ${Math.max(0, committedStep)}${steps === null ? '' : `/${steps}`}`,
    `programs ${totals.programs}`,
    `valid ${totals.valid}`,
    `failed ${failed(run)}${kinds === '' ? '' : ` (${kinds})`}`,
    `best ${best === null ? 'none' : `${score(best.score)}${score(best.strictScore) === score(best.score) ? '' : ` (strict ${score(best.strictScore)})`}${inventsScores(config) ? ' (invented)' : ''}`}`,
    `tokens ${amount(totals.tokens.in)}/${amount(totals.tokens.out)}`,
    `cost ${costText(run)}`,
    estimatedNote(run),
    unansweredNote(run),
    openStepText(state),
    updateText(state),
    perMinute === null ? null : `${Math.round(perMinute)}/min`,
    left && `left ${left}`,
    waitingFor && `waiting for ${waitingFor}`,
    statusWord(state) === 'running' ? null : statusText(state),
    attention && `needs attention: ${attention}`,
    attention && parkedNote(state),
    refusal === undefined ? null : `note: ${refusalText(refusal, LOCAL)}`,
  ];
  return parts.filter((part) => part !== null).join('  ');
};

/** The progress of the open step, once any of it is done. */
const openStepText = ({ run, inStep }: WatchState): string | null =>
  inStep === null || hasEnded(run) || doneInStep(inStep) === 0
    ? null
    : `under way ${Math.min(inStep.total, doneInStep(inStep))} of ${inStep.total}`;

/** The initial phase, lines that came back, the policy, rounds of ideas, and programs without a cell. */
const notesRows = ({ config, policy, totals, population }: RunDocument): readonly Row[] => {
  const { lines, rounds } = totals;
  return [
    ...phaseLines(config, population.founded).map((text): Row => ['phase', text]),
    [
      'lines',
      lines === undefined || lines.reintroduced === 0
        ? null
        : `edits added ${amount(lines.added)}, of which an ancestor had deleted ${amount(lines.reintroduced)} before`,
    ],
    [
      'policy',
      policy ? `version ${policy.version} (${policy.id})${config.learning.on ? '' : ' · learning is off'}` : null,
    ],
    ['rounds', rounds === undefined ? null : roundsLine(roundsReport(rounds)!)],
    ...Object.entries(population.noCell ?? {}).map(([feature, count]): Row => [
      '',
      `${amount(count)} valid without ${feature}: they have no cell`,
    ]),
  ];
};

/** The sweep to which the run belongs, or the run of which it is a fork. */
const originText = ({ sweep, origin }: RunDocument): string | null =>
  [
    ...(sweep === null ? [] : [`sweep ${sweep}`]),
    ...(origin === null ? [] : [`fork of ${origin.run} after step ${origin.step}`]),
  ].join(' · ') || null;

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

/** The money of rewound steps, which limits count. */
export const rewoundText = (run: RunDocument): string => {
  const { tokens, costUsd } = moneyOf(run).setAside;
  return tokens === 0 ? '' : ` · in rewound steps ${amount(tokens)} tokens, ${dollars(costUsd)}`;
};

/** The estimated part of the tokens, with the limits that depend on it. */
const estimatedNote = ({ totals: { estimated }, config: { limits } }: RunDocument): string | null => {
  if (estimated === undefined) return null;
  const held = (['tokens', 'costUsd'] as const).filter((key) => limits[key] !== null).map((key) => `limits.${key}`);
  const note = `; ${held.join(' and ')} ${held.length === 1 ? 'is' : 'are'} held against the estimate`;
  return `${estimatedText(estimated)}${held.length === 0 ? '' : note}`;
};

export const estimatedText = ({ answers, tokens }: Estimated): string =>
  `estimated: about ${amount(tokens)} tokens of ${amount(answers)} ${answers === 1 ? 'answer' : 'answers'}, whose endpoint named none`;

const unansweredNote = ({ unanswered }: RunDocument): string | null =>
  unanswered === undefined || unanswered.requests === 0 ? null : unansweredText(unanswered);

/** Requests without an answer count against limits, so they stand beside the tokens. */
export const unansweredText = (sum: UnansweredSum): string => `without an answer: ${requestsText(sum)}`;

/** A model without a price says no cost. */
export const requestsText = ({ requests, tokens, costUsd }: UnansweredSum): string =>
  `${amount(requests)} ${requests === 1 ? 'request' : 'requests'}, about ${amount(tokens.in + tokens.out)} tokens (estimated)${costUsd === 0 ? '' : `, ${dollars(costUsd)}`}`;

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
  const tail = inStep === null ? '' : inStepText(inStep, run.config.schedule === 'continuous');
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
  const origin = best.step === 0 ? 'the initial program' : `step ${best.step}`;
  const mark = inventsScores(run.config) ? ` · ${INVENTED}` : '';
  return wide
    ? `${scores(best)} · ${origin}${mark}`
    : `${score(rankingScore(best, run.config.evaluation.scoring))} · ${origin}${mark}`;
};

/** What steps that are not committed have made. */
const uncommittedText = ({ uncommitted, config }: RunDocument): string | null => {
  if (uncommitted === undefined) return null;
  const { programs, valid, best } = uncommitted;
  const better =
    best === null ? 'none better' : `best ${score(rankingScore(best, config.evaluation.scoring))} (${best.program})`;
  return `not committed: ${counted(programs, 'program')} · ${valid} valid · ${better}`;
};

const leftText = ({ run, inStep, perMinute, now }: WatchState): string | null => {
  if (hasEnded(run)) return null;
  const left = secondsLeft(run, inStep, perMinute, now);
  return left === null ? null : `about ${clock(left)}`;
};

/** What an hour costs, and the whole run at its limit. */
const spendingText = ({ run, inStep, perMinute, now, costPerHour = 0 }: WatchState): string | null => {
  const text = aheadText({
    paid: paidSoFar(run).costUsd,
    perHour: costPerHour,
    seconds: secondsLeft(run, inStep, perMinute, now),
  });
  return text === null || hasEnded(run) ? null : `cost ${text}`;
};

const speedText = (state: WatchState): string => {
  const { run, now } = state;
  const left = leftText(state);
  const perMinute = hasEnded(run) ? null : state.perMinute;
  return [
    ...(perMinute === null ? [] : [paceText(perMinute)]),
    `elapsed ${clock(wallSeconds(run, now))}`,
    ...(left === null ? [] : [`time left ${left}`]),
  ].join(' · ');
};
