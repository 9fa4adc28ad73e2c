// Which embedding speaks for a candidate of a step. Called by the commit and the rebuild.
import type { ProgramId } from '../../evolution/types.ts';
import type { DeltaDocument, EmbeddingDocument } from '../store/documents.ts';

/**
 * Its own; of candidates with equivalent code (`normHash`) only some are embedded, as only some are evaluated, and for the others
 * speaks the embedding of the lowest slot. So whatever is left to evaluate without an embedding of its own shares an evaluation, and
 * what is equivalent to a near-duplicate is one. `open`: those that did not end in the early checks.
 */
export const embeddingOf = (
  open: readonly Pick<DeltaDocument, '_id' | 'slot' | 'normHash'>[], embeddings: ReadonlyMap<ProgramId, EmbeddingDocument>,
): ReadonlyMap<ProgramId, EmbeddingDocument> => {
  const byCode = new Map<string, EmbeddingDocument>();
  for (const { _id, normHash } of [...open].sort((a, b) => a.slot - b.slot)) {
    const own = embeddings.get(_id);
    if (own !== undefined && normHash !== null && !byCode.has(normHash)) byCode.set(normHash, own);
  }
  return new Map(open.flatMap(({ _id, normHash }) => {
    const embedding = embeddings.get(_id) ?? (normHash === null ? undefined : byCode.get(normHash));
    return embedding === undefined ? [] : [[_id, embedding] as const];
  }));
};
