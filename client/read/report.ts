// The machine interface of a run: `evolve status --json`, `evolve list --json` and runs/<id>/summary.json. The table of
// `evolve report` is in task-report.ts. All functions are pure.
import type { TemporalUi } from '../connect/connection.ts';
import type { JudgedIdea } from '../../activities/results/program-texts.ts';
import type { RoundTotals, RunDocument } from '../../activities/store/documents/documents.ts';
import { hasEnded, isParked } from '../../evolution/run-states.ts';
import { paidSoFar } from '../../activities/store/steps/paid.ts';
import type { ProgramDocument } from '../../activities/store/documents/step-documents.ts';
import { setLimits } from '../../evolution/budget/limits.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { type Rollup, rollupOf, ROUND_OUTCOMES, type RoundOutcome } from '../../evolution/ideas/rounds.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { initialPhase } from '../../evolution/population/islands.ts';
import { type NumberName, numbersOf, type NumbersOf } from '../../evolution/reports/program-numbers.ts';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import type { SetMark } from '../../evolution/steering/base/people.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import { sumOf } from '../../evolution/statistics.ts';
import { taskName } from '../../evolution/task/task.ts';
import type { RoundsReport, RunReport } from './shapes.ts';
import type { Outcome, PopulationState } from '../../evolution/types.ts';

export const roundsReport = (totals: RoundTotals | undefined): RoundsReport | null => {
  if (totals === undefined) return null;
  const counts = Object.fromEntries(ROUND_OUTCOMES.map((outcome) => [outcome, totals.counts[outcome] ?? 0])) as Record<
    RoundOutcome,
    number
  >;
  const rollup: Record<Rollup, number> = { scrapped: 0, success: 0, failure: 0 };
  for (const outcome of ROUND_OUTCOMES) rollup[rollupOf(outcome)] += counts[outcome];
  const { wouldBe } = totals;
  return {
    ideas: totals.ideas,
    counts,
    rollup,
    shadow: wouldBe === undefined ? null : { rejected: shared(wouldBe.rejected), unparsed: shared(wouldBe.unparsed) },
  };
};

const shared = (
  { rounds, failed }: { readonly rounds: number; readonly failed: number } = { rounds: 0, failed: 0 },
): NonNullable<RoundsReport['shadow']>['rejected'] => ({
  rounds,
  failed,
  share: rounds === 0 ? null : failed / rounds,
});

