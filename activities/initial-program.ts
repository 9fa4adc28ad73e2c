// The initial program as a delta without a parent.
import { programId } from '../evolution/ids.ts';
import { normalise } from '../evolution/equivalence.ts';
import type { BlobRef, RunId } from '../evolution/types.ts';
import { hashText } from './store/hash.ts';
import type { DeltaDocument } from './store/documents.ts';

export const initialDelta = (run: RunId, source: string, code: BlobRef): DeltaDocument => ({
  _id: programId(run, 0, 0, 0), run, step: 0, slot: 0, parent: null,
  outcome: null, reason: null, code, normHash: hashText(normalise(source)), length: source.length,
  blocks: 0, unmatched: [], duplicateOf: null,
});
