// A stored candidate as insertion sees it. Called by the rebuild.
import type { Child } from '../evolution/types.ts';
import type { ProgramDocument } from './store/documents.ts';

/** With `childIsland: current` insertion decides the island itself; else it is the one that the program entered. */
export const childOf = ({ _id, slot, bornSeq, parents, island, outcome, length, fit, evaluation, sameAs, founder, values, prompt }: ProgramDocument): Child => ({
  id: _id, slot, bornSeq, parent: parents[0] ?? null, island, outcome, length,
  ...(fit === undefined ? {} : { fit }), ...(outcome !== 'valid' && evaluation !== null ? { evaluated: true } : {}), ...(sameAs === undefined ? {} : { sameAs }),
  ...(founder === undefined ? {} : { founder }), ...(values === undefined ? {} : { values }), ...(prompt === undefined ? {} : { prompt }),
});
