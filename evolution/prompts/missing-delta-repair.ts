// The prompt of the further call that asks for a delta that an answer left out (DeltaEvolve, section 2, Missing delta: `repair`). It shows
// the patch and no program. Called after responses were read; the answer goes through deltas/parse.ts and deltas/complete.ts.
import type { CompleteDelta, Delta } from '../deltas/delta.ts';
import { PLAN_INSTRUCTIONS, SUMMARY_INSTRUCTIONS } from '../deltas/instructions.ts';
import { renderPlan, renderSummary } from '../deltas/render.ts';
import type { Block } from '../diff.ts';
import { fenced } from './fenced.ts';

export type MissingDeltaRepair = {
  /** What the answer gave; its status is not `full`. */
  readonly delta: Delta;
  /** Null: the parent is a root. */
  readonly parentDelta: CompleteDelta | null;
  /** The answer's patch; at least one block. */
  readonly blocks: readonly Block[];
};

export const buildMissingDeltaRepair = ({ delta, parentDelta, blocks }: MissingDeltaRepair): { readonly system: string; readonly user: string } => ({
  system: [
    '# Delta instructions\n\nYou log changes that were made to a program. Delimiters and labels stand exactly as given below. Write no code and no edits.',
    ...(delta.summary === null ? [SUMMARY_INSTRUCTIONS] : []),
    ...(delta.plan.length === 0 ? [PLAN_INSTRUCTIONS] : []),
  ].join('\n\n'),
  user: [
    `# Strategy before the change\n\n${parentDelta?.summary.to ?? 'That of the initial program.'}`,
    ...(delta.summary === null ? [] : [`# Delta summary of the change\n\n${renderSummary(delta.summary)}`]),
    ...(delta.plan.length === 0 ? [] : [`# Delta plan of the change\n\n${renderPlan(delta.plan)}`]),
    `# Patch\n\n${fenced(blocks.map(textOf).join('\n\n'), 'diff')}`,
    `# Request\n\nAnswer with the ${wanted(delta)} of this patch and with nothing else.`,
  ].join('\n\n'),
});

const wanted = ({ summary, plan }: Delta): string =>
  [...(summary === null ? ['delta summary'] : []), ...(plan.length === 0 ? ['delta plan'] : [])].join(' and the ');

const textOf = ({ search, replace }: Block): string =>
  ['<<<<<<< SEARCH', ...search, '=======', ...replace, '>>>>>>> REPLACE'].join('\n');
