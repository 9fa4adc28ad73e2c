// The deltas along a lineage, the components that helped, and the milestones of a run, for people (DeltaEvolve 4.1).
import type { ChangeLabel, CompleteDelta } from '../deltas/delta.ts';
import { showNumber } from '../prompts/parts/program-card.ts';
import type { ProgramId } from '../types.ts';

export type MomentumNode = {
  readonly id: ProgramId;
  /** The attempt number. */
  readonly time: number;
  /** Both are null for a root. */
  readonly label: ChangeLabel | null;
  readonly delta: CompleteDelta | null;
  /** The ranking score, always maximised; null where the evaluation failed. */
  readonly fit: number | null;
  /** The raw objective, as people read it; null where the evaluation failed. */
  readonly score: number | null;
};

export type ComponentCount = { readonly component: string; readonly improved: number; readonly degraded: number };

export type Milestone = MomentumNode & { readonly fit: number };

/** One line for each node, from the root's child on. `lineage` goes from the root to the program. */
export const momentumLines = (lineage: readonly MomentumNode[]): readonly string[] =>
  lineage.flatMap((node) => (node.delta === null ? [] : [lineOf(node)]));

/**
 * The changes of a component with a better and with a worse score, over all nodes with a plan. Names count without
 * case, once a node. Most improvements come first, then fewest degradations.
 */
export const componentCounts = (nodes: readonly MomentumNode[]): readonly ComponentCount[] => {
  const counts = new Map<string, { readonly component: string; improved: number; degraded: number }>();
  for (const { delta, label } of nodes) {
    const seen = new Set<string>();
    for (const { component } of delta?.plan ?? []) {
      const key = component.toLowerCase();
      if (key === '' || seen.has(key)) continue;
      seen.add(key);
      const count = counts.get(key) ?? { component, improved: 0, degraded: 0 };
      if (label === 'improved' || label === 'degraded') count[label] += 1;
      counts.set(key, count);
    }
  }
  return [...counts.values()].sort(
    (a, b) => b.improved - a.improved || a.degraded - b.degraded || (a.component < b.component ? -1 : 1),
  );
};

/** The nodes that were the best of the run when they came. `nodes` are in the order of their attempts. */
export const milestones = (nodes: readonly MomentumNode[]): readonly Milestone[] => {
  const reached: Milestone[] = [];
  for (const node of nodes) {
    const { fit } = node;
    if (fit !== null && fit > (reached.at(-1)?.fit ?? -Infinity)) reached.push({ ...node, fit });
  }
  return reached;
};

/** For a root the line says so in the place of a summary. */
export const milestoneLine = ({ time, score, delta }: Milestone): string =>
  `[iter: ${iteration(time)}] ${score === null ? 'none' : showNumber(score)}: ${delta?.summary.to ?? 'root'}`;

const lineOf = ({ time, label, delta }: MomentumNode): string => {
  const { from, to } = delta!.summary;
  return `[iter: ${iteration(time)} | ${label ?? 'root'}]${from === '' ? '' : ` FROM: ${from}`} TO: ${to}`;
};

const iteration = (time: number): string => String(time).padStart(3, '0');
