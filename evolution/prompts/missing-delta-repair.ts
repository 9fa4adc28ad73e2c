// The prompt of the further call that asks for a delta that an answer left out (DeltaEvolve, section 2, Missing delta: `repair`). It shows
// the patch and no program. Called after responses were read; the answer goes through deltas/parse.ts and deltas/complete.ts.
import type { CompleteDelta, Delta } from '../deltas/delta.ts';
import { PLAN_INSTRUCTIONS, SUMMARY_INSTRUCTIONS } from '../deltas/instructions.ts';
import { renderPlan, renderSummary } from '../deltas/render.ts';
import type { Block } from '../diff.ts';
import { fenced } from './fenced.ts';
import type { ValuesOf } from './placeholders.ts';
import { render, type Template } from './template.ts';

export type MissingDeltaRepair = {
  /** What the answer gave; its status is not `full`. */
  readonly delta: Delta;
  /** Null: the parent is a root. */
  readonly parentDelta: CompleteDelta | null;
  /** The answer's patch; at least one block. */
  readonly blocks: readonly Block[];
};

export const buildMissingDeltaRepair = ({ delta, parentDelta, blocks }: MissingDeltaRepair, template: Template): { readonly system: string; readonly user: string } => {
  const values: ValuesOf<'repair'> = {
    delta_rules: [...(delta.summary === null ? [SUMMARY_INSTRUCTIONS] : []), ...(delta.plan.length === 0 ? [PLAN_INSTRUCTIONS] : [])].join('\n\n'),
    before: parentDelta?.summary.to ?? 'That of the initial program.',
    summary: delta.summary === null ? '' : `# Delta summary of the change\n\n${renderSummary(delta.summary)}`,
    plan: delta.plan.length === 0 ? '' : `# Delta plan of the change\n\n${renderPlan(delta.plan)}`,
    patch: fenced(blocks.map(textOf).join('\n\n'), 'diff'), wanted: wanted(delta),
  };
  return render(template, values);
};

const wanted = ({ summary, plan }: Delta): string =>
  [...(summary === null ? ['delta summary'] : []), ...(plan.length === 0 ? ['delta plan'] : [])].join(' and the ');

const textOf = ({ search, replace }: Block): string =>
  ['<<<<<<< SEARCH', ...search, '=======', ...replace, '>>>>>>> REPLACE'].join('\n');
