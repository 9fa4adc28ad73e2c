// The words of method `delta`: what a program changed against its parent, told at two levels (DeltaEvolve, section 2, Node). The third
// level is the program itself. Read this file first in this folder.

/** L1: one sentence each, one line each. `from` is '' where the answer left it out; `to` never is. */
export type DeltaSummary = { readonly from: string; readonly to: string };

/** An entry of L2, one line a field. Fields are '' where the answer left them out; `newLogic` never is. */
export type Modification = {
  readonly component: string;
  readonly oldLogic: string;
  readonly newLogic: string;
  readonly hypothesis: string;
};

/** What of the two levels the model gave. */
export type DeltaStatus = 'full' | 'summary_only' | 'plan_only' | 'missing';

/** As the model gave it; an empty plan is no plan. */
export type Delta = { readonly summary: DeltaSummary | null; readonly plan: readonly Modification[]; readonly status: DeltaStatus };

/** With a summary, if need be a mechanical one (complete.ts). The status still says what the model gave. */
export type CompleteDelta = Delta & { readonly summary: DeltaSummary };

/** Which of the two a prompt shows. */
export type Level = 'L1' | 'L2';

/** The status follows from what there is. */
export const deltaOf = (summary: DeltaSummary | null, plan: readonly Modification[]): Delta => ({
  summary, plan,
  status: summary === null ? (plan.length === 0 ? 'missing' : 'plan_only') : plan.length === 0 ? 'summary_only' : 'full',
});
