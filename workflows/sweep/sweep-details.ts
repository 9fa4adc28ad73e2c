// The page of a sweep in the Temporal UI: its current details, in Markdown. What comes from outside is put in so that it
// draws nothing.
import type { SweepPlan, SweptRun } from '../../activities/interface/sweep.ts';
import { type Parked, parkedText, type Refusal } from '../../evolution/run-states.ts';
import { sweepReport, type GroupReport } from '../../evolution/sweep/report.ts';
import { inMarkdown } from '../../evolution/visible.ts';
import { cut, details, dollars, noteLines, rowsWithin } from '../engine/telling.ts';

export type SweepView = {
  readonly plan: SweepPlan;
  readonly status: string;
  /** The reason of the stop or the pause. */
  readonly reason: string | null;
  readonly rung: number | null;
  readonly swept: ReadonlyMap<string, SweptRun>;
  /** The groups that successive halving stopped. */
  readonly out: ReadonlySet<number>;
  readonly attention: string | null;
  readonly parked: Parked | null;
  /** Messages that changed nothing, newest first. */
  readonly refusals: readonly Refusal[];
  /** The schedule that started it. */
  readonly schedule: string | null;
};

/** Details end at 18,000 bytes. What else stands there takes 3,000 at most. */
const TABLE_BYTES = 7_000;
const LONGEST_SETTINGS = 180;
const LONGEST_LINE = 600;

/** One configuration each, the best mean first, from what is known of the runs. */
export const groupsOf = ({ plan, swept }: Pick<SweepView, 'plan' | 'swept'>): readonly GroupReport[] =>
  sweepReport(
    plan.page.groups.map(({ settings }, group) => ({
      group,
      params: { settings },
      runs: plan.runs
        .filter((run) => run.group === group)
        .map(({ run }) => {
          const seen = swept.get(run);
          return {
            run,
            seed: 0,
            repeat: 1,
            state: seen?.word ?? 'queued',
            best: seen?.best ?? null,
            programs: seen?.programs ?? 0,
            tokensIn: 0,
            tokensOut: 0,
            costUsd: seen?.costUsd ?? 0,
          };
        }),
    })),
    (group) => plan.page.groups[group]?.direction ?? 'maximise',
  );

export const sweepDetails = (view: SweepView): string => {
  const { plan, status, reason, rung } = view;
  const groups = groupsOf(view);
  const configurations = ` of ${counted(groups.length, 'configuration')}`;
  return details([
    `**${status}**${reason === null ? '' : ` (${inMarkdown(cut(reason, LONGEST_LINE))})`}, ${counted(plan.runs.length, 'run')}${configurations}, at most ${plan.maxParallel} at a time${rung === null ? '' : `, to the rung of ${rung} programs`}`,
    '',
    ...noticeLines(view),
    ...waitingLines(view),
    ...aboutLines(view),
    '',
    ...(groups.length === 0 ? [] : [...groupTable(groups), '']),
    ...runTable(view),
    '',
    ...findLines(plan.name),
    '',
    ...nowLines(status, plan.name),
  ]);
};

/** A sweep that is not open has no runs to show yet. */
export const openingDetails = (view: Pick<SweepView, 'status' | 'attention' | 'parked' | 'refusals'>): string =>
  details([
    `**${view.status}**, not open yet`,
    '',
    ...noticeLines(view),
    ...(view.attention === null ? [] : ['The signal `stop`, or Cancel, ends it.']),
  ]);

const noticeLines = ({
  attention,
  parked,
  refusals,
}: Pick<SweepView, 'attention' | 'parked' | 'refusals'>): readonly string[] => [
  ...(attention === null ? [] : [`**Needs attention**: ${inMarkdown(attention)}`, '']),
  ...(attention === null || parked === null ? [] : [parkedText(parked), '']),
  ...(refusals.length === 0 ? [] : [...noteLines(refusals), '']),
];

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const isAlive = (seen: SweptRun | undefined): boolean => seen?.state === 'alive';

/** The runs that the sweep waits for, in one sentence. */
const waitingLines = ({ plan, status, swept, out }: SweepView): readonly string[] => {
  const members = plan.runs.filter(({ group }) => !out.has(group));
  const seen = members.map(({ run }) => swept.get(run));
  const alive = seen.filter(isAlive);
  const resting = seen.filter((one) => one?.word === 'resting' || one?.rung === 0).length;
  const queued = seen.filter((one) => one === undefined || one.state === 'queued').length + resting;
  const parked = alive.filter((one) => one?.attention).length;
  const at = counted(alive.length, 'run');
  const still = alive.filter((one) => one?.word !== 'paused').length;
  const said: { readonly [status: string]: string } = {
    running: `It waits for ${at} under way${queued === 0 ? '' : `, and ${queued} more wait for their turn`}.`,
    pausing: `It waits until ${counted(still, 'run')} come to the end of the present step.`,
    paused: `Nothing is under way: ${at} paused, ${queued} waiting. The signal \`resume\` goes on.`,
    stopping: `It waits until ${at} have stopped.`,
  };
  const line = Object.hasOwn(said, status) ? said[status] : undefined;
  return [
    ...(line === undefined ? [] : [line, '']),
    ...(parked === 0
      ? []
      : [
          `**${counted(parked, 'run')} of it ${parked === 1 ? 'needs' : 'need'} attention**: their own pages say why.`,
          '',
        ]),
  ];
};

