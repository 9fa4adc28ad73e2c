// The rounds of a run that has ideas: what became of them, their rollup, and what a gate in the shadow would have spared. Pure; called by report.ts
// and whoever shows progress.
import type { RoundTotals } from '../../activities/store/documents.ts';
import { ROUND_OUTCOMES, rollupOf, type Rollup, type RoundOutcome } from '../../evolution/ideas/rounds.ts';

/** `share`: of those that failed; null without any. */
export type WouldBeReport = { readonly rounds: number; readonly failed: number; readonly share: number | null };

export type RoundsReport = {
  readonly counts: Readonly<Record<RoundOutcome, number>>;
  /** They add up to the rounds. */
  readonly rollup: Readonly<Record<Rollup, number>>;
  /** Ideas that a gate that is `on` would have stopped; null where none was judged in the shadow so far. */
  readonly shadow: { readonly rejected: WouldBeReport; readonly unparsed: WouldBeReport } | null;
};

export const roundsReport = (totals: RoundTotals | undefined): RoundsReport | null => {
  if (totals === undefined) return null;
  const counts = Object.fromEntries(ROUND_OUTCOMES.map((outcome) => [outcome, totals.counts[outcome] ?? 0])) as Record<RoundOutcome, number>;
  const rollup: Record<Rollup, number> = { scrapped: 0, success: 0, failure: 0 };
  for (const outcome of ROUND_OUTCOMES) rollup[rollupOf(outcome)] += counts[outcome];
  const { wouldBe } = totals;
  return { counts, rollup, shadow: wouldBe === undefined ? null : { rejected: shared(wouldBe.rejected), unparsed: shared(wouldBe.unparsed) } };
};

const shared = ({ rounds, failed }: { readonly rounds: number; readonly failed: number } = { rounds: 0, failed: 0 }): WouldBeReport =>
  ({ rounds, failed, share: rounds === 0 ? null : failed / rounds });

/** One line for people. */
export const roundsLine = ({ counts, rollup, shadow }: RoundsReport): string => {
  const seen = ROUND_OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) => `${outcome} ${counts[outcome]}`).join(', ');
  const spared = shadow === null ? '' : `; the gate would have stopped ${shadow.rejected.rounds}, of which ${shadow.rejected.failed} failed${
    shadow.unparsed.rounds === 0 ? '' : `, and could not read ${shadow.unparsed.rounds}, of which ${shadow.unparsed.failed} failed`}`;
  return `${rollup.scrapped} scrapped, ${rollup.success} success, ${rollup.failure} failure${seen === '' ? '' : ` (${seen})`}${spared}`;
};
