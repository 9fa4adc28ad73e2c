// The form of a delta in an answer (DeltaEvolve Figure 5) and the prompt of its repair (docs/methods/deltaevolve.md).
// Delimiters and labels are the paper's, words in angle brackets ours. A form that comes back unchanged is no delta.
import type { CompleteDelta, Delta } from '../../deltas/delta.ts';
import { renderPlan, renderSummary } from '../../deltas/render.ts';
import type { Block } from '../../edits/diff.ts';
import { fenced } from './sections.ts';
import { render, type Template, type ValuesOf } from './template.ts';

export const SUMMARY_FORMAT = `#DELTA-SUMMARY-START
FROM: <one sentence: the strategy of the program that you were given>
TO: <one sentence: the strategy of the program as you leave it>
#DELTA-SUMMARY-END`;

export const PLAN_FORMAT = `#DELTA-PLAN-DETAILS-START
[Modification 1]
COMPONENT: <the part of the method that changed, such as starting points, constraint handling or the main loop>
OLD_LOGIC: <what it did before, in short>
NEW_LOGIC: <what it does now, in detail: rules, formulas, the values of all parameters>
HYPOTHESIS: <why this should improve the score>
[Modification 2]
COMPONENT: ...
OLD_LOGIC: ...
NEW_LOGIC: ...
HYPOTHESIS: ...
#DELTA-PLAN-DETAILS-END`;

export const SUMMARY_INSTRUCTIONS = [
  '## Delta summary',
  '',
  '- Say nothing about the edit itself: no counts of lines, no "updated", "rewrote" or "changed".',
  '- Say the strategy only: which approach there was, which there is now.',
  '- Put real content in the place of everything in angle brackets. A placeholder that is left counts as nothing.',
  '- Natural language, no code.',
  '',
  SUMMARY_FORMAT,
].join('\n');

export const PLAN_INSTRUCTIONS = [
  '## Delta plan',
  '',
  '- Write for a researcher who is to reproduce the change without ever seeing the code.',
  '- Give quantities before and after: not "more restarts" but "restarts from 10 to 50".',
  '- Call algorithms by their standard names, such as coordinate descent, simulated annealing or a penalty method.',
  '- Describe the logic, not acts of coding such as defining a function.',
  '- One entry for each modification, as many as there are.',
  '',
  PLAN_FORMAT,
].join('\n');

/** The prompt of the further call that asks for a delta which an answer left out. It shows the patch and no program. */
export type MissingDeltaRepair = {
  /** The delta of the answer; its status is not `full`. */
  readonly delta: Delta;
  /** Null where the parent is a root. */
  readonly parentDelta: CompleteDelta | null;
  /** The answer's patch: at least one block. */
  readonly blocks: readonly Block[];
};

export const buildMissingDeltaRepair = (
  { delta, parentDelta, blocks }: MissingDeltaRepair,
  template: Template,
): { readonly system: string; readonly user: string } => {
  const values: ValuesOf<'repair'> = {
    delta_rules: [
      ...(delta.summary === null ? [SUMMARY_INSTRUCTIONS] : []),
      ...(delta.plan.length === 0 ? [PLAN_INSTRUCTIONS] : []),
    ].join('\n\n'),
    before: parentDelta?.summary.to ?? 'That of the initial program.',
    summary: delta.summary === null ? '' : `# Delta summary of the change\n\n${renderSummary(delta.summary)}`,
    plan: delta.plan.length === 0 ? '' : `# Delta plan of the change\n\n${renderPlan(delta.plan)}`,
    patch: fenced(blocks.map(textOf).join('\n\n'), 'diff'),
    wanted: missing(delta),
  };
  return render(template, values);
};

const missing = ({ summary, plan }: Delta): string =>
  [...(summary === null ? ['delta summary'] : []), ...(plan.length === 0 ? ['delta plan'] : [])].join(' and the ');

const textOf = ({ search, replace }: Block): string =>
  ['<<<<<<< SEARCH', ...search, '=======', ...replace, '>>>>>>> REPLACE'].join('\n');
