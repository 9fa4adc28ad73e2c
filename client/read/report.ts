// The machine interface of a run: `evolve status --json`, `evolve list --json` and runs/<id>/summary.json. The table of
// `evolve report` is in task-report.ts. All functions are pure.
import type { Trust } from '../../evolution/task/trust.ts';
import type { TemporalUi } from '../connect/connection.ts';
import type { JudgedIdea } from '../../activities/results/program-texts.ts';
import type {
  RoundTotals,
  RunDocument,
  TrackerFault,
  UnansweredSum,
} from '../../activities/store/documents/documents.ts';
import { hasEnded, isParked, type Parked, type Refusal, type RunStatus } from '../../evolution/run-states.ts';
import { paidSoFar } from '../../activities/store/steps/paid.ts';
import type { ProgramDocument } from '../../activities/store/documents/step-documents.ts';
import { setLimits, type StopReason } from '../../evolution/budget/limits.ts';
import type { Estimated } from '../../evolution/budget/money.ts';
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
import type { Outcome, PopulationState, Usage } from '../../evolution/types.ts';

/** `share` is the part of the rounds that failed, or null where there were none. */
type WouldBeReport = { readonly rounds: number; readonly failed: number; readonly share: number | null };

/** The outcomes of the rounds of a run that has ideas, and the savings that a gate in the shadow would have made. */
type RoundsReport = {
  /** Of each idea once, however many programs it has. Null in runs that an earlier version began. */
  readonly ideas: NonNullable<RoundTotals['ideas']> | null;
  readonly counts: Readonly<Record<RoundOutcome, number>>;
  /** The numbers add up to the number of rounds. */
  readonly rollup: Readonly<Record<Rollup, number>>;
  /** Ideas that a gate that is `on` would have stopped. Null where none was judged in the shadow so far. */
  readonly shadow: { readonly rejected: WouldBeReport; readonly unparsed: WouldBeReport } | null;
};

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
    ideas: totals.ideas ?? null,
    counts,
    rollup,
    shadow: wouldBe === undefined ? null : { rejected: shared(wouldBe.rejected), unparsed: shared(wouldBe.unparsed) },
  };
};

const shared = (
  { rounds, failed }: { readonly rounds: number; readonly failed: number } = { rounds: 0, failed: 0 },
): WouldBeReport => ({ rounds, failed, share: rounds === 0 ? null : failed / rounds });

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
  const told =
    ideas === null
      ? ''
      : `${sum(ideas)} ideas, ${ideas.carried ?? 0} of them carried out; of their ${sum(counts)} programs `;
  return `${told}${rollup.scrapped} scrapped, ${rollup.success} success, ${rollup.failure} failure${seen === '' ? '' : ` (${seen})`}${spared}`;
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

type Best = {
  readonly program: string;
  readonly score: number;
  readonly strictScore: number | null;
  /** The one of the two that ranks (`evaluation.scoring`). */
  readonly ranking: number;
};

export type RunReport = {
  readonly run: string;
  readonly task: string;
  readonly method: string;
  readonly seed: number;
  readonly state: RunStatus;
  /** The reason of the end, of a pause, or of the attention that it needs. */
  readonly stopReason: string | null;
  /** The parked phase that needs attention; null where none is, or where it is not known. */
  readonly parked: Parked | null;
  /** The last messages to the run that changed nothing, newest first. */
  readonly refusals: readonly Refusal[];
  /** Committed steps, those that a fork inherited included. */
  readonly steps: number;
  readonly programs: number;
  readonly valid: number;
  readonly failures: Readonly<Record<Exclude<Outcome, 'valid'>, number>>;
  readonly best: Best | null;
  /**
   * What steps that are not committed yet have made so far: programs with an outcome, and the best of them where it is
   * better than `best`. Null where they have made nothing.
   */
  readonly uncommitted: { readonly programs: number; readonly valid: number; readonly best: Best | null } | null;
  /** True where the scores are invented, because no program was run (`evaluation.sandbox: noop`). */
  readonly scoresInvented: boolean;
  /** `cached` and `reasoning`: parts of those in and out, where an endpoint named them. */
  readonly tokens: Usage;
  readonly costUsd: number;
  /** The part of `tokens` that is our estimate, because the endpoint named no usage. */
  readonly estimated: Estimated;
  readonly wallSeconds: number;
  readonly offlineModel: boolean;
  /** How far its scores can be trusted; null where that is not known. */
  readonly level: Trust | null;
  /** True for a stream, whose steps do not wait for each other (`schedule: continuous`). */
  readonly stream: boolean;
  readonly createdAt: string;
  /** Lines that edits added, and how many of them an ancestor had deleted. Null where they were never counted. */
  readonly lines: { readonly added: number; readonly reintroduced: number } | null;
  /** Null where the run never had ideas before programs. */
  readonly rounds: RoundsReport | null;
  /** Valid programs without a value of a feature, by feature. They have no cell. */
  readonly noCell: { readonly [feature: string]: number };
  /** Seed programs that the islands have, and get, before the search begins; null where they get none. */
  readonly initialisation: { readonly done: number; readonly of: number } | null;
  /** The limits that are set. */
  readonly limits: { readonly [limit in StopReason]?: number };
  /** The version of the settings that holds for the next step. */
  readonly settingsVersion: number;
  /**
   * Tokens in and out together and US dollars that limits are held against: steps that were rewound and requests
   * without an answer included.
   */
  readonly paid: { readonly tokens: number; readonly costUsd: number };
  /** Requests that were sent and have no answer, with what counts for them, mostly estimated. */
  readonly unanswered: UnansweredSum;
  /** The mark that a person set; null where none is. */
  readonly mark: SetMark | null;
  readonly sweep: string | null;
  /** The run and the step after which this one was forked off. */
  readonly origin: { readonly run: string; readonly step: number } | null;
  /**
   * New versions of its task in mid-run: the step that scored the programs again, null while it is still to come, and
   * why a version was refused.
   */
  readonly taskUpdates: readonly {
    readonly at: string;
    readonly step: number | null;
    readonly refused: string | null;
  }[];
  /** The version of the model that the run has learned; null where there is none. */
  readonly policy: { readonly version: number; readonly id: string } | null;
  /** Those that fail for it, each with the last step that it has (-1: none). */
  readonly trackers: readonly TrackerFault[];
  readonly temporalUrl: string | null;
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

const bestReport = (best: NonNullable<RunDocument['best']>, { evaluation }: RunConfig): Best => {
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
