// The words of method `delta`: a change against the parent at two levels (DeltaEvolve 4.2, Eq. 8), its effect on the
// score (Eq. 7), and the number of the attempt (Appendix B). Read this file first in this folder.
import type { RunConfig } from '../config/run-config.ts';
import { slotsIn } from '../schedule/slots.ts';
import type { ProgramId } from '../types.ts';

/** L1: one sentence and one line each. `from` is '' where the answer left it out; `to` never is. */
export type DeltaSummary = { readonly from: string; readonly to: string };

/** An entry of L2, with one line for each field. Fields are '' where the answer left them out; `newLogic` never is. */
export type Modification = {
  readonly component: string;
  readonly oldLogic: string;
  readonly newLogic: string;
  readonly hypothesis: string;
};

/** The levels that the model gave. */
export type DeltaStatus = 'full' | 'summary_only' | 'plan_only' | 'missing';

/** A delta as the model gave it; an empty plan stands for no plan. */
export type Delta = {
  readonly summary: DeltaSummary | null;
  readonly plan: readonly Modification[];
  readonly status: DeltaStatus;
};

/** A delta with a summary, if need be a mechanical one. The status still says what the model gave. */
export type CompleteDelta = Delta & { readonly summary: DeltaSummary };

/** The level that a prompt shows. */
export type Level = 'L1' | 'L2';

/** The level of a program in a prompt of style `delta`: summary, plan or code (DeltaEvolve 4.3), and its tokens. */
export type Disclosed = { readonly id: ProgramId; readonly level: Level | 'L3'; readonly tokens: number };

/** A delta whose status follows from what there is. */
export const deltaOf = (summary: DeltaSummary | null, plan: readonly Modification[]): Delta => ({
  summary,
  plan,
  status:
    summary === null ? (plan.length === 0 ? 'missing' : 'plan_only') : plan.length === 0 ? 'summary_only' : 'full',
});

/** The effect of a change on the score (DeltaEvolve Eq. 7). */
export type ChangeLabel = 'improved' | 'degraded' | 'unchanged' | 'failed';

/** True for scores that differ beyond the ten digits that prompts show: there rounding decides. */
export const isTie = (one: number, other: number): boolean => Math.abs(one - other) <= 1e-10 * Math.abs(other);

/** Both are ranking scores, always maximised; null: it failed. A valid child of a failed parent is `improved`. */
export const changeLabel = ({
  fit,
  parentFit,
}: {
  readonly fit: number | null;
  readonly parentFit: number | null;
}): ChangeLabel => {
  if (fit === null) return 'failed';
  if (parentFit === null) return 'improved';
  return isTie(fit, parentFit) ? 'unchanged' : fit > parentFit ? 'improved' : 'degraded';
};

/**
 * Time(N) in DeltaEvolve's Appendix B: (step - 1) * B * n + slot + 1, and 0 for the initial program. A prompt's t is
 * the number of its group's first slot, so that all groups of a step know the same programs. B and n are those of the
 * present settings.
 */
export const attemptOf = (
  { step, named = step, slot }: { readonly step: number; readonly named?: number; readonly slot: number },
  config: Pick<RunConfig, 'batch' | 'responses'>,
): number => (step === 0 ? 0 : (named - 1) * slotsIn(config) + slot + 1);
