// The results of a sweep so far by run and configuration: `evolve sweep status|report|list` and SweepHandle.report.
import type { RunStatus } from '../../evolution/run-states.ts';
import type { RunDocument, RungDecision, SweepDocument } from '../../activities/store/documents/documents.ts';
import { moneyOf } from '../../activities/store/steps/paid.ts';
import type { Store } from '../../activities/store/store.ts';
import { canonicalJson } from '../../evolution/canonical-json.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import { commonScoring, rankingScore } from '../../evolution/scoring/ranking.ts';
import { restOf } from '../../evolution/sweep/halving.ts';
import { sweepReport as compare, type GroupReport, type SweptGroup } from '../../evolution/sweep/report.ts';
import type { Direction } from '../../evolution/types.ts';

/** True where a sweep has ended. It may be started again. */
export const hasSweepEnded = ({ status }: { readonly status: RunStatus }): boolean =>
  status === 'finished' || status === 'stopped' || status === 'terminated';

export type SweepReport = {
  readonly sweep: string;
  /** While its workflow is open, the workflow's own word, such as `pausing`. */
  readonly status: RunStatus;
  readonly stopReason: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly runs: readonly (SweptGroup['runs'][number] & {
    readonly group: number;
    readonly stopReason: string | null;
  })[];
  /** Number of runs in each state: the states of `evolve status`, and `resting` at a rung of successive halving. */
  readonly states: { readonly [state: string]: number };
  /** One a configuration, best mean first. */
  readonly groups: readonly GroupReport[];
  /** The decisions of successive halving at its rungs. */
  readonly decisions: readonly RungDecision[];
  readonly programs: number;
  readonly valid: number;
  readonly tokens: { readonly in: number; readonly out: number };
  readonly costUsd: number;
};

/** The report, and the direction of the task of each configuration that has a run. */
export const sweepReportWithDirections = async (store: Store, sweep: SweepDocument) => {
  const documents = await Promise.all(sweep.runs.map(({ run }) => store.readRun(run)));
  const { taskLoader, taskRef } = await import('../../activities/task/kept-task.ts');
  const load = taskLoader(store);
  const tasks = new Map<string, { readonly direction: Direction }>();
  const ofGroup = new Map<number, Direction>();
  for (const [index, { group }] of sweep.runs.entries()) {
    const document = documents[index] ?? null;
    if (document === null || ofGroup.has(group)) continue;
    const ref = taskRef(document);
    const task = tasks.get(ref) ?? (await load(ref).catch(() => ({ direction: 'maximise' as const })));
    tasks.set(ref, task);
    ofGroup.set(group, task.direction);
  }
  const [first = 'maximise'] = ofGroup.values();
  const begun = documents.filter((document) => document !== null);
  return { report: reportOf(sweep, begun, (group) => ofGroup.get(group) ?? first), directions: ofGroup };
};

export const sweepReport = async (store: Store, sweep: SweepDocument): Promise<SweepReport> =>
  (await sweepReportWithDirections(store, sweep)).report;

/** A run that rests at a rung has stopped. It goes on unless its configuration loses. */
const stateOf = (run: RunDocument | undefined): string =>
  run === undefined ? 'queued' : run.status === 'stopped' && (restOf(run.stopReason) ?? 0) > 0 ? 'resting' : run.status;

/** Configurations of the same settings differ in the prompt text of their tasks, which is then shown, too. */
const paramsOf = (
  { groups, runs }: SweepDocument,
  known: ReadonlyMap<string, RunDocument>,
): readonly SweptGroup['params'][] =>
  groups.map((params, group) => {
    if (groups.filter((other) => canonicalJson(other) === canonicalJson(params)).length === 1) return params;
    const first = runs
      .filter((run) => run.group === group)
      .map(({ run }) => known.get(run))
      .find((document) => document !== undefined);
    return { ...params, promptText: first === undefined ? 'unknown' : first.taskDigest.slice(0, 6) };
  });

export const reportOf = (
  sweep: SweepDocument,
  documents: readonly RunDocument[],
  direction: Direction | ((group: number) => Direction),
): SweepReport => {
  const byRun = new Map(documents.map((document) => [document.run, document]));
  const scoring = commonScoring(documents.map(({ config }) => config.evaluation.scoring));
  const runs = sweep.runs.map(({ run, group, seed, repeat }) => {
    const document = byRun.get(run);
    const money = document && moneyOf(document);
    return {
      run,
      group,
      seed,
      repeat,
      state: stateOf(document),
      stopReason: document?.stopReason ?? document?.statusReason ?? null,
      best: document?.best && !inventsScores(document.config) ? rankingScore(document.best, scoring) : null,
      programs: document?.totals.programs ?? 0,
      tokensIn: money?.tokens.in ?? 0,
      tokensOut: money?.tokens.out ?? 0,
      costUsd: money?.paid.costUsd ?? 0,
    };
  });
  const states: Record<string, number> = {};
  for (const { state } of runs) states[state] = (states[state] ?? 0) + 1;
  const sum = (count: (run: (typeof runs)[number]) => number): number =>
    runs.reduce((total, run) => total + count(run), 0);
  return {
    sweep: sweep._id,
    status: sweep.status,
    stopReason: sweep.stopReason,
    createdAt: sweep.createdAt,
    endedAt: sweep.endedAt,
    runs,
    states,
    groups: compare(
      paramsOf(sweep, byRun).map((params, group) => ({
        group,
        params,
        runs: runs.filter((run) => run.group === group),
      })),
      direction,
    ),
    decisions: sweep.decisions,
    programs: sum((run) => run.programs),
    valid: documents.reduce((total, { totals }) => total + totals.valid, 0),
    tokens: { in: sum((run) => run.tokensIn), out: sum((run) => run.tokensOut) },
    costUsd: sum((run) => run.costUsd),
  };
};
