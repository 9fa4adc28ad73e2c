// The momentum of a run, for people (DeltaEvolve 4.1).
import { describe, expect, it } from 'vitest';
import type { CompleteDelta } from '../../../evolution/deltas/delta.ts';
import {
  componentCounts,
  milestoneLine,
  milestones,
  momentumLines,
  type MomentumNode,
} from '../../../evolution/reports/momentum.ts';

const delta = (from: string, to: string, ...components: readonly string[]): CompleteDelta => ({
  summary: { from, to },
  plan: components.map((component) => ({ component, oldLogic: '', newLogic: 'n', hypothesis: '' })),
  status: 'full',
});
const root: MomentumNode = { id: 'root', time: 0, label: null, delta: null, fit: -3, score: 3 };
const nodes: readonly MomentumNode[] = [
  root,
  {
    id: 'a',
    time: 1,
    label: 'improved',
    delta: delta('initial program', 'grid', 'Start', 'start', 'Loop'),
    fit: -2,
    score: 2,
  },
  { id: 'b', time: 2, label: 'failed', delta: delta('grid', 'broken', 'Loop'), fit: null, score: null },
  { id: 'c', time: 3, label: 'degraded', delta: delta('grid', 'hexagons', 'start', 'Bounds'), fit: -4, score: 4 },
  { id: 'd', time: 27, label: 'unchanged', delta: delta('grid', 'same', 'Loop'), fit: -2, score: 2 },
  { id: 'e', time: 28, label: 'improved', delta: delta('', 'polish', 'START'), fit: -1.25, score: 1.25 },
];

describe('momentum', () => {
  it('is the deltas from root to node in order, the root without a line', () => {
    expect(momentumLines([root, nodes[1]!, nodes[5]!])).toEqual([
      '[iter: 001 | improved] FROM: initial program TO: grid',
      '[iter: 028 | improved] TO: polish',
    ]);
    expect(momentumLines([root])).toEqual([]);
  });

  it('counts improved against degraded for each component, a node once, spellings by their case together', () => {
    expect(componentCounts(nodes)).toEqual([
      { component: 'Start', improved: 2, degraded: 1 },
      { component: 'Loop', improved: 1, degraded: 0 },
      { component: 'Bounds', improved: 0, degraded: 1 },
    ]);
  });

  it('has a milestone wherever the best so far was beaten', () => {
    expect(milestones(nodes).map(milestoneLine)).toEqual([
      '[iter: 000] 3: root',
      '[iter: 001] 2: grid',
      '[iter: 028] 1.25: polish',
    ]);
    expect(milestones([])).toEqual([]);
  });
});
