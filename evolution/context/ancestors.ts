// The ancestors that a prompt shows as a conversation (CodeEvolve, section 2, Conversation). Called when a step is planned; program documents
// are loaded by the caller, level by level with nextAncestor where it needs to.
import type { ProgramId } from '../types.ts';

/** What of a program decides whether the chain goes on. A program document fits. */
export type Descent = { readonly parents: readonly ProgramId[]; readonly island: number; readonly founder?: true };

export type AncestorsOf = {
  /** k: the nearest so many. */
  readonly count: number;
  /** The island that the program counts with as a parent. */
  readonly island: number;
  readonly find: (id: ProgramId) => Descent | undefined;
};

/** The next of the chain on this island; null at a root: a migrant from elsewhere, one that an island was founded with, one without a parent. */
export const nextAncestor = (program: Descent, island: number): ProgramId | null =>
  (program.island === island && program.founder !== true ? program.parents[0] ?? null : null);

/** Oldest first, without the program itself. The chain ends at a root, which is part of it, and before a program that is not found. */
export const ancestorsOf = (id: ProgramId, { count, island, find }: AncestorsOf): readonly ProgramId[] => {
  const chain: ProgramId[] = [];
  for (let program = find(id); program !== undefined && chain.length < count;) {
    const next = nextAncestor(program, island);
    program = next === null ? undefined : find(next);
    if (next !== null && program !== undefined) chain.unshift(next);
  }
  return chain;
};
