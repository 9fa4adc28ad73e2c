// The texts behind a program: its code, the solution that it returned and the idea that it carries out, read from the
// store.
import { answersBehind } from '../store/content/calls.ts';
import type { EvaluationDocument, ProgramDocument } from '../store/documents/step-documents.ts';
import type { Store } from '../store/store.ts';
import { hiddenResult, hiddenScoreOfInitial } from '../store/population/hidden-results.ts';
import type { DiffSettings } from '../../evolution/config/run-config.ts';
import { readAnswer } from '../../evolution/edits/diff.ts';
import { firstWords } from '../../evolution/prompts/parts/tried.ts';
import { hiddenDirection } from '../../evolution/scoring/evaluation.ts';
import type { Direction, ProgramId, RunId } from '../../evolution/types.ts';

/** An idea and its judgement: the score, and what a gate that is on says of it. */
export type JudgedIdea = { readonly text: string; readonly score: number | null; readonly would: string | null };

/** `texts` holds the idea's text by its reference. Null for a program that no idea led to. */
export const judgedIdea = (
  { idea }: Pick<ProgramDocument, 'idea'>,
  texts: ReadonlyMap<string, string>,
): JudgedIdea | null =>
  idea === undefined ? null : { text: texts.get(idea.text) ?? '', score: idea.score, would: idea.would };

/** The first words of prose of each answer that a program was made from, where it has any. */
export const wordsBehind = async (
  store: Pick<Store, 'getRollouts' | 'getDeltas' | 'getCalls' | 'getTexts'>,
  ids: readonly ProgramId[],
  { parse }: Pick<DiffSettings, 'parse'>,
): Promise<ReadonlyMap<ProgramId, string>> => {
  const answers = await answersBehind(store, ids);
  const texts = await store.getTexts([...answers.values()].map(({ response }) => response));
  return new Map(
    [...answers].flatMap(([id, { response }]): [ProgramId, string][] => {
      const words = firstWords(readAnswer(texts.get(response) ?? '', parse));
      return words === null ? [] : [[id, words]];
    }),
  );
};

export type ProgramTexts = {
  readonly program: ProgramDocument;
  readonly evaluation: EvaluationDocument | null;
  readonly code: string | null;
  /** On hidden instances. Null where there was nothing; only best programs of `function` tasks have a result. */
  readonly hidden: OnHidden | null;
  /** The idea that the program carries out, whole, with its judgement; null where no idea led to it. */
  readonly idea: JudgedIdea | null;
  /** JSON text as the program returned it. */
  readonly solution: string | null;
};

export type OnHidden = {
  readonly result: Pick<EvaluationDocument, 'outcome' | 'score' | 'metrics' | 'reasons'>;
  /** In which direction scores are better there; null where the task does not say. */
  readonly direction: Direction | null;
  /** The initial program's score there; null where it is not known. */
  readonly initial: number | null;
};

/** The comparison beside a result of a run's program on hidden instances. */
export const besideHidden = async (store: Store, run: RunId): Promise<Omit<OnHidden, 'result'>> => {
  const { taskLoader, taskRef } = await import('../task/kept-task.ts');
  const document = await store.readRun(run);
  // A task that was removed since has no direction.
  const task = document === null ? null : await taskLoader(store)(taskRef(document)).catch(() => null);
  return { direction: task && hiddenDirection(task), initial: await hiddenScoreOfInitial(store, run) };
};

/** Null when the run has no such program (candidates appear when their step is committed). */
export const readProgram = async (store: Store, id: string): Promise<ProgramTexts | null> => {
  const program = (await store.getPrograms([id])).get(id);
  return program === undefined ? null : textsBehind(store, program);
};

export const textsBehind = async (store: Store, program: ProgramDocument): Promise<ProgramTexts> => {
  const key = program.evaluation;
  const evaluation = key === null ? null : ((await store.getEvaluations([key])).get(key) ?? null);
  const result = await hiddenResult(store, key);
  const hidden = result === null ? null : { result, ...(await besideHidden(store, program.run)) };
  const refs = [program.code, evaluation?.solution ?? null, program.idea?.text ?? null].filter((ref) => ref !== null);
  const texts = await store.getTexts(refs);
  const text = (ref: string | null): string | null => (ref === null ? null : (texts.get(ref) ?? null));
  return {
    ...{ program, evaluation, hidden, code: text(program.code), solution: text(evaluation?.solution ?? null) },
    idea: judgedIdea(program, texts),
  };
};
