// Measured features in a rebuild: measured again from stored evaluations, codes and embeddings, and compared. Called by rebuild-step.ts.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { ProgramId } from '../../evolution/types.ts';
import { measuredValues } from '../measured.ts';
import type { EmbeddingDocument, EvaluationDocument, ProgramDocument } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import type { Differences } from './differences.ts';

export type ValuesOf = {
  readonly store: Store; readonly config: RunConfig;
  /** As the population's state named them before the step. */
  readonly references: readonly ProgramId[];
  readonly evaluations: ReadonlyMap<string, EvaluationDocument>;
  readonly embeddings: ReadonlyMap<ProgramId, EmbeddingDocument>;
};

export const checkValues = async (
  { store, config, references, evaluations, embeddings }: ValuesOf, programs: readonly ProgramDocument[], differences: Differences,
): Promise<void> => {
  const measured = await measuredValues(store, config, references, programs.flatMap(({ _id, code, outcome, evaluation: key }) => {
    const evaluation = key === null ? undefined : evaluations.get(key);
    return outcome === 'valid' && evaluation !== undefined ? [{ id: _id, code, evaluation, distance: embeddings.get(_id)?.distance ?? null }] : [];
  }));
  for (const { _id, step, values } of programs) differences.compare(step, `features of program ${_id}`, measured.get(_id) ?? null, values ?? null);
};
