// Whether the score of an imported task depends on the program: its initial program three times, one that is broken, and
// mutants of it, each of which has to make a difference.
import { mutate } from '../../../deploy/offline-model/mutate/mutate.ts';
import { readProgram } from '../../../deploy/offline-model/mutate/program.ts';
import { randomFrom } from '../../../deploy/offline-model/mutate/random.ts';
import { spreadOf } from '../../../evolution/statistics.ts';
import type { Place } from '../../connect/connection.ts';
import { taskIn } from '../task-folder.ts';
import { type Trial, tryProgram } from '../trial.ts';

const TIMES = 3;
/** Some changes make no difference, so that more are tried. */
const MUTANTS = { wanted: 3, drawn: 9, returned: ['None', '0', '1.5'] };

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

const BROKEN = 'raise RuntimeError("this program is broken")\n';

export const provePeer = async (place: Place, folder: string): Promise<Proof> => {
  const { initialProgram } = await taskIn(folder);
  const tried = (code: string | null, times = 1): Promise<readonly Trial[]> =>
    tryProgram(place, { folder, code, times });
  const trials = await tried(null, TIMES);
  const initial = trials.map(({ evaluation }) => evaluation.score);
  const scores = initial.filter((score) => score !== null);
  const spread = new Set(scores).size === 1 ? 0 : spreadOf(scores).sd;
  const without = { initial, spread, broken: null, mutants: [] };
  const failed = trials.find(({ evaluation }) => evaluation.score === null)?.evaluation;
  if (failed !== undefined)
    return { ...without, problem: `the initial program has no score: ${failed.reasons[0] ?? failed.outcome}` };
  const [{ evaluation }] = (await tried(BROKEN + initialProgram)) as [Trial];
  const { score, reasons } = evaluation;
  const broken = score === null ? (reasons[0] ?? evaluation.outcome) : `score ${score}, which the evaluator gives it`;
  // Many evaluators give a program that fails a low score. It must not be one that a program can have that works.
  if (score !== null && score >= Math.min(...scores) && score !== 0)
    return { ...without, broken, problem: `${INDEPENDENT}: a broken one has ${score}` };
  const mutants = await differing(initialProgram, initial, tried);
  const few = mutants.length < MUTANTS.wanted;
  return {
    ...{ initial, spread, broken, mutants },
    problem: few ? `${INDEPENDENT}: of ${mutantsOf(initialProgram).length} mutants ${mutants.length} differ` : null,
  };
};

const INDEPENDENT = 'the score does not depend on the program';

/** Drawn as the offline model draws them, and then with other results, for a program that has no number to change. */
const mutantsOf = (program: string): readonly string[] => {
  const parent = readProgram(program);
  const drawn = Array.from({ length: MUTANTS.drawn }, (_, number) => mutate(parent, [], randomFrom('import', number)));
  return [
    ...drawn.flatMap((mutant) => mutant?.program ?? []),
    ...MUTANTS.returned.map((value) => program.replaceAll(/^(\s+return )\S.*$/gm, `$1${value}`)),
  ];
};

const differing = async (
  program: string,
  initial: readonly (number | null)[],
  tried: (code: string) => Promise<readonly Trial[]>,
): Promise<readonly (number | null)[]> => {
  const found: (number | null)[] = [];
  for (const mutant of mutantsOf(program)) {
    if (found.length === MUTANTS.wanted) break;
    const [trial] = await tried(mutant);
    if (!initial.includes(trial!.evaluation.score)) found.push(trial!.evaluation.score);
  }
  return found;
};
