// Activity `commitStep`: inserts the step's children in slot order, migrates when it is due and moves the run's commit
// point, all in one stored change set. A retry repeats the stored change set and computes nothing anew.
import { addEstimated, sumUsage } from '../../../evolution/budget/money.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { judgesInitialIdea } from '../../../evolution/ideas/idea.ts';
import { carriedOutcome, rollupOf, type RoundOutcome } from '../../../evolution/ideas/rounds.ts';
import { stagnantAfter } from '../../../evolution/population/explored.ts';
import { commitStep as changeSetOf } from '../../../evolution/population/insertion.ts';
import type { Population } from '../../../evolution/population/population.ts';
import { asFit, rankedScore, rankingScore } from '../../../evolution/scoring/ranking.ts';
import { bornSeq } from '../../../evolution/schedule/slots.ts';
import { meanOf, sumOf } from '../../../evolution/statistics.ts';
import { FIRST_INJECTED } from '../../../evolution/schedule/stream.ts';
import type { Task } from '../../../evolution/task.ts';
import type { ChangeSet, Child } from '../../../evolution/types.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type { StepSummary } from '../../interface/step.ts';
import { humanGoal, missing, summarise, summaryOf } from '../../run/step-summary.ts';
import type {
  BestProgram,
  RoundTotals,
  RunDocument,
  RunTotals,
  UnansweredSum,
} from '../../store/documents/documents.ts';
import type {
  EmbeddingDocument,
  EvaluationDocument,
  ProgramDocument,
  RolloutDocument,
} from '../../store/documents/step-documents.ts';
import { withRun } from '../../store/population/population-store.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { countCommit } from './counted.ts';
import { judgedInitialIdea } from '../ask/stages/initial-idea.ts';
import { programDocuments } from './program-documents.ts';
import { childOf, stepMade } from './step-made.ts';
import { requireValidStart } from '../evaluate/valid-start.ts';

/**
 * How many lines edits added, and how many of them came back, summed over the run. Empty where no program has counted
 * lines.
 */
export const linesAfter = (
  before: Pick<RunTotals, 'lines'>,
  programs: readonly ProgramDocument[],
): Pick<RunTotals, 'lines'> => {
  const counted = programs.flatMap(({ lines }) => lines ?? []);
  if (counted.length === 0) return before.lines === undefined ? {} : { lines: before.lines };
  return {
    lines: counted.reduce(
      (sum, { added, reintroduced }) => ({
        added: sum.added + added,
        reintroduced: sum.reintroduced + reintroduced,
      }),
      before.lines ?? { added: 0, reintroduced: 0 },
    ),
  };
};

type RoundsOf = {
  readonly before: Pick<RunTotals, 'rounds'>;
  readonly programs: readonly ProgramDocument[];
  /** By evaluation key. */
  readonly evaluations: ReadonlyMap<string, EvaluationDocument>;
  readonly config: Pick<RunConfig, 'ideation' | 'diff'>;
};

/**
 * What became of the run's rounds, summed. A round is a slot of a step whose method has ideas; injected programs are no
 * rounds. Empty where the run never had ideas.
 */
export const roundsAfter = ({ before, programs, evaluations, config }: RoundsOf): Pick<RunTotals, 'rounds'> => {
  const rounds =
    config.ideation.kind === 'none'
      ? []
      : programs.filter(({ parents, founder }) => parents.length > 0 || founder === true);
  if (rounds.length === 0) return before.rounds === undefined ? {} : { rounds: before.rounds };
  const counts: { [outcome in RoundOutcome]?: number } = { ...before.rounds?.counts };
  const wouldBe = { ...before.rounds?.wouldBe };
  for (const { outcome, length, evaluation, idea } of rounds) {
    const round = carriedOutcome({
      outcome,
      length,
      maxCodeChars: config.diff.maxCodeChars,
      execution: evaluation === null ? null : (evaluations.get(evaluation)?.execution ?? null),
    });
    counts[round] = (counts[round] ?? 0) + 1;
    const would = config.ideation.gate === 'shadow' ? idea?.would : null;
    if (would !== 'rejected' && would !== 'unparsed') continue;
    const { rounds: all, failed } = wouldBe[would] ?? { rounds: 0, failed: 0 };
    wouldBe[would] = { rounds: all + 1, failed: failed + (rollupOf(round) === 'failure' ? 1 : 0) };
  }
  return { rounds: { counts, ...(Object.keys(wouldBe).length === 0 ? {} : { wouldBe }) } satisfies RoundTotals };
};

/** The count of stagnant epochs, which is kept where a limit asks for it. */
export const stagnationAfter = (
  before: Pick<RunTotals, 'stagnantEpochs'>,
  population: Population,
  children: readonly Child[],
  config: Pick<RunConfig, 'limits' | 'population'>,
): Pick<RunTotals, 'stagnantEpochs'> =>
  config.limits.stagnantEpochs === null
    ? {}
    : { stagnantEpochs: stagnantAfter(before.stagnantEpochs ?? 0, population, children, config) };

