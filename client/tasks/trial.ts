// Evaluates programs and solutions of a task, and checks task folders, outside any run.
import { basename } from 'node:path';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Trust } from '../../evolution/task/trust.ts';
import { declared } from '../../activities/task/undeclared-imports.ts';
import type { Place } from '../connect/connection.ts';
import { taskIn, unwrittenProblem } from './task-folder.ts';
import type { TrialModels } from './trial-model.ts';
import type { EngineHere } from './world.ts';

export type Trial = { readonly evaluation: Evaluation; readonly seed: number };
export type SolutionScore = {
  readonly valid: boolean;
  readonly score: number | null;
  readonly strictScore: number | null;
  readonly metrics: Evaluation['metrics'];
  readonly reasons: readonly string[];
};

/** Asked by the evaluator of a task where it may ask a model. */
type Asking = { readonly models?: TrialModels | null };

type Job = Asking & { readonly kind: string; readonly folder?: string; readonly folders?: readonly string[] };

/** Runs a job of workers/trial.ts. `onAnswer` gets each object of its answer as it comes. */
export const trial = async (
  place: Place,
  { models, ...job }: Job,
  onAnswer: (answer: unknown) => void,
): Promise<void> => {
  const { runTrial } = await import('../../deploy/stack/trial.ts');
  await runTrial(job, {
    home: place.home,
    env: place.env,
    variables: await variablesOf(foldersOf(job)),
    askModel: models?.answer,
    say: (part, message) => {
      if (!/^sha256|^engine at/.test(message)) place.say?.(`${part}: ${message}`);
    },
    onAnswer,
    // The task's image is made before its programs.
    ready: async (engine) => {
      for (const folder of foldersOf(job)) await readyWorld(place, folder, engine);
    },
  });
};

const foldersOf = ({ folder, folders }: Omit<Job, 'models'>): readonly string[] =>
  folders ?? (folder === undefined ? [] : [folder]);

/** Those that a task takes from the shell, which are looked up once more where the folder is read. */
const variablesOf = async (folders: readonly string[]): Promise<NodeJS.ProcessEnv> => {
  const { readTask } = await import('../../activities/task/load-task.ts');
  const tasks = await Promise.all(folders.map((folder) => readTask(folder).catch(() => null)));
  const named = tasks.flatMap((task) => Object.entries(task?.world?.env ?? {}));
  return Object.fromEntries(named.filter(([name, value]) => process.env[name] === value));
};

const readyWorld = async (place: Place, folder: string, engine: EngineHere): Promise<void> => {
  const [{ readTask }, { lockWorld, makeWorld }] = await Promise.all([
    import('../../activities/task/load-task.ts'),
    import('./world.ts'),
  ]);
  await lockWorld(place, folder, engine);
  // What is wrong with the task itself is said by those who read it.
  const task = await readTask(folder).catch(() => null);
  if (task !== null) await makeWorld(place, task, folder, engine);
};

/** Of an evaluation outside any run. */
const OUTSIDE_RUNS = {
  /** Null: the task's initial program. */
  code: null as string | null,
  times: 1,
  /** Programs that are evaluated once each behind it. */
  others: [] as readonly string[],
  seed: 42,
  smoke: false,
  /** Evaluates on hidden instances (a function task's evaluate_hidden), whose score is only reported. */
  holdout: false,
  /** Whose draws a function task uses, `trial` outside any run; `each` has others for each of the `times`. */
  draws: 'trial',
  /** From which hidden data are drawn: of a run that of its installation, else null for that of trials. */
  drawSecret: null as string | null,
  isolation: null as string | null,
};

/** What is left out is as outside any run. */
export type ProgramTrial = Partial<Readonly<typeof OUTSIDE_RUNS>> &
  Asking &
  (
    | { readonly folder: string }
    /** As it was kept with a run. */
    | { readonly task: Task }
  );

/** Evaluations with seeds `seed`, `seed + 1`, ..., in that order, and then of the others. */
export const tryProgram = async (
  place: Place,
  program: ProgramTrial,
  onTrial: (one: Trial) => void = () => undefined,
): Promise<readonly Trial[]> => {
  const trials: Trial[] = [];
  await trial(place, { kind: 'program', ...OUTSIDE_RUNS, ...program }, (answer) => {
    const one = answer as Trial;
    trials.push(one);
    onTrial(one);
  });
  return trials;
};

/** What the initial program of a person's own folder scores; null where only a run can tell, as its evaluator has the network. */
export const tryInitial = async (place: Place, folder: string): Promise<Evaluation | null> => {
  if ((await taskIn(folder)).script?.network !== undefined) return null;
  return (await tryProgram(place, { folder }))[0]!.evaluation;
};

/** Why an initial program has no score, and what helps: a sentence each. Empty where it has one. */
export const whyNoScore = ({ outcome, reasons }: Evaluation): readonly string[] => {
  if (outcome === 'valid') return [];
  const reason = reasons[0] ?? 'no reason was given';
  const module = /No module named '(\w+)/.exec(reason)?.[1];
  return [
    `The initial program has no score: ${reason}`,
    module === undefined ? '' : `To have it in the image, ${declared([module])}.`,
    /openai|anthropic|litellm/i.test(reason)
      ? 'To let the evaluator ask a model, add "evaluator: {network: model}" to task.yaml.'
      : '',
  ].filter((text) => text !== '');
};

export const scoreSolution = async (
  place: Place,
  solution: { readonly folder: string; readonly solution: string; readonly isolation: string | null },
): Promise<SolutionScore> => {
  let score: SolutionScore | undefined;
  await trial(place, { kind: 'solution', ...solution }, (answer) => {
    score = (answer as { score: SolutionScore }).score;
  });
  return score!;
};

export type Finding = { readonly task: string; readonly check: string; readonly ok: boolean; readonly detail: string };

export type FolderCheck = Asking & {
  readonly folders: readonly string[];
  /** Null means all of them. */
  readonly parts: readonly string[] | null;
  /** Initial programs run in full, even where the task offers a quick run. */
  readonly full: boolean;
  readonly isolation: string | null;
};

/** `levels`: the rung of each folder's task, by its name. */
export const checkFolders = async (
  place: Place,
  check: FolderCheck,
  onFinding: (finding: Finding) => void,
): Promise<{ readonly findings: readonly Finding[]; readonly levels: { readonly [task: string]: Trust | null } }> => {
  const findings: Finding[] = [];
  const levels: { [task: string]: Trust | null } = {};
  const note = (finding: Finding): void => {
    findings.push(finding);
    onFinding(finding);
  };
  for (const folder of check.folders) {
    const task = await taskIn(folder).catch(() => null);
    const detail = task && unwrittenProblem(folder, task);
    if (detail !== null) note({ task: basename(folder), check: 'task.yaml', ok: false, detail });
  }
  await trial(place, { kind: 'check', ...check }, (answer) => {
    const said = answer as { readonly finding: Finding } | { readonly task: string; readonly level: Trust | null };
    if ('level' in said) return void (levels[said.task] = said.level);
    note(said.finding);
  });
  return { findings, levels };
};
