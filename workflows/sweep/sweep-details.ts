// The current details of a sweep in the Temporal UI are written as Markdown.
import type { SweepPlan, SweptRun } from '../../activities/interface/sweep.ts';
import { inMarkdown } from '../../evolution/visible.ts';
import { cut, details, digits } from '../engine/telling.ts';

type SweepState = {
  readonly plan: SweepPlan;
  readonly status: string;
  readonly rung: number | null;
  readonly swept: ReadonlyMap<string, SweptRun>;
  /** The groups that successive halving stopped. */
  readonly out: ReadonlySet<number>;
  readonly attention: string | null;
  /** What the last signal was told, when it made no sense. */
  readonly refusal: string | null;
};

/** The number of rows shown, because details end at 20,000 bytes. */
const ROWS = 60;
const LONGEST_SETTINGS = 180;

export const sweepDetails = ({ plan, status, rung, swept, out, attention, refusal }: SweepState): string => {
  const rows = plan.runs.slice(0, ROWS).map(({ run, group, summary }) => {
    const seen = swept.get(run);
    const state = out.has(group)
      ? 'stopped by halving'
      : seen
        ? `${seen.state}${seen.attention ? ', needs attention' : ''}`
        : 'waiting';
    return `| \`${run}\` | ${inMarkdown(cut(summary, LONGEST_SETTINGS))} | ${state} | ${seen?.programs ?? 0} | ${seen?.best === null || seen === undefined ? '' : digits(seen.best)} |`;
  });
  return details([
    `**${status}**, ${plan.runs.length} runs, ${plan.maxParallel} at a time${rung === null ? '' : `, to the rung of ${rung} programs`}`,
    '',
    ...(attention === null ? [] : [`**Needs attention**: ${inMarkdown(attention)}`, '']),
    ...(refusal === null ? [] : [`**Last signal refused**: ${inMarkdown(refusal)}`, '']),
    '| run | settings | state | programs | best |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...(plan.runs.length > ROWS ? [`| ... | ${plan.runs.length - ROWS} more | | | |`] : []),
    '',
    `\`npx evolve sweep report ${plan.name}\` compares the configurations.`,
  ]);
};

/** A sweep that is not open has no runs to show yet. */
export const openingDetails = (status: string, attention: string | null, refusal: string | null): string =>
  details([
    `**${status}**, not open yet`,
    '',
    ...(attention === null
      ? []
      : [
          `**Needs attention**: ${inMarkdown(attention)}`,
          '',
          'It tries again by itself; the signal `stop`, or Cancel, ends it.',
          '',
        ]),
    ...(refusal === null ? [] : [`**Last signal refused**: ${inMarkdown(refusal)}`]),
  ]);
