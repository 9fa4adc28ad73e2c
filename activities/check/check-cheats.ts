// Runs the cheats under short limits, a `function` task on its smoke instance. None may score above the initial
// program, each has to end as it should, and an honest run after them has to be as before.
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Json } from '../../evolution/types.ts';
import { type Cheat, drawn, type Expected, fill, kindsFor, readCheats } from './cheats.ts';
import { better, type Context, evaluated, initialAtBest, near, told } from './findings.ts';
import { readHonest } from './fixtures.ts';

const MIB = 2 ** 20;
const LIMITS = { cpuSeconds: 2, wallSeconds: 5, memoryBytes: 512 * MIB, pids: 64, outputBytes: 4 * MIB, cores: 1 };
/** Limits for the smoke instance, where the honest program does real work. */
const FUNCTION_LIMITS = { ...LIMITS, cpuSeconds: 5, wallSeconds: 10 };
/** Wall clock for honest programs, and for a second look at a program that a busy machine may have kept waiting. */
const PATIENT_SECONDS = 60;
/** A score that depends on time may vary by this part of its size. */
const TIMED_SPREAD = 0.05;
const DEFAULT_CONCURRENCY = 2;

/** The beginning of the scorer's reason where the evaluator raised or died. */
const RAISED = 'the evaluator failed';

/** The honest results with which every cheat is compared. */
type Baseline = { readonly task: Task; readonly solution: Json | null; readonly honest: number; readonly best: number };

/** The task as the common cheats need it, which are in Python whatever the language of the task. */
const inPython = ({ world: { language: _, ...world } = {}, ...task }: Task): Task => ({ ...task, world });

const shortened = (task: Task): Task =>
  task.kind === 'solution'
    ? { ...task, limits: LIMITS }
    : { ...task, instance: { ...task.instance, ...task.smoke }, limits: FUNCTION_LIMITS };

const patient = (task: Task): Task => ({ ...task, limits: { ...task.limits, wallSeconds: PATIENT_SECONDS } });

const evaluate = (context: Context, task: Task, key: string, code: string): Promise<Evaluation> =>
  evaluated(context, task, { key, code, seed: 42, acceptSavedOnTimeout: false });

/**
 * For a `solution` task, the honest solution's score and that of task.yaml. For a `function` task, what the initial
 * program scores on the smoke instance.
 */
const baselineOf = async (context: Context): Promise<Baseline | null> => {
  const task = shortened(context.task);
  if (task.kind === 'solution') {
    const { solution, score } = await readHonest(context.folder);
    return { task, solution, honest: score, best: initialAtBest(task) ?? score };
  }
  const result = await evaluate(context, patient(task), 'smoke', task.initialProgram);
  context.note('cheats: the initial program on the smoke instance', result.outcome === 'valid', told(result));
  if (result.score === null) return null;
  const spread = task.timed ? TIMED_SPREAD * Math.abs(result.score) : 0;
  return {
    task,
    solution: null,
    honest: result.score,
    best: task.direction === 'maximise' ? result.score + spread : result.score - spread,
  };
};

const meets =
  (result: Evaluation, { task, honest }: Baseline) =>
  ({ outcome, executions, score }: Expected): boolean => {
    if (outcome === 'honest') return result.outcome === 'valid' && (task.timed === true || near(result.score!, honest));
    if (result.outcome !== outcome) return false;
    if (score !== null) return near(result.score!, score, 1e-9);
    return executions.length === 0 || executions.includes(result.execution);
  };

/**
 * A `function` task's evaluator may let one failed call cost only one case, so of the common ends only the score is
 * expected there.
 */
const judges = (cheat: Cheat, { task }: Baseline): readonly Expected[] =>
  task.kind === 'function' && cheat.kind !== 'own' ? [] : cheat.expected;

/** The fault of a cheat's ending; null when there is none. */
export const offence = (cheat: Cheat, result: Evaluation, baseline: Baseline): string | null => {
  const { task, best } = baseline;
  const breach = /breach: .*/.exec(result.stderrTail)?.[0];
  if (breach !== undefined) return breach;
  for (const score of [result.score, result.strictScore]) {
    if (score !== null && better(task, score, best))
      return `${told(result)}: better than the initial program's ${best}`;
  }
  const raised = result.reasons.find((reason) => reason.startsWith(RAISED));
  if (raised !== undefined) return `${told(result)}: expected a verdict of the evaluator, it raised: ${raised}`;
  if (result.outcome === 'valid' && !Number.isFinite(result.score)) return `${told(result)}: expected a finite score`;
  if (result.outcome !== 'valid' && result.reasons.every((reason) => reason === ''))
    return `${told(result)}: expected a reason`;
  const expected = judges(cheat, baseline);
  if (expected.length === 0 || expected.some(meets(result, baseline))) return null;
  return `expected ${expected.map((one) => [one.outcome, ...one.executions, ...(one.score === null ? [] : [one.score])].join(' ')).join(' or ')}, got ${told(result)}`;
};

const chosen = async (context: Context): Promise<readonly Cheat[]> => {
  const { task, folder, root, options } = context;
  const wanted = (options.kinds ?? kindsFor(task)).filter((kind) => kindsFor(task).includes(kind));
  const { sample } = options;
  const all = await Promise.all(
    wanted.map(async (kind) => {
      const cheats = await readCheats([kind], root, folder);
      return sample && kind !== 'own'
        ? drawn(cheats, {
            ...sample,
            seed: sample.seed + [...task.id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0),
          })
        : cheats;
    }),
  );
  return all.flat();
};

/** Works on so many items at a time, in their order, until none is left. */
const inParallel = async <T>(items: readonly T[], workers: number, work: (item: T) => Promise<void>): Promise<void> => {
  const waiting = [...items];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
    }),
  );
};

export const checkCheats = async (context: Context): Promise<void> => {
  const { note, options, signal } = context;
  const baseline = await baselineOf(context);
  if (!baseline) return;
  const { task, solution } = baseline;
  const honestCode = fill('__PROGRAM__', task, solution);
  await inParallel(await chosen(context), options.concurrency ?? DEFAULT_CONCURRENCY, async (cheat) => {
    signal.throwIfAborted();
    const code = fill(cheat.code, task, solution);
    const runs = cheat.kind === 'own' ? task : inPython(task);
    const first = await evaluate(context, runs, cheat.name, code);
    const late = first.execution === 'timeout_wall' && offence(cheat, first, baseline) !== null;
    const result = late ? await evaluate(context, patient(runs), `${cheat.name} again`, code) : first;
    const wrong = offence(cheat, result, baseline);
    note(`cheat: ${cheat.name}`, wrong === null, wrong === null ? told(result) : `${wrong} (${cheat.what})`);
  });
  const after = await evaluate(context, patient(inPython(task)), 'after the cheats', honestCode);
  const same = after.outcome === 'valid' && (task.timed === true || near(after.score!, baseline.honest));
  note(
    'cheats: an honest program after them',
    same,
    same ? told(after) : `${told(after)}, expected ${baseline.honest}`,
  );
};
