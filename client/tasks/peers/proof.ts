// Whether the score of an imported task depends on the program: its initial program three times, one that is broken, and
// mutants of it, each of which has to make a difference.
import { brokenOf, MOST_MUTANTS, mutantsOf } from '../../../deploy/offline-model/mutate/mutants.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import { spreadOf } from '../../../evolution/statistics.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { Place } from '../../connect/connection.ts';
import { taskIn } from '../task-folder.ts';
import type { TrialModels } from '../trial-model.ts';
import { type ProgramTrial, tryProgram } from '../trial.ts';

const TIMES = 3;
/** Some changes make no difference, so that more are tried where these do not. */
const WANTED = 3;

export type Proof = {
  readonly initial: readonly (number | null)[];
  /** The standard deviation of these scores. */
  readonly spread: number | null;
  /** What became of the broken program. */
  readonly broken: string | null;
  /** The scores of mutants that differ; null for one without a score. */
  readonly mutants: readonly (number | null)[];
  /** What is wrong; null where the score depends on the program. */
  readonly problem: string | null;
};

const INDEPENDENT = 'the score does not depend on the program';
const SEED = 42;

/** The most evaluations of a proof. */
export const EVALUATIONS = TIMES + 1 + MOST_MUTANTS;

/** Each trial takes the time of an evaluation, so that nothing is tried once the answer is known. */
export const provePeer = async (place: Place, folder: string, models: TrialModels | null): Promise<Proof> => {
  const task = await taskIn(folder);
  const tried = async (program: Partial<ProgramTrial>): Promise<readonly Evaluation[]> =>
    (await tryProgram(place, { ...program, folder, models })).map(({ evaluation }) => evaluation);
  const [first] = (await tried({ seed: SEED })) as [Evaluation];
  if (first.score === null) return failed([first]);
  const mutants = mutantsOf(task.initialProgram, task.script?.files[task.script.file] ?? '');
  const [drawn, more] = [mutants.slice(0, WANTED), mutants.slice(WANTED)];
  const others = [brokenOf(task.initialProgram), ...drawn];
  const rest = await tried({ seed: SEED + 1, times: TIMES - 1, others });
  const initial = [first, ...rest.slice(0, TIMES - 1)];
  if (initial.some(({ score }) => score === null)) return failed(initial);
  const scores = scoresOf(initial) as readonly number[];
  const unlike = (evaluations: readonly Evaluation[]): readonly (number | null)[] =>
    scoresOf(evaluations).filter((score) => score === null || !scores.includes(score));
  let found = unlike(rest.slice(TIMES));
  if (found.length < WANTED && more.length > 0)
    found = [...found, ...unlike(await tried({ code: more[0]!, others: more.slice(1) }))].slice(0, WANTED);
  const broken = rest[TIMES - 1]!;
  const few = found.length < WANTED;
  return {
    ...{ initial: scores, mutants: found },
    spread: new Set(scores).size === 1 ? 0 : spreadOf(scores).sd,
    broken:
      broken.score === null
        ? `no score: ${reasonOf(broken)}`
        : `score ${broken.score}: its evaluator scores what fails`,
    problem:
      problemOfBroken(broken.score, scores, task) ??
      (few ? `${INDEPENDENT}: of ${mutants.length} mutants ${found.length} differ` : null),
  };
};

const scoresOf = (evaluations: readonly Evaluation[]): readonly (number | null)[] =>
  evaluations.map(({ score }) => score);
const reasonOf = ({ reasons, outcome }: Evaluation): string => reasons[0] ?? outcome;

const failed = (initial: readonly Evaluation[]): Proof => ({
  ...{ initial: scoresOf(initial), spread: null, broken: null, mutants: [] },
  problem: `the initial program has no score: ${reasonOf(initial.find(({ score }) => score === null)!)}`,
});

/**
 * Many evaluators catch what a program raises and give it a low score without a word that it failed. Such a score must
 * not pass one that works; where it equals it, the mutants decide.
 */
const problemOfBroken = (broken: number | null, scores: readonly number[], { direction }: Task): string | null => {
  if (broken === null) return null;
  const better = scores.some((score) => (direction === 'maximise' ? broken > score : broken < score));
  return better ? `${INDEPENDENT}: a broken one has ${broken}, the initial one ${scores.join(', ')}` : null;
};