export type CommitStepDeps = { readonly store: Store; readonly loadTask: (id: string) => Promise<Task> };

type Commits = (
  step: Parameters<StoreActivities['commitStep']>[0],
  /**
   * The run as the commit before left it, null before the first of several in a row; the guard of the commit sees where
   * it has changed. With what it owed a moment ago, so that not each of them asks, and whether another one follows.
   */
  known?: { readonly document: RunDocument | null; readonly owed: UnansweredSum; readonly followed: boolean },
) => Promise<{
  readonly summary: StepSummary;
  /** The run after the commit, or as it was read where an earlier attempt had committed the step. */
  readonly document: RunDocument;
}>;

export const createCommitStep = (deps: CommitStepDeps): Pick<StoreActivities, 'commitStep'> => {
  const commit = committing(deps);
  return { commitStep: async (step) => (await commit(step)).summary };
};

export const committing =
  ({ store: given, loadTask }: CommitStepDeps): Commits =>
  async ({ run, step, epoch, version, generation, injected, omitted, unrepaired = [], next, stream }, known) => {
    const document = known?.document ?? (await given.readRun(run));
    if (!document) throw missing(`run ${run}`);
    const store = withRun(given, document);
    const config = await store.readConfig(run, version);
    const task = await loadTask(taskRef({ ...document, config }));
    if (document.committedStep >= step && document.generation === generation) {
      const done = await summaryOf(store, document, step, generation);
      return { summary: { ...done, ...humanGoal(done.best, document.config, task) }, document };
    }
    const going = { ...document, config };
    const { first: named, groups } = stream ?? {};
    const place = named === undefined ? {} : { named, groups: groups! };
    const made = await stepMade({ store, run: going, step, epoch, injected, omitted, unrepaired, ...place });
    if (step === 0) requireValidStart(config, task, made.evaluations.values().next().value);
    const asNamed = await programDocuments({ store, made, run: going, direction: task.direction, epoch, generation });
    const documents = named === undefined ? asNamed : asNamed.map((program, index) => inStream(program, step, index));
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
    const stagnant = stagnationAfter(document.totals, population, settled(programs, changeSet).map(childOf), config);
    const best = bestAfter(document.best, programs, task, step, config);
    const committed = await store.commit({
      run,
      step,
      epoch,
      generation,
      configVersion: version,
      changeSet,
      programs: settled(programs, changeSet),
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
      ...(known?.document && { after: known.document }),
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
      ...{ run, step, programs, best },
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
const settled = (programs: readonly ProgramDocument[], { add }: ChangeSet): readonly ProgramDocument[] => {
  const homes = new Map(add.map(({ id, home }) => [id, home]));
  return programs.map((program) => ({ ...program, island: homes.get(program._id) ?? program.island }));
};

/** `best` is the program that became the best in this step, or null. */
const totalsAfter = (
  before: RunTotals,
  programs: readonly ProgramDocument[],
  paid: readonly PaidDocument[],
  best: BestProgram | null,
): RunTotals => {
  const estimated = addEstimated(before.estimated ?? { answers: 0, tokens: 0 }, paid);
  const tokens = sumUsage(
    paid.map(({ usage }) => usage),
    before.tokens,
  );
  const costUsd = before.costUsd + sumOf(paid.map((one) => one.costUsd));
  const costs = { tokens, costUsd, ...(estimated.answers === 0 ? {} : { estimated }) };
  if (programs[0]?.bornSeq === 0) return { ...before, ...costs };
  const failures: Record<string, number> = { ...before.failures };
  for (const { outcome } of programs) if (outcome !== 'valid') failures[outcome] = (failures[outcome] ?? 0) + 1;
  return {
    ...linesAfter(before, programs),
    programs: before.programs + programs.length,
    valid: before.valid + programs.filter((program) => program.outcome === 'valid').length,
    failures,
    ...costs,
    sinceBest:
      best === null
        ? before.sinceBest + programs.length
        : programs.length - 1 - programs.findIndex(({ _id }) => _id === best.program),
  };
};

type PaidDocument = Pick<RolloutDocument, 'usage' | 'costUsd' | 'estimated'>;

/** An embedding counts as a call that only reads. */
const asPaid = ({ tokens, costUsd, estimated }: EmbeddingDocument): PaidDocument => ({
  usage: { in: tokens, out: 0 },
  costUsd,
  ...(estimated === undefined ? {} : { estimated }),
});

/** The best program so far, by the ranking score. Of equals the earlier one stays. */
const bestAfter = (
  best: BestProgram | null,
  programs: readonly ProgramDocument[],
  task: Task,
  step: number,
  config: RunConfig,
): BestProgram | null => {
  const rank = (program: BestProgram): number =>
    asFit(rankingScore(program, config.evaluation.scoring), task.direction);
  let winner = best;
  for (const program of programs) {
    if (program.fit === undefined || program.score === null) continue;
    if (winner === null || program.fit > rank(winner))
      winner = { program: program._id, score: program.score, strictScore: program.strictScore, step };
  }
  return winner;
};
