// What became of the rounds of a run, summed: a round is a slot of a step whose method has ideas. Called by the commit and the rebuild.
import { carriedOutcome, rollupOf, type RoundOutcome } from '../evolution/ideas/rounds.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import type { EvaluationDocument, ProgramDocument, RoundTotals, RunTotals } from './store/documents.ts';

export type RoundsOf = {
  readonly before: Pick<RunTotals, 'rounds'>;
  readonly programs: readonly ProgramDocument[];
  /** By evaluation key. */
  readonly evaluations: ReadonlyMap<string, EvaluationDocument>;
  /** The settings that the step went by. */
  readonly config: Pick<RunConfig, 'ideation' | 'diff'>;
};

/** Nothing where the run never had ideas. Injected programs are no rounds. */
export const roundsAfter = ({ before, programs, evaluations, config }: RoundsOf): Pick<RunTotals, 'rounds'> => {
  const rounds = config.ideation.kind === 'none' ? [] : programs.filter(({ parents, founder }) => parents.length > 0 || founder === true);
  if (rounds.length === 0) return before.rounds === undefined ? {} : { rounds: before.rounds };
  const counts: { [outcome in RoundOutcome]?: number } = { ...before.rounds?.counts };
  const wouldBe = { ...before.rounds?.wouldBe };
  for (const { outcome, length, evaluation, idea } of rounds) {
    const round = carriedOutcome({
      outcome, length, maxCodeChars: config.diff.maxCodeChars, execution: evaluation === null ? null : evaluations.get(evaluation)?.execution ?? null,
    });
    counts[round] = (counts[round] ?? 0) + 1;
    const would = config.ideation.gate === 'shadow' ? idea?.would : null;
    if (would !== 'rejected' && would !== 'unparsed') continue;
    const { rounds: all, failed } = wouldBe[would] ?? { rounds: 0, failed: 0 };
    wouldBe[would] = { rounds: all + 1, failed: failed + (rollupOf(round) === 'failure' ? 1 : 0) };
  }
  return { rounds: { counts, ...(Object.keys(wouldBe).length === 0 ? {} : { wouldBe }) } satisfies RoundTotals };
};
