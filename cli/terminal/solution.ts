// The texts behind a program: its code and the solution it returned, read from the store.
import type { EvaluationDocument, ProgramDocument } from '../../activities/store/step-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { holdoutKey } from '../../evolution/scoring/evaluation.ts';

export type ProgramTexts = {
  readonly program: ProgramDocument;
  readonly evaluation: EvaluationDocument | null;
  readonly code: string | null;
  /** The evaluation on hidden instances. Null where there was none; only best programs of `function` tasks have one. */
  readonly hidden: EvaluationDocument | null;
  /** JSON text as the program returned it. */
  readonly solution: string | null;
};

/** Null when the run has no such program (candidates appear when their step is committed). */
export const readProgram = async (store: Store, id: string): Promise<ProgramTexts | null> => {
  const program = (await store.getPrograms([id])).get(id);
  if (!program) return null;
  const keys = program.evaluation === null ? [] : [program.evaluation, holdoutKey(program.evaluation)];
  const evaluations = await store.getEvaluations(keys);
  const [evaluation = null, hidden = null] = keys.map((key) => evaluations.get(key) ?? null);
  const refs = [program.code, evaluation?.solution ?? null].filter((ref) => ref !== null);
  const texts = await store.getTexts(refs);
  const text = (ref: string | null): string | null => (ref === null ? null : (texts.get(ref) ?? null));
  return { program, evaluation, hidden, code: text(program.code), solution: text(evaluation?.solution ?? null) };
};
