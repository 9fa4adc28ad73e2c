// People read these texts about a run in the Temporal UI: one-line summaries and Markdown details. What comes from
// outside is put in so that it draws nothing.
import type { RunBrief } from '../../activities/interface/run.ts';
import type { OnHidden } from '../../activities/interface/step.ts';
import { type Parked, parkedText, type Refusal, type RunStatus } from '../../evolution/run-states.ts';
import { inMarkdown } from '../../evolution/visible.ts';
import { withoutPerson } from '../engine/park.ts';
import { cut, details, digits, dollars, noteLines, summary } from '../engine/telling.ts';

export const runTable = (brief: RunBrief): string =>
  details([
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
  ]);

const LONGEST_FAILURES = 2_000;

export const stepSummaryLine = (brief: RunBrief, step: number): string =>
  summary(
    step === 0
      ? `${brief.task}: initial program`
      : `${brief.task}: step ${step}, ${brief.batch} x ${brief.responses} responses`,
  );

/** What the current details say of a run's state. */
type Shown = {
  readonly status: RunStatus;
  readonly attention: string | null;
  readonly parked: Parked | null;
  /** Why it is paused or has ended. */
  readonly reason: string | null;
  readonly refusals: readonly Refusal[];
  readonly hidden: OnHidden | null;
};

const attentionLines = (attention: string | null, parked: Parked | null, what: string): readonly string[] =>
  attention === null
    ? []
    : [
        `**Needs attention**: ${inMarkdown(attention)}`,
        '',
        `${parked === null ? withoutPerson(attention) : parkedText(parked, { alone: withoutPerson(attention) })} ${what}`,
        '',
      ];

/** A run that is not open has no settings and no programs to show yet. */
export const openingDetails = ({
  run,
  status,
  attention,
  parked,
  refusals,
}: { readonly run: string } & Pick<Shown, 'status' | 'attention' | 'parked' | 'refusals'>): string =>
  details([
    `**${status}**, not open yet`,
    '',
    ...attentionLines(attention, parked, ''),
    `\`npx evolve doctor ${run}\` says more, \`npx evolve retry ${run}\` tries again now, \`npx evolve stop ${run}\` or Cancel ends it.`,
    ...noteLines(refusals),
  ]);

const betterText = ({ hiddenDirection }: RunBrief): string =>
  hiddenDirection === undefined ? '' : `, the ${hiddenDirection === 'maximise' ? 'larger' : 'smaller'} the better`;

const hiddenText = ({ score, outcome, initial }: OnHidden): string =>
  `${score === null ? outcome : `**${digits(score)}**`}${initial === undefined || initial === null ? '' : `; the initial program has ${digits(initial)} there`}`;

export const runDetails = (brief: RunBrief, { status, attention, parked, reason, refusals, hidden }: Shown): string => {
  const { totals, best, run } = brief;
  const failures =
    cut(
      Object.entries(totals.failures)
        .map(([kind, count]) => `${kind} ${count}`)
        .join(', '),
      LONGEST_FAILURES,
    ) || 'none';
  return details([
    `**${status}**${reason ? ` (${inMarkdown(reason)})` : ''}, step ${Math.max(0, brief.committedStep)}${brief.limits.steps === null ? '' : ` of ${brief.limits.steps}`}`,
    '',
    ...attentionLines(
      attention,
      parked,
      `\`npx evolve retry ${run}\` tries again now, \`npx evolve doctor ${run}\` says more.`,
    ),
    `- best: ${best ? `**${digits(best.score)}**${best.strictScore === null ? '' : ` (strict ${digits(best.strictScore)})`}, program \`${best.program}\`` : 'none yet'}`,
    ...(hidden === null || hidden.program !== best?.program
      ? []
      : [`- on hidden instances${betterText(brief)}: ${hiddenText(hidden)}`]),
    `- programs: ${totals.programs} made, ${totals.valid} valid; failures: ${failures}`,
    `- tokens: ${totals.tokens.in} in, ${totals.tokens.out} out; cost ${dollars(totals.costUsd)} USD`,
    '',
    `\`npx evolve watch ${run}\` · \`pause\` · \`stop\` · \`extend\` take one JSON object as signals and updates too.`,
    ...noteLines(refusals),
  ]);
};
