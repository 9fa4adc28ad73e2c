// The closing text of a run that was watched to its end.
import { setLimits } from '../../evolution/budget/limits.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { paidSoFar } from '../../activities/store/steps/paid.ts';
import { endedWell, wallSeconds } from '../../client/read/report.ts';
import { extendCommand, limitsToGoOn, MORE_STEPS } from '../../client/read/usage.ts';
import { INVENTED, inventsScores } from '../../evolution/config/noop.ts';
import type { Direction } from '../../evolution/types.ts';
import { clock, dollars } from '../../evolution/reports/number-text.ts';
import { scores } from './output.ts';
import { costText, estimatedText, rewoundText, tokensText, unansweredText } from './progress.ts';
import { table } from './table.ts';

/** Turns `steps` into `limits.steps reached (16)`. A limit that ended the run before it was reached says why. */
const reasonText = (run: RunDocument): string => {
  const {
    stopReason,
    config: { limits },
    totals,
  } = run;
  if (stopReason === null) return 'no reason was recorded';
  const limit = setLimits(limits).find(([name]) => name === stopReason)?.[1];
  if (limit === undefined) return stopReason;
  const { tokens, costUsd } = paidSoFar(run);
  const short: { readonly [limit: string]: readonly [spent: number, text: string] } = {
    programs: [totals.programs, `${totals.programs} are made, and another step would exceed it`],
    tokens: [tokens, `${tokens} are paid for, and one more response is likely to exceed it`],
    costUsd: [costUsd, `${dollars(costUsd)} are paid, and one more response is likely to exceed it`],
  };
  const [spent, text] = short[stopReason] ?? [limit, ''];
  return spent < limit ? `limits.${stopReason} (${limit}): ${text}` : `limits.${stopReason} reached (${limit})`;
};

/** A finished run goes on with other limits, a stopped one as it is. */
const waysOn = (run: RunDocument, direction: Direction | null, now: Date): readonly (readonly [string, string])[] => {
  if (run.status === 'stopped' || run.status === 'terminated')
    return [[`resume ${run.run}`, 'continue where it stopped']];
  const more = Object.keys(limitsToGoOn(run, direction, now));
  const extend = extendCommand(run, direction, now);
  if (more.length > 0) return [[extend, beyondText(more, run)]];
  // Only the best value by human hands ends a run whose limits are not reached.
  return [
    [`set ${run.run} ideation.stopAtHuman=false`, 'do not stop at the best by human hands'],
    [extend, 'then go on'],
  ];
};

/** Limits count from the start of a run, so the numbers of the command are larger than what they add. */
const beyondText = (more: readonly string[], { committedStep }: RunDocument): string => {
  if (more.includes('targetScore')) return 'beyond the target';
  if (more.length > 1 || more[0] !== 'steps') return 'beyond that limit; numbers are of the whole run';
  return `${MORE_STEPS} steps more, after the ${Math.max(0, committedStep)} that are made`;
};

const modelNames = ({ config: { model, models } }: RunDocument): string =>
  [model, ...models]
    .map(({ kind, name }) => (kind === 'offline' ? 'no language model: offline genetic-programming mutator' : name))
    .join(' + ');

const stepsText = ({ committedStep }: RunDocument): string =>
  `${Math.max(0, committedStep)} ${committedStep === 1 ? 'step' : 'steps'}`;

const commands = (rows: readonly (readonly [string, string])[]): readonly string[] =>
  table(rows.map(([command, meaning]) => [`  npx evolve ${command}`, meaning]));

/**
 * The end of a run in a few lines, with the commands to go on. `direction` is null where the task is gone, `pageUrl`
 * where no page is served.
 */
export const lastWords = (
  run: RunDocument,
  directory: string,
  files: readonly string[],
  now: Date,
  direction: Direction | null = null,
  pageUrl: string | null = null,
): readonly string[] => {
  const { totals, best } = run;
  const failures = Object.entries(totals.failures)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');
  return [
    '',
    `${endedWell(run) ? 'Run' : 'NO SUCCESS: run'} ${run.run} ${run.status}: ${reasonText(run)}`,
    ...(endedWell(run)
      ? []
      : [
          totals.programs === 0
            ? '  not one program was made'
            : '  not one new program was valid; the best below, if any, is the initial program',
        ]),
    `  best      ${best === null ? 'none' : `${scores(best)}, ${best.step === 0 ? 'the initial program' : `found in step ${best.step}`} (${best.program})`}`,
    ...(best !== null && inventsScores(run.config) ? [`            ${INVENTED}`] : []),
    `  programs  ${totals.programs} made in ${stepsText(run)}, ${totals.valid} valid, ${totals.programs - totals.valid} failed${failures === '' ? '' : ` (${failures})`}`,
    `  model     ${modelNames(run)}; tokens ${tokensText(totals.tokens, ', ')}; cost ${costText(run)}${rewoundText(run)}`,
    ...(totals.estimated === undefined ? [] : [`            ${estimatedText(totals.estimated)}`]),
    ...(run.unanswered === undefined || run.unanswered.requests === 0
      ? []
      : [`            ${unansweredText(run.unanswered)}`]),
    `  time      ${clock(wallSeconds(run, now))}`,
    `  files     ${directory}: ${files.join(', ')}`,
    ...(pageUrl === null ? [] : [`  page      ${pageUrl}`]),
    '',
    'Go on with:',
    ...commands([
      ...waysOn(run, direction, now),
      [`best ${run.run} --code`, 'the best program'],
      [`programs ${run.run}`, 'every candidate'],
      ...(best === null ? [] : ([[`show ${best.program}`, 'how the best came about']] as const)),
      ['down', 'shut the parts down'],
    ]),
  ];
};
