// People read these texts about a run in the Temporal UI: one-line summaries and Markdown details. What comes from
// outside is put in so that it draws nothing.
import type { RunBrief } from '../../activities/interface/run.ts';
import type { OnHidden } from '../../activities/interface/step.ts';
import { inMarkdown } from '../../evolution/visible.ts';

const digits = (value: number): string => Number(value.toPrecision(10)).toString();

export const runTable = (brief: RunBrief): string =>
  [
    '| setting | value |',
    '| --- | --- |',
    `| task | ${inMarkdown(brief.task)} |`,
    `| method | ${inMarkdown(brief.method)} |`,
    `| model | ${inMarkdown(brief.model)} |`,
    `| seed | ${brief.seed} |`,
    `| batch x responses | ${brief.batch} x ${brief.responses} |`,
    ...Object.entries(brief.limits)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => `| limit: ${key} | ${value} |`),
  ].join('\n');

export const stepSummaryLine = (brief: RunBrief, step: number): string =>
  step === 0
    ? `${inMarkdown(brief.task)}: initial program`
    : `${inMarkdown(brief.task)}: step ${step}, ${brief.batch} x ${brief.responses} responses`;

export const runDetails = (
  brief: RunBrief,
  status: string,
  attention: string | null,
  reason: string | null,
  refusal: string | null = null,
  hidden: OnHidden | null = null,
): string => {
  const { totals, best, run } = brief;
  const failures =
    Object.entries(totals.failures)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', ') || 'none';
  return [
    `**${status}**${reason ? ` (${inMarkdown(reason)})` : ''}, step ${Math.max(0, brief.committedStep)}${brief.limits.steps === null ? '' : ` of ${brief.limits.steps}`}`,
    '',
    ...(attention === null
      ? []
      : [
          `**Needs attention**: ${inMarkdown(attention)}`,
          '',
          `It tries again by itself; \`npx evolve retry ${run}\` does so now, \`npx evolve doctor ${run}\` says more.`,
          '',
        ]),
    ...(refusal === null ? [] : [`**Last signal refused**: ${inMarkdown(refusal)}`, '']),
    `- best: ${best ? `**${digits(best.score)}**${best.strictScore === null ? '' : ` (strict ${digits(best.strictScore)})`}, program \`${best.program}\`` : 'none yet'}`,
    ...(hidden === null || hidden.program !== best?.program
      ? []
      : [`- on hidden instances: ${hidden.score === null ? hidden.outcome : `**${digits(hidden.score)}**`}`]),
    `- programs: ${totals.programs} made, ${totals.valid} valid; failures: ${failures}`,
    `- tokens: ${totals.tokens.in} in, ${totals.tokens.out} out; cost ${totals.costUsd.toFixed(4)} USD`,
    '',
    `\`npx evolve watch ${run}\` · \`pause\` · \`stop\` · \`extend\` take one JSON object as signals and updates too.`,
  ].join('\n');
};
