// The results of programs on hidden instances, which never decide a ranking, and that of the run's initial program, with
// which they are compared.
import { holdoutKey } from '../../../evolution/scoring/evaluation.ts';
import type { RunId } from '../../../evolution/types.ts';
import type { EvaluationDocument, ProgramDocument } from '../documents/step-documents.ts';
import type { ContentStore } from '../content/content-store.ts';
import type { PopulationStore } from './population-store.ts';

/**
 * The initial program as the present version of the task scores it, which a fork may have from the run at its root; null
 * before it is committed.
 */
export const initialProgram = async (
  store: Pick<PopulationStore, 'eachProgram'>,
  run: RunId,
): Promise<ProgramDocument | null> => {
  for await (const program of store.eachProgram(run, { comparable: true })) return program;
  return null;
};

/** Null where the program was not run on hidden instances. `evaluation` is the key of its evaluation. */
export const hiddenResult = async (
  store: Pick<ContentStore, 'getEvaluations'>,
  evaluation: string | null,
): Promise<EvaluationDocument | null> => {
  if (evaluation === null) return null;
  const key = holdoutKey(evaluation);
  return (await store.getEvaluations([key])).get(key) ?? null;
};

/** The initial program's score on hidden instances; null where it is not known. */
export const hiddenScoreOfInitial = async (
  store: Pick<PopulationStore, 'eachProgram'> & Pick<ContentStore, 'getEvaluations'>,
  run: RunId,
): Promise<number | null> =>
  (await hiddenResult(store, (await initialProgram(store, run))?.evaluation ?? null))?.score ?? null;
