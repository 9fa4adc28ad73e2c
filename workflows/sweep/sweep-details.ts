// The details of a sweep in the Temporal UI: its state, what it waits for, a summary, and what a person can do.
import type { SweepPlan, SweptRun } from '../../activities/interface/sweep.ts';
import { sweepWorkflowId } from '../../evolution/ids.ts';
import type { Refusal, RunStatus } from '../../evolution/run-states.ts';
import { type Attention, attentionLines, noteLines, overLines, pageLine, stateLine, told } from '../engine/details.ts';
import { details, dollars } from '../engine/telling.ts';
import { whatNow } from '../engine/what-now.ts';

export type SweepView = Attention & {
  /** Null where the sweep is not open yet. */
  readonly plan: SweepPlan | null;
  readonly status: RunStatus;
  /** The reason of the stop or the pause. */
  readonly reason: string | null;
  readonly rung: number | null;
  readonly swept: ReadonlyMap<string, SweptRun>;
  /** The groups that successive halving stopped. */
  readonly out: ReadonlySet<number>;
  /** Messages that changed nothing, newest first. */
  readonly refusals: readonly Refusal[];
  /** The schedule that started it. */
  readonly schedule: string | null;
  /** The reason for going on in another execution; null, or left out, while the sweep is in this one. */
  readonly left?: string | null;
};

const NOTHING_MADE = { steps: 0, programs: 0, best: null, sweep: null, stopReason: null };

export const sweepDetails = (view: SweepView): string => {
  const { plan, status, reason, refusals, left = null } = view;
  return details([
    ...(plan === null ? [] : overLines(left, sweepWorkflowId(plan.name), plan.links)),
    stateLine(status, reason, plan === null ? ', not open yet' : sizeText(plan, view.rung)),
    '',
    ...attentionLines(view),
    ...(plan === null ? [] : [...waitingLines(plan, view), summaryLine(plan, view), '']),
    ...(plan === null
      ? ['The signal `stop`, or Cancel, ends it.']
      : [
          ...whatNow('sweep', { ...NOTHING_MADE, run: plan.name, state: status }),
          '',
          'A run takes messages of its own on its page. One that you stop there stays stopped when the sweep goes on.',
          '',
          listLine(plan),
          '',
          pageLine('sweeps', plan.name, plan.links),
        ]),
    ...noteLines(refusals),
  ]);
};

const listLine = ({ name, links }: SweepPlan): string => {
  const query = `EvoSweepId = "${name}" AND WorkflowType = "evolutionRun"`;
  const list =
    links?.workflows === undefined ? 'list' : `[list](${links.workflows}?query=${encodeURIComponent(query)})`;
  return `The ${list} shows its runs with the query \`${query}\`. \`npx evolve sweep report ${name}\` compares its configurations.`;
};

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const isAlive = (seen: SweptRun | undefined): boolean => seen?.state === 'alive';

const sizeText = ({ runs, page, maxParallel }: SweepPlan, rung: number | null): string =>
  `, ${counted(runs.length, 'run')} of ${counted(page.groups.length, 'configuration')}, at most ${maxParallel} at a time${rung === null ? '' : `, to the rung of ${rung} programs`}`;

/** The runs that the sweep waits for, in one sentence. */
const waitingLines = (plan: SweepPlan, { status, swept, out }: SweepView): readonly string[] => {
  const seen = plan.runs.filter(({ group }) => !out.has(group)).map(({ run }) => swept.get(run));
  const alive = seen.filter(isAlive);
  const resting = seen.filter((one) => one?.word === 'resting' || one?.rung === 0).length;
  const queued = seen.filter((one) => one === undefined || one.state === 'queued').length + resting;
  const parked = alive.filter((one) => one?.attention).length;
  const at = counted(alive.length, 'run');
  const still = alive.filter((one) => one?.word !== 'paused').length;
  const sentences: { readonly [status in RunStatus]?: string } = {
    running: `It waits for ${at} under way${queued === 0 ? '' : `, and ${queued} more wait for their turn`}.`,
    pausing: `It waits until ${counted(still, 'run')} come to the end of the present step.`,
    paused: `Nothing is under way: ${at} paused, ${queued} waiting.`,
    stopping: `It waits until ${at} have stopped.`,
  };
  return [
    ...(sentences[status] === undefined ? [] : [sentences[status], '']),
    ...(parked === 0
      ? []
      : [
          `**${counted(parked, 'run')} of it ${parked === 1 ? 'needs' : 'need'} attention**: their own pages say why.`,
          '',
        ]),
  ];
};

const summaryLine = ({ page, runs }: SweepPlan, { swept, schedule }: SweepView): string => {
  const seen = runs.flatMap(({ run }) => swept.get(run) ?? []);
  const programs = seen.reduce((sum, one) => sum + one.programs, 0);
  const costUsd = seen.reduce((sum, one) => sum + (one.costUsd ?? 0), 0);
  const common = (name: string, text: string | null | undefined): string =>
    text === null || text === undefined ? `${name} differs between runs` : told(text);
  const by = schedule === null ? '' : ` Started by schedule ${told(schedule)}.`;
  return `${common('the task', page.task)}, ${common('the method', page.method)}, ${common('the model', page.model)}; ${programs} programs, ${dollars(costUsd)} USD.${by}`;
};
