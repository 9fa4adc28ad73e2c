// The texts behind a program: its code and the solution it returned, read from the store.
import type { EvaluationDocument, ProgramDocument } from '../../activities/store/step-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { hiddenResult, hiddenScoreOfInitial } from '../../activities/store/hidden-results.ts';
import { HIGHEST_SCORE, UNPARSED } from '../../evolution/ideas/idea.ts';
import { hiddenDirection } from '../../evolution/scoring/evaluation.ts';
import type { Direction, RunId } from '../../evolution/types.ts';
import { type JudgedIdea, judgedIdea } from '../../client/report.ts';
import { score } from './output.ts';

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

/** A result on hidden instances in a line: what it is worth is seen beside the initial program's. */
export const hiddenText = ({ result: { outcome, score: value, reasons }, direction, initial }: OnHidden): string =>
  [
    `on hidden instances, which never decide a ranking: ${outcome}`,
    ...(value === null ? (reasons[0] === undefined ? [] : [reasons[0]]) : [`score ${score(value)}`]),
    ...(direction === null ? [] : [`the ${direction === 'maximise' ? 'larger' : 'smaller'} the better`]),
    ...(initial === null ? [] : [`the initial program has ${score(initial)} there`]),
  ].join(', ');

/** What stands beside a result on hidden instances of a run's program. */
export const besideHidden = async (store: Store, run: RunId): Promise<Omit<OnHidden, 'result'>> => {
  const { taskLoader, taskRef } = await import('../../activities/task/kept-task.ts');
  const document = await store.readRun(run);
  const task = document === null ? null : await taskLoader(store)(taskRef(document)).catch(() => null);
  return { direction: task && hiddenDirection(task), initial: await hiddenScoreOfInitial(store, run) };
};

/** Null when the run has no such program (candidates appear when their step is committed). */
export const readProgram = async (store: Store, id: string): Promise<ProgramTexts | null> => {
  const program = (await store.getPrograms([id])).get(id);
  if (!program) return null;
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

/** What was said of an idea, in a line. */
export const judgementText = ({ score: judged, would }: JudgedIdea): string =>
  judged === null
    ? 'not judged'
    : judged === UNPARSED
      ? 'the judge gave no score that can be read'
      : `judged ${judged} of ${HIGHEST_SCORE}${would === null ? '' : `, ${would === 'pass' ? 'not below' : 'below'} the threshold of the gate`}`;