/** One line for people. */
export const roundsLine = ({ ideas, counts, rollup, shadow }: RoundsReport): string => {
  const seen = ROUND_OUTCOMES.filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${outcome} ${counts[outcome]}`)
    .join(', ');
  const spared =
    shadow === null
      ? ''
      : `; the gate would have stopped ${shadow.rejected.rounds}, of which ${shadow.rejected.failed} failed${
          shadow.unparsed.rounds === 0
            ? ''
            : `, and could not read ${shadow.unparsed.rounds}, of which ${shadow.unparsed.failed} failed`
        }`;
  const sum = (of: { readonly [outcome: string]: number }): number => sumOf(Object.values(of));
  const told = `${sum(ideas)} ideas, ${ideas.carried ?? 0} of them carried out; of their ${sum(counts)} programs`;
  return `${told} ${rollup.scrapped} scrapped, ${rollup.success} success, ${rollup.failure} failure${seen === '' ? '' : ` (${seen})`}${spared}`;
};

/** A line for people on the initial phase, as long as it lasts. */
export const phaseLines = (
  { population }: Pick<RunConfig, 'population'>,
  founded: PopulationState['founded'],
): readonly string[] => {
  const phase = initialPhase(population, founded);
  return phase === null || phase.done >= phase.of
    ? []
    : [`initial: ${phase.done} of ${phase.of} seed programs, made from the initial program`];
};

/** The address of a workflow in the Temporal UI; null where no UI is known. */
export const workflowUrl = (ui: TemporalUi | null, workflowId: string): string | null =>
  ui === null
    ? null
    : `${ui.base.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(ui.namespace)}/workflows/${encodeURIComponent(workflowId)}`;

export const temporalUrl = (ui: TemporalUi | null, run: string): string | null => workflowUrl(ui, runWorkflowId(run));

/** True where the run has ended with at least one valid program that the search made. Only this counts as success. */
export const endedWell = (document: RunDocument): boolean =>
  hasEnded(document) && document.status !== 'terminated' && document.totals.valid > 0;

export const wallSeconds = (document: RunDocument, now: Date): number =>
  Math.round(((document.endedAt ?? now).getTime() - document.createdAt.getTime()) / 100) / 10;

const bestReport = (
  best: NonNullable<RunDocument['best']>,
  { evaluation }: RunConfig,
): NonNullable<RunReport['best']> => {
  const { program, score, strictScore } = best;
  return { program, score, strictScore, ranking: rankingScore(best, evaluation.scoring) };
};

export const NO_FAILURES: RunReport['failures'] = {
  ...{ rejected: 0, unparsed: 0, idea_failed: 0, rm_failed: 0, no_diff: 0 },
  ...{ no_change: 0, duplicate: 0, no_solution: 0, invalid: 0 },
};

export const runReport = (document: RunDocument, now: Date, ui: TemporalUi | null): RunReport => {
  const { run, config, totals, best, uncommitted = null } = document;
  const paid = paidSoFar(document);
  return {
    run,
    task: taskName(config.task),
    method: config.method,
    seed: config.seed,
    state: document.status,
    stopReason: document.stopReason ?? document.statusReason,
    parked: isParked(document.status) ? document.parked : null,
    refusals: document.refusals ?? [],
    steps: Math.max(0, document.committedStep),
    programs: totals.programs,
    valid: totals.valid,
    failures: { ...NO_FAILURES, ...totals.failures },
    best: best && bestReport(best, config),
    uncommitted: uncommitted && { ...uncommitted, best: uncommitted.best && bestReport(uncommitted.best, config) },
    scoresInvented: inventsScores(config),
    tokens: totals.tokens,
    costUsd: totals.costUsd,
    estimated: totals.estimated ?? { answers: 0, tokens: 0 },
    wallSeconds: wallSeconds(document, now),
    offlineModel: document.offlineModel,
    level: document.trust ?? null,
    stream: document.config.schedule === 'continuous',
    createdAt: document.createdAt.toISOString(),
    lines: totals.lines ?? null,
    rounds: roundsReport(totals.rounds ?? (config.ideation.kind === 'none' ? undefined : { counts: {}, ideas: {} })),
    noCell: document.population.noCell ?? {},
    initialisation: initialPhase(config.population, document.population.founded),
    limits: Object.fromEntries(setLimits(config.limits)),
    settingsVersion: document.configVersion,
    paid: { tokens: paid.tokens, costUsd: paid.costUsd },
    unanswered: document.unanswered ?? { requests: 0, tokens: { in: 0, out: 0 }, costUsd: 0 },
    mark: document.mark ?? null,
    sweep: document.sweep,
    origin: document.origin,
    taskUpdates: (document.rescorings ?? []).map(({ at, step, refused = null }) => ({
      ...{ at: at.toISOString(), step, refused },
    })),
    policy: document.policy ? { version: document.policy.version, id: document.policy.id } : null,
    trackers: document.trackers ?? [],
    temporalUrl: temporalUrl(ui, run),
  };
};

export type ProgramLine = NumbersOf<'base'> &
  NumbersOf<'features'> & {
    readonly id: string;
    readonly step: number;
    readonly slot: number;
    readonly parents: readonly string[];
    readonly island: number;
    readonly outcome: Outcome;
    /** False for a program of a step that is not committed yet; left out for all others. */
    readonly committed?: false;
    readonly reasons: readonly string[];
    /** The scores are invented, because no program was run; left out where they are not. */
    readonly scoresInvented?: true;
    readonly mark?: SetMark;
    readonly code?: string | null;
    /** What the evaluator says of it beside the score, the model that answered, and when its step was committed. */
    readonly metrics?: Evaluation['metrics'];
    readonly model?: string | null;
    readonly at?: string | null;
    /** The idea of the program, or the refused one. With code and result it is a triple of AlphaResearch. */
    readonly idea?: JudgedIdea;
    /** The cells that it holds, where these were asked for. */
    readonly cells?: readonly string[];
  };

type Beside = {
  /** Only where the text was asked for. */
  readonly code?: string | null | undefined;
  readonly idea?: JudgedIdea | null | undefined;
  readonly invented?: boolean | undefined;
  readonly committed?: boolean;
  readonly mark?: SetMark | undefined;
  /** Further numbers, by name. */
  readonly numbers?: { readonly [name in NumberName]?: number | null };
  readonly facts?: Pick<ProgramLine, 'metrics' | 'model' | 'at'> | undefined;
};

/** One candidate as `evolve programs --json` prints it. */
export const programLine = (
  program: ProgramDocument,
  { code, idea = null, invented = false, committed = true, mark, numbers = {}, facts = {} }: Beside = {},
): ProgramLine => ({
  id: program._id,
  step: program.step,
  slot: program.slot,
  parents: program.parents,
  island: program.island,
  outcome: program.outcome,
  ...(committed ? {} : { committed }),
  ...numbersOf('base', program),
  ...numbersOf('features', program),
  ...numbers,
  ...facts,
  reasons: program.reasons,
  ...(invented ? { scoresInvented: true as const } : {}),
  ...(mark === undefined ? {} : { mark }),
  ...(code === undefined ? {} : { code }),
  ...(idea === null ? {} : { idea }),
});
