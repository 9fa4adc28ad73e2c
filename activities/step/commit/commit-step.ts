// Activity `commitStep`: inserts the step's children in slot order, migrates when it is due and moves the run's commit
// point, all in one stored change set. A retry repeats the stored change set and computes nothing anew.
import { judgesInitialIdea } from '../../../evolution/ideas/idea.ts';
import { commitStep as changeSetOf } from '../../../evolution/population/insertion.ts';
import { rankedScore } from '../../../evolution/scoring/ranking.ts';
import { bornSeq } from '../../../evolution/schedule/slots.ts';
import { meanOf } from '../../../evolution/statistics.ts';
import { FIRST_INJECTED } from '../../../evolution/schedule/stream.ts';
import type { ChangeSet, RunId } from '../../../evolution/types.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type { StepSummary } from '../../interface/step.ts';
import { humanGoal, requiredRun, summarise, summaryOf, type StepDeps } from '../../run/step-summary.ts';
import { rescoringAt } from '../../store/documents/lineage.ts';
import type { BestProgram, RunDocument, UnansweredSum } from '../../store/documents/documents.ts';
import type { CallDocument, ProgramDocument, RolloutDocument } from '../../store/documents/step-documents.ts';
import { withRun } from '../../store/population/population-store.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { tell } from '../../telemetry/lines.ts';
import { count, gaugeAt } from '../../telemetry/metrics.ts';
import { judgedInitialIdea } from '../ask/stages/initial-idea.ts';
import { type Made, programDocuments } from './program-documents.ts';
import { childOf, stepMade } from './step-made.ts';
import { asPaid, bestAfter, roundsAfter, scoresAgain, stagnationAfter, totalsAfter } from './totals.ts';
import { requireValidStart } from '../evaluate/valid-start.ts';
import { asBefore, isRefused, refusalOf, refused } from './refused-rescoring.ts';

type StepToCommit = Parameters<StoreActivities['commitStep']>[0];

type Commits = (
  step: StepToCommit,
  /** What is known where several steps are committed in a row. */
  known?: {
    /** The run as the commit before left it; the guard of the commit sees where it has changed. */
    readonly document: RunDocument;
    /** As it was a moment ago, so that not each commit reads it. */
    readonly owed: UnansweredSum;
    /** Another one follows, and both are stored together. */
    readonly followed: boolean;
    readonly made: Made | null;
  },
) => Promise<{
  readonly summary: StepSummary;
  /** The run after the commit, or as it was read where an earlier attempt had committed the step. */
  readonly document: RunDocument;
}>;

export const createCommitStep = (deps: StepDeps): Pick<StoreActivities, 'commitStep'> => {
  const commit = createCommit(deps);
  return { commitStep: async (step) => (await commit(step)).summary };
};

/** The results of a step. */
export const madeIn = async (
  store: Store,
  document: RunDocument,
  { run, step, epoch, version, injected, omitted, unrepaired = [], stream }: StepToCommit,
): Promise<Made> => {
  const planned = { ...document, config: await store.readConfig(run, version) };
  const place = stream === undefined ? {} : { named: stream.first, groups: stream.groups };
  const rescored = rescoringAt(document, step) === undefined ? {} : { groups: [] };
  return stepMade({ store, run: planned, step, epoch, injected, omitted, unrepaired, ...place, ...rescored });
};

