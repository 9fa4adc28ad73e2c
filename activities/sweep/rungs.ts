// A sweep follows its runs (`awaitRuns`, `markSweep`) and thins them out by successive halving (`decideRung`). Run
// documents say how far the runs are, and the workflow engine says whether they are open.
import { Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { runWorkflowId, sweepWorkflowId } from '../../evolution/ids.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import { commonScoring, rankingScore, type Scoring } from '../../evolution/scoring/ranking.ts';
import { restOf, survivors } from '../../evolution/sweep/halving.ts';
import { checkSweep } from '../../evolution/sweep/spec.ts';
import type { Task } from '../../evolution/task/task.ts';
import { hasEnded, isParked } from '../../evolution/run-states.ts';
import type { SweepActivities, SweptRun, SweptState } from '../interface/sweep.ts';
import { missing, requiredRun } from '../run/step-summary.ts';
import type { RunDocument, RungDecision, SweepDocument } from '../store/documents/documents.ts';
import type { Store } from '../store/store.ts';
import { meanOf } from '../../evolution/statistics.ts';
import { taskRef } from '../task/kept-task.ts';

export type AwaitRunsDeps = {
  readonly store: Pick<Store, 'readRun' | 'readSweep' | 'setSweep'>;
  /** The state of the workflow of this id in the engine. */
  readonly standing: (workflowId: string) => Promise<Standing>;
  readonly pollMs?: number;
  readonly patienceMs?: number;
};

/** A workflow that was `terminated` was so by a person; one that the engine does not know is `closed`. */
export type Standing = 'open' | 'closed' | 'terminated';

const ROUNDS_BETWEEN_LOOKS = 10;

export const createAwaitRuns = ({
  store,
  standing,
  pollMs = 1_000,
  patienceMs = 20_000,
}: AwaitRunsDeps): Pick<SweepActivities, 'awaitRuns' | 'lookAtSweep' | 'markSweep'> => ({
  async lookAtSweep({ sweep }) {
    const [document, stands] = await Promise.all([store.readSweep(sweep), standing(sweepWorkflowId(sweep))]);
    const status = document?.status ?? null;
    return {
      open: stands === 'open',
      status,
      ended: document !== null && hasEnded(document),
      runs: document?.runs.length ?? 0,
    };
  },
  async awaitRuns({ runs, known, words, scoring }) {
    const { cancellationSignal } = Context.current();
    const deadline = performance.now() + patienceMs;
    const stands = new Map<string, Standing>();
    for (let round = 0; ; round += 1) {
      const seen = await Promise.all(
        runs.map(async (run) => {
          const document = await requiredRun(store, run);
          // Most runs are under way most of the time, so the engine is asked about them only now and then.
          const closes = hasEnded(document) && known[run] !== 'ended';
          if (round % ROUNDS_BETWEEN_LOOKS === 0 || closes) stands.set(run, await standing(runWorkflowId(run)));
          return swept(document, stands.get(run)!, scoring);
        }),
      );
      const isNew = seen.some(({ run, state, word }) => state !== known[run] || (words && word !== words[run]));
      if (isNew || performance.now() >= deadline) return seen;
      await sleep(pollMs, undefined, { signal: cancellationSignal });
    }
  },
  async markSweep({ sweep, status, stopReason }) {
    await store.setSweep(sweep, {
      status,
      stopReason: stopReason ?? null,
      endedAt: status === 'finished' || status === 'stopped' ? new Date() : null,
    });
  },
});

/**
 * A run has ended when its document says so and its workflow is closed: the document of a run that is being started
 * again still has the old status. A terminated workflow was ended by a person.
 */
const swept = (document: RunDocument, stands: Standing, scoring?: Scoring): SweptRun => {
  const { run, config, status, stopReason, totals, best } = document;
  const ended = hasEnded(document);
  const state =
    stands === 'open' ? 'alive' : ended || stands === 'terminated' ? 'ended' : status === 'queued' ? 'queued' : 'lost';
  const rung = ended ? restOf(stopReason) : null;
  return {
    run,
    state,
    attention: isParked(status),
    word: WORDS[state]({ status, ended, rung }),
    programs: totals.programs,
    best: best && !inventsScores(config) ? rankingScore(best, scoring ?? config.evaluation.scoring) : null,
    costUsd: totals.costUsd,
    rung,
  };
};

type DecideRungDeps = { readonly store: Store; readonly loadTask: (ref: string) => Promise<Task> };

/** The document may not know yet what has become of the workflow. */
const WORDS: {
  readonly [state in SweptState]: (
    seen: Pick<RunDocument, 'status'> & { readonly ended: boolean; readonly rung: number | null },
  ) => string;
} = {
  queued: () => 'queued',
  alive: ({ status, ended }) => (ended || status === 'queued' ? 'opening' : status),
  ended: ({ status, ended, rung }) => (!ended ? 'terminated' : rung !== null && rung > 0 ? 'resting' : status),
  lost: () => 'closed',
};

/** Successive halving ranks the groups that are left by their best score at equal numbers of programs, once. */
export const createDecideRung = ({ store, loadTask }: DecideRungDeps): Pick<SweepActivities, 'decideRung'> => ({
  async decideRung({ sweep: name, programs }) {
    const sweep = await store.readSweep(name);
    if (!sweep) throw missing(`sweep ${name}`);
    const decision =
      sweep.decisions.find((one) => one.programs === programs) ?? (await decide(store, loadTask, sweep, programs));
    const { ranking } = decision;
    for (const { run, group } of sweep.runs.filter((one) => decision.stopped.includes(one.group))) {
      const rank = ranking.findIndex((one) => one.group === group) + 1;
      if ((await store.readRun(run))?.status === 'finished') continue;
      await store.setStatus(run, 'stopped', {
        stopReason: `sweep ${name}: rank ${rank} of ${ranking.length} configurations at ${programs} programs`,
      });
    }
    return decision.stopped;
  },
});

const decide = async (
  store: Store,
  loadTask: DecideRungDeps['loadTask'],
  sweep: SweepDocument,
  programs: number,
): Promise<RungDecision> => {
  const { stopWhen } = checkSweep(sweep.spec);
  const out = new Set(sweep.decisions.flatMap(({ stopped }) => stopped));
  const left = sweep.runs.filter((one) => !out.has(one.group));
  const documents = await Promise.all(left.map(({ run }) => requiredRun(store, run)));
  const scoring = commonScoring(documents.map(({ config }) => config.evaluation.scoring));
  const scores = new Map<number, number[]>();
  for (const [index, { run, group }] of left.entries()) {
    // Without scores that mean anything the groups keep their order, so that halving itself can be tried out.
    const score = inventsScores(documents[index]!.config) ? null : await bestAt(store, run, programs, scoring);
    scores.set(group, [...(scores.get(group) ?? []), ...(score === null ? [] : [score])]);
  }
  const { direction } = await loadTask(taskRef(documents[0]!));
  const means = [...scores].map(([group, list]) => ({ group, score: meanOf(list) }));
  const { ranking, stopped } = survivors(means, stopWhen?.halving.factor ?? 2, direction);
  const decision: RungDecision = { programs, ranking, stopped };
  await store.setSweep(sweep._id, { decisions: [...sweep.decisions, decision] });
  return decision;
};

/** The best score among the first `programs` programs, however far the run is. */
const bestAt = async (store: Store, run: string, programs: number, scoring: Scoring): Promise<number | null> => {
  let best: number | null = null;
  for await (const step of store.eachStep(run)) {
    if (step.totals.programs > programs) break;
    if (step.best !== null) best = rankingScore(step.best, scoring);
  }
  return best;
};
