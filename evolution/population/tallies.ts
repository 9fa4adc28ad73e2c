// Tallies of programs as parents (children, expansions, best child), kept where selection asks for them.
import type { Child, Member, ProgramId, Tally } from '../types.ts';
import type { StepSettings } from './draft.ts';
import type { Population } from './population.ts';
import { groupOf } from '../schedule/slots.ts';

type Tallied = { readonly tallies: readonly Tally[]; readonly picks: number };

/**
 * The tallies that a step changes, and the groups drawn so far; null where selection keeps none. `entered` are the
 * admitted children.
 */
export const tallied = (
  { tallies, state }: Population,
  children: readonly Child[],
  entered: readonly Member[],
  { selection, responses }: Pick<StepSettings, 'selection' | 'responses'>,
): Tallied | null => {
  if (selection.kind !== 'sigmoid' && selection.kind !== 'puct') return null;
  const changed = new Map<ProgramId, Tally>();
  const update = (id: ProgramId, change: (tally: Tally) => Partial<Tally>): void => {
    const tally = changed.get(id) ?? tallies.get(id) ?? { id, parent: null, children: 0, visits: 0, best: null };
    changed.set(id, { ...tally, ...change(tally) });
  };
  if (selection.kind === 'puct') {
    const parents = new Map(children.map(({ id, parent, founder }) => [id, founder === true ? null : parent]));
    for (const { id } of entered) update(id, () => ({ parent: parents.get(id) ?? null }));
  }
  const groups = new Set<string>();
  for (const { parent, slot, outcome, fit } of children) {
    if (parent === null) continue;
    update(parent, (tally) => ({
      children: tally.children + 1,
      best: outcome === 'valid' && fit !== undefined ? Math.max(tally.best ?? fit, fit) : tally.best,
    }));
    const group = `${groupOf(slot, responses)} ${parent}`;
    if (groups.has(group)) continue;
    groups.add(group);
    const lineage =
      selection.kind === 'puct'
        ? lineageOf(parent, (id) => (changed.get(id) ?? tallies.get(id))?.parent ?? null)
        : [parent];
    for (const id of lineage) update(id, ({ visits }) => ({ visits: visits + 1 }));
  }
  return {
    tallies: [...changed.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    picks: (state.picks ?? 0) + groups.size,
  };
};

/** A program and its ancestors, nearest first, as far as they are known. */
export const lineageOf = (id: ProgramId, parentOf: (id: ProgramId) => ProgramId | null): readonly ProgramId[] => {
  const lineage: ProgramId[] = [];
  for (let at: ProgramId | null = id; at !== null; at = parentOf(at)) lineage.push(at);
  return lineage;
};