const aboutLines = ({ plan: { page, runs }, swept, schedule }: SweepView): readonly string[] => {
  const known = runs.flatMap(({ run }) => swept.get(run) ?? []);
  const programs = known.reduce((sum, one) => sum + one.programs, 0);
  const costUsd = known.reduce((sum, one) => sum + (one.costUsd ?? 0), 0);
  const common = (label: string, text: string | null | undefined): readonly string[] =>
    page === undefined
      ? []
      : [
          `- ${label}: ${text === null || text === undefined ? 'differs between runs' : inMarkdown(cut(text, LONGEST_LINE))}`,
        ];
  return [
    ...common('task', page?.task),
    ...common('method', page?.method),
    ...common('model', page?.model),
    ...common('limits of a run', page?.limits === '' ? 'none' : page?.limits),
    ...(schedule === null ? [] : [`- started by schedule ${inMarkdown(cut(schedule, LONGEST_SETTINGS))}`]),
    `- made: ${programs} programs, cost ${dollars(costUsd)} USD`,
  ];
};

/** `sweep report` shows all digits. */
const rounded = (value: number | null, to: number): string =>
  value === null ? '' : String(Number(value.toPrecision(to)));
const score = (value: number | null): string => rounded(value, 7);
const spread = (sd: number | null): string => (sd === null ? '' : `, ${rounded(sd, 3)}`);

/** The UI gives the table half of the page, draws no space between columns, and hides what is wider than the page. */
const row = (...cells: readonly string[]): string => `| ${cells.map((cell) => `${cell}\u00a0`).join(' | ')} |`;

const groupTable = (groups: readonly GroupReport[]): readonly string[] => [
  '| configuration | runs | mean, sd | best | cost USD |',
  '| --- | --- | --- | --- | --- |',
  ...rowsWithin(
    groups.map(({ params, states, mean, sd, best, bestRun, programs, costUsd }) =>
      row(
        inMarkdown(cut(String(params['settings']), LONGEST_SETTINGS)),
        `${statesText(states)}, ${counted(programs, 'program')}`,
        `${score(mean)}${spread(sd)}`,
        `${score(best)}${bestRun === null ? '' : ` in \`${bestRun}\``}`,
        dollars(costUsd),
      ),
    ),
    TABLE_BYTES,
    (count) => `| ... ${counted(count, 'more configuration')} | | | | |`,
  ),
];

const statesText = (states: GroupReport['states']): string =>
  Object.entries(states)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');

/** Those that somebody may have to look at are first, and those that wait for their turn last. */
const runTable = ({ plan, swept, out }: SweepView): readonly string[] => {
  const rank = (seen: SweptRun | undefined): number =>
    seen?.attention ? 0 : isAlive(seen) ? 1 : seen === undefined || seen.state === 'queued' ? 3 : 2;
  const rows = plan.runs
    .map((one) => ({ ...one, seen: swept.get(one.run) }))
    .toSorted((a, b) => rank(a.seen) - rank(b.seen))
    .map(({ run, group, summary, seen }) => {
      const state = seen?.word ?? 'queued';
      return row(
        `\`${run}\``,
        inMarkdown(cut(summary, LONGEST_SETTINGS)),
        out.has(group) && !isAlive(seen) ? 'stopped by halving' : state,
        String(seen?.programs ?? 0),
        score(seen?.best ?? null),
      );
    });
  return [
    '| run | settings | state | programs | best |',
    '| --- | --- | --- | --- | --- |',
    ...rowsWithin(rows, TABLE_BYTES, (count) => `| ... ${counted(count, 'more run')} | | | | |`),
  ];
};

const findLines = (name: string): readonly string[] => [
  `A run is the workflow \`run/ID\`. All of them are in the list with the query \`EvoSweepId = "${name}" AND WorkflowType = "evolutionRun" AND ExecutionStatus IN ("Running", "Completed")\`. \`npx evolve sweep report ${name}\` compares the configurations.`,
];

/** The messages that a person can send now. */
const nowLines = (status: string, name: string): readonly string[] => {
  const end =
    'Signal `stop` with `{"mode": "step", "reason": "..."}` stops the sweep and its runs; with `"now"` at once.';
  const own =
    'A run takes messages of its own on its page. One that you stop there stays stopped when the sweep goes on.';
  switch (status) {
    case 'finished':
      return [
        `It has ended. \`npx evolve sweep FILE\` with more combinations or seeds adds runs to it; *Start Workflow* with the same input does, too. \`npx evolve resume RUN\` goes on with a run that was stopped.`,
      ];
    case 'stopped':
    case 'terminated':
      return [
        `It has ended. \`npx evolve sweep resume ${name}\` goes on, and so does *Start Workflow* with the same input. Runs that a person stopped stay stopped; \`npx evolve resume RUN\` goes on with one.`,
      ];
    case 'stopping':
      return [`Signal \`stop\` with \`{"mode": "now"}\` does not wait for the present steps. ${own}`];
    case 'pausing':
    case 'paused':
      return [`Signal \`resume\` goes on. ${end} ${own}`];
    default:
      return [
        `Signal \`pause\` with \`{"mode": "step", "reason": "..."}\` pauses the sweep and its runs; with \`"now"\` at once. ${end} ${own}`,
      ];
  }
};