export const createCommit =
  ({ store: given, loadTask }: StepDeps): Commits =>
  async (toCommit, known) => {
    const { run, step, epoch, version, generation, omitted, next, stream } = toCommit;
    const document = known?.document ?? (await requiredRun(given, run));
    const store = withRun(given, document);
    const config = await store.readConfig(run, version);
    const planned = { ...document, config };
    const task = await loadTask(taskRef(planned));
    if (document.committedStep >= step && document.generation === generation) {
      const done = await summaryOf(store, document, step, generation);
      return { summary: { ...done, ...humanGoal(done.best, document.config, task) }, document };
    }
    if (isRefused(document, step, epoch)) return asBefore(store, document, task);
    const made = known?.made ?? (await madeIn(store, document, toCommit));
    if (step === 0) requireValidStart(config, task, made.evaluations.values().next().value);
    const refusal = refusalOf(document, step, config, made);
    if (refusal !== null) return refused({ store, loadTask }, run, step, refusal);
    const asNamed = await programDocuments({ store, made, run: planned, direction: task.direction, epoch, generation });
    const documents = stream === undefined ? asNamed : asNamed.map((program, index) => inStream(program, step, index));
    const programs =
      step > 0 || !judgesInitialIdea(config)
        ? documents
        : await Promise.all(
            documents.map(async (program) => ({
              ...program,
              idea: await judgedInitialIdea(store, made.calls, { task, config, baseline: rankedScore(program) }),
            })),
          );
    const population = await store.population(document);
    const changeSet = changeSetOf({ population, children: programs.map(childOf), step, settings: config });
    const inserted = withIslands(programs, changeSet);
    const stagnant = stagnationAfter(document.totals, population, inserted.map(childOf), config);
    const best = bestAfter(document.best, programs, task, step, config);
    const committed = await store.commit({
      run,
      step,
      epoch,
      generation,
      configVersion: version,
      changeSet,
      programs: inserted,
      totals: {
        ...totalsAfter(
          document.totals,
          programs,
          [...made.rollouts, ...made.calls, ...made.embedded.map(asPaid)],
          best === document.best ? null : best,
        ),
        ...roundsAfter({ before: document.totals, programs, evaluations: made.evaluations, config }),
        ...stagnant,
      },
      best,
      ...(next === undefined ? {} : { next }),
      after: document,
      ...(known?.followed === true && { followed: true }),
      ...(stream === undefined
        ? {}
        : {
            stream: {
              ...stream,
              responses: config.responses,
              omitted,
              injected: made.deltas.flatMap(({ slot }) => (slot >= FIRST_INJECTED ? [slot] : [])),
            },
          }),
    });
    countCommit({
      ...{ run, step, programs: scoresAgain(programs) ? [] : programs, best },
      answers: [...made.rollouts, ...made.calls],
      population: committed.population.size,
    });
    const times = [...made.evaluations.values()].map((evaluation) => evaluation.wallMs);
    const summary = {
      ...(await summarise(store, committed, step, meanOf(times), known?.owed)),
      ...humanGoal(best, committed.config, task),
    };
    return { summary, document: committed };
  };

/** The program as this step of a stream commits it, at its place in the order of insertion. */
const inStream = (program: ProgramDocument, step: number, index: number): ProgramDocument => ({
  ...program,
  step,
  named: program.step,
  bornSeq: bornSeq(step, index),
});

/** With `childIsland: current`, insertion decides which island a child enters. */
const withIslands = (programs: readonly ProgramDocument[], { add }: ChangeSet): readonly ProgramDocument[] => {
  const homes = new Map(add.map(({ id, home }) => [id, home]));
  return programs.map((program) => ({ ...program, island: homes.get(program._id) ?? program.island }));
};

type Committed = {
  readonly run: RunId;
  readonly step: number;
  readonly programs: readonly ProgramDocument[];
  readonly answers: readonly (RolloutDocument | CallDocument)[];
  readonly population: number;
  readonly best: BestProgram | null;
};

/** Counts a committed step in the metrics and the log of its worker. */
const countCommit = ({ run, step, programs, answers, population, best }: Committed): void => {
  for (const program of programs) {
    count('programs', { run, outcome: program.outcome });
    tell('info', 'program committed', {
      ...{ run, step, program: program._id, outcome: program.outcome, score: program.score },
    });
  }
  for (const answer of answers) {
    // The name of the run's settings: an endpoint may give its model any name.
    const model = answer.asked ?? answer.model;
    count('tokens', { run, model, kind: 'in' }, answer.usage.in);
    count('tokens', { run, model, kind: 'out' }, answer.usage.out);
    count('cost', { run, model }, answer.costUsd);
  }
  count('steps', { run });
  gaugeAt('population', { run }, population);
  if (best !== null) gaugeAt('best', { run }, best.score);
  tell('info', 'step committed', { run, step, programs: programs.length, best: best?.score ?? null });
};
