// The totals of a run after a step: tokens and costs, outcomes, lines, rounds, and the best program.
import { addEstimated, sumUsage } from '../../../evolution/budget/money.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import {
  carriedOutcome,
  type IdeaOutcome,
  REFUSALS,
  rollupOf,
  type RoundOutcome,
} from '../../../evolution/ideas/rounds.ts';
import { stagnantAfter } from '../../../evolution/population/explored.ts';
import type { Population } from '../../../evolution/population/population.ts';
import { groupOf } from '../../../evolution/schedule/slots.ts';
import { asFit, rankingScore } from '../../../evolution/scoring/ranking.ts';
import { sumOf } from '../../../evolution/statistics.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { Child } from '../../../evolution/types.ts';
import type { BestProgram, RoundTotals, RunTotals } from '../../store/documents/documents.ts';
import type {
  EmbeddingDocument,
  EvaluationDocument,
  ProgramDocument,
  RolloutDocument,
} from '../../store/documents/step-documents.ts';

/** The number of lines that edits added in the run, and of those that came back. Empty where no program counts them. */
export const linesAfter = (
  before: Pick<RunTotals, 'lines'>,
  programs: readonly ProgramDocument[],
): Pick<RunTotals, 'lines'> => {
  const counted = programs.flatMap(({ lines }) => lines ?? []);
  if (counted.length === 0) return before.lines === undefined ? {} : { lines: before.lines };
  const all = [...(before.lines === undefined ? [] : [before.lines]), ...counted];
  return {
    lines: {
      added: sumOf(all.map(({ added }) => added)),
      reintroduced: sumOf(all.map(({ reintroduced }) => reintroduced)),
    },
  };
};

type RoundsOf = {
  readonly before: Pick<RunTotals, 'rounds'>;
  readonly programs: readonly ProgramDocument[];
  /** By evaluation key. */
  readonly evaluations: ReadonlyMap<string, EvaluationDocument>;
  readonly config: Pick<RunConfig, 'ideation' | 'diff' | 'responses'>;
};

/**
 * The outcomes of the run's rounds, summed. A round is a slot of a step whose method has ideas; injected programs are
 * no rounds. Empty where the run never had ideas.
 */
export const roundsAfter = ({ before, programs, evaluations, config }: RoundsOf): Pick<RunTotals, 'rounds'> => {
  const rounds =
    config.ideation.kind === 'none'
      ? []
      : programs.filter(({ parents, founder }) => parents.length > 0 || founder === true);
  if (rounds.length === 0) return before.rounds === undefined ? {} : { rounds: before.rounds };
  const counts: { [outcome in RoundOutcome]?: number } = { ...before.rounds?.counts };
  const wouldBe = { ...before.rounds?.wouldBe };
  const ideas: { [outcome in IdeaOutcome]?: number } = { ...before.rounds?.ideas };
  let group = -1;
  for (const { slot, outcome, length, evaluation, idea } of rounds) {
    // All programs of a group carry out one idea.
    if (groupOf(slot, config.responses) !== group) {
      group = groupOf(slot, config.responses);
      const became = REFUSALS.find((refusal) => refusal === outcome) ?? 'carried';
      ideas[became] = (ideas[became] ?? 0) + 1;
    }
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
  return {
    rounds: {
      ...{ counts, ideas },
      ...(Object.keys(wouldBe).length === 0 ? {} : { wouldBe }),
    } satisfies RoundTotals,
  };
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

/** True for a step that scores programs again. They were counted when they were made. */
export const scoresAgain = (programs: readonly ProgramDocument[]): boolean => programs[0]?.rescored !== undefined;

/** `best` is the program that became the best in this step, or null. */
export const totalsAfter = (
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
  if (scoresAgain(programs)) return { ...before, ...costs, sinceBest: 0 };
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
export const asPaid = ({ tokens, costUsd, estimated }: EmbeddingDocument): PaidDocument => ({
  usage: { in: tokens, out: 0 },
  costUsd,
  ...(estimated === undefined ? {} : { estimated }),
});

/** The best program so far, by the ranking score. Of equals the earlier one stays. */
export const bestAfter = (
  best: BestProgram | null,
  programs: readonly ProgramDocument[],
  task: Task,
  step: number,
  config: RunConfig,
): BestProgram | null => {
  const rank = (program: BestProgram): number =>
    asFit(rankingScore(program, config.evaluation.scoring), task.direction);
  let winner = scoresAgain(programs) ? null : best;
  for (const program of programs) {
    if (program.fit === undefined || program.score === null) continue;
    if (winner === null || program.fit > rank(winner))
      winner = { program: program._id, score: program.score, strictScore: program.strictScore, step };
  }
  return winner;
};
