// Checks a task's folder from its shape to its cheats, for `evolve task check` and for the tests of all tasks
// (docs/tasks.md, What is checked).
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { joinFiles, splitFiles } from '../../evolution/files/program-files.ts';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import type { InitialScore, Task } from '../../evolution/task/task.ts';
import { AS_IT_IS } from '../../evolution/task/task-choice.ts';
import { loadTask, readTask } from '../task/load-task.ts';
import { checkCheats } from './check-cheats.ts';
import { checkFiles } from './check-files.ts';
import { checkGold, checkGolden, checkHonest } from './check-fixtures.ts';
import { checkPromptFiles, unexplained } from './check-texts.ts';
import { FixtureError } from './fixtures.ts';
import {
  type Bench,
  better,
  CHECK_PARTS,
  type CheckOptions,
  type CheckPart,
  type Context,
  evaluated,
  type Finding,
  near,
  told,
  within,
} from './findings.ts';

const MIB = 2 ** 20;
/** The seed with which the values of the catalogue were made. */
const SEED = 42;

type Trial = {
  readonly name: string;
  readonly task: Task;
  readonly band: readonly [number, number] | undefined;
  readonly score: number | undefined;
};

/** The run of the initial program. A long one gets less time where task.yaml says what it scores then. */
const trialOf = (
  task: Task,
  { score, band, quick }: InitialScore,
  { name, full }: { readonly name: string; readonly full: boolean },
): Trial => {
  if (!quick || full) return { name, task, band, score };
  const scale = task.limits.wallSeconds / task.limits.cpuSeconds;
  return {
    name: `${name}, ${quick.cpuSeconds} s`,
    task: { ...task, limits: { ...task.limits, cpuSeconds: quick.cpuSeconds, wallSeconds: quick.cpuSeconds * scale } },
    band: quick.band,
    score: undefined,
  };
};

const scoreFits = ({ band, score }: Trial, got: number): readonly [boolean, string] =>
  score !== undefined
    ? [near(got, score), `${got}, expected ${score}`]
    : band
      ? [within(got, band), `${got}, expected ${band[0]} to ${band[1]}`]
      : [true, `${got}`];

const noteUse = ({ note }: Context, { name, task }: Trial, { cpuMs, wallMs, peakBytes }: Evaluation): void => {
  const { cpuSeconds, memoryBytes } = task.limits;
  const took = `${(wallMs / 1000).toFixed(1)} s of wall clock`;
  // The wall clock is not compared here, because the sandbox has judged it by what else the machine did.
  note(
    `${name}: time`,
    cpuMs === null || cpuMs / 1000 <= cpuSeconds,
    cpuMs === null ? took : `${(cpuMs / 1000).toFixed(1)} s of ${cpuSeconds} s of CPU, ${took}`,
  );
  if (peakBytes !== null)
    note(
      `${name}: memory`,
      peakBytes <= memoryBytes,
      `${Math.round(peakBytes / MIB)} of ${Math.round(memoryBytes / MIB)} MiB`,
    );
};

/** The task's own initial program, and each that a run may choose in its place. */
const checkInitial = async (context: Context): Promise<void> => {
  const { task, root, folder } = context;
  const own = await checkStart(context, task, 'initial');
  if (own !== null) await checkDependence(context, own);
  if (own !== null) await checkCommands(context, own);
  for (const { name } of task.starts ?? [])
    await checkStart(context, await readTask(folder, root, { ...AS_IT_IS, initial: name }), `start ${name}`);
};

/** Resolves to its score, with the task as it was tried; null where it has none. */
const checkStart = async (context: Context, task: Task, name: string): Promise<Tried | null> => {
  const { note, options } = context;
  const trial = trialOf(task, task.initial ?? {}, { name, full: options.full === true });
  const result = await evaluated(context, trial.task, {
    key: trial.name,
    code: task.initialProgram,
    seed: SEED,
    acceptSavedOnTimeout: true,
  });
  note(`${trial.name}: valid`, result.outcome === 'valid', told(result));
  if (result.score === null) return null;
  const unknown = unexplained(task, Object.keys(result.metrics)).join(', ');
  const mayLack = task.kind === 'script' || task.metrics === undefined;
  note(
    `${trial.name}: metrics`,
    unknown === '' || mayLack,
    unknown === ''
      ? 'task.yaml says what each one means'
      : mayLack
        ? `models read ${unknown} without a meaning, which the key metrics of task.yaml may give`
        : `expected the key metrics of task.yaml to give the meaning of ${unknown}`,
  );
  note(`${trial.name}: score`, ...scoreFits(trial, result.score));
  noteUse(context, trial, result);
  return { task: trial.task, score: result.score };
};

/** Tests that pass without the program say nothing of it. */
const checkCommands = async (context: Context, { task }: Tried): Promise<void> => {
  const files = splitFiles(task.initialProgram);
  const commands = (task.stages ?? []).filter(({ command }) => command !== undefined);
  if (files === null || commands.length === 0) return;
  const emptied = joinFiles(files.map(({ name }) => ({ name, text: '' })));
  const result = await evaluated(context, task, {
    key: 'emptied',
    code: emptied,
    seed: SEED,
    acceptSavedOnTimeout: true,
  });
  const passed = commands.filter(({ name }) => result.stages?.some((stage) => stage.name === name && stage.passed));
  context.note(
    'stages: the tests need the program',
    passed.length === 0,
    passed.length === 0
      ? 'they fail where each file that may change is empty'
      : `expected a failure where each file that may change is empty, and ${passed.map(({ command }) => `\`${command}\``).join(', ')} passes`,
  );
};

type Tried = { readonly task: Task; readonly score: number };

/**
 * An evaluator that reads another program than the one that it is given scores all alike. Mutants are tried until one
 * differs, as some changes make no difference. Many evaluators give what fails a low score, which may be the initial one.
 */
const checkDependence = async (context: Context, { task, score }: Tried): Promise<void> => {
  const { note, options } = context;
  const changes = options.changes?.(task);
  if (changes === undefined || changes.mutants.length === 0) return;
  const scoreOf = async (code: string, index: number): Promise<number | null> =>
    (await evaluated(context, task, { key: `change ${index}`, code, seed: SEED, acceptSavedOnTimeout: true })).score;
  const check = 'initial: the score depends on the program';
  const broken = await scoreOf(changes.broken, 0);
  if (broken !== null && better(task, broken, score))
    return note(check, false, `it does not: a broken one has ${broken}, the initial one ${score}`);
  for (const [index, mutant] of changes.mutants.entries()) {
    const other = await scoreOf(mutant, index + 1);
    if (other !== score)
      return note(
        check,
        true,
        `${score}, ${other ?? 'no score'} for a change, ${broken ?? 'no score'} for a broken one`,
      );
  }
  note(
    check,
    false,
    `it does not: all ${changes.mutants.length} changes of the initial program have its score, ${score}, and a broken one has ${broken ?? 'none'}`,
  );
};

const ROOT = join(import.meta.dirname, '..', '..', 'tasks');

const PARTS: { readonly [part in CheckPart]: (context: Context) => Promise<void> } = {
  files: checkFiles,
  golden: checkGolden,
  honest: checkHonest,
  gold: checkGold,
  initial: checkInitial,
  cheats: checkCheats,
};

/** One bench for each variant of the task that is run, made when it is first asked for. */
const createBenches = (make: CheckOptions['bench']) => {
  const open = new Map<string, Bench>();
  return {
    of: (task: Task): Bench => {
      const key = JSON.stringify([task.limits, task.instance, task.evaluatorSource.length, task.world?.language]);
      const bench = open.get(key) ?? make(task);
      open.set(key, bench);
      return bench;
    },
    close: async (): Promise<void> => {
      await Promise.all([...open.values()].map((bench) => bench.close()));
    },
  };
};

const folderOf = (task: string, root: string): string =>
  existsSync(join(task, 'task.yaml')) ? resolve(task) : join(root, task);

/**
 * Checks a task, named by its id or its folder. Findings come in the order in which they were made; cheats run side by
 * side. Throws InfrastructureError and the signal's reason, while a fault of the task is a finding.
 */
export const checkTask = async (task: string, options: CheckOptions): Promise<readonly Finding[]> => {
  const root = options.root ?? ROOT;
  const folder = folderOf(task, root);
  const findings: Finding[] = [];
  const note = (check: string, ok: boolean, detail: string): void => {
    const finding = { task: basename(folder), check, ok, detail };
    findings.push(finding);
    options.say?.(finding);
  };
  let loaded: Task;
  try {
    loaded = existsSync(folder) ? await readTask(folder, root) : await loadTask(task, root);
  } catch (error) {
    note('task.yaml', false, (error as Error).message);
    return findings;
  }
  const benches = createBenches(options.bench);
  const signal = options.signal ?? new AbortController().signal;
  const context: Context = {
    task: loaded,
    folder,
    root,
    options,
    signal,
    note,
    bench: (other = loaded) => benches.of(other),
  };
  try {
    // The evaluator of a script is not apart from the program, so that no fixture and no cheat would prove anything.
    const wanted = loaded.kind === 'script' ? (['initial'] as const) : (options.parts ?? CHECK_PARTS);
    const parts = CHECK_PARTS.filter((one) => wanted.some((other) => other === one)).map(
      (one) => [one, PARTS[one]] as const,
    );
    for (const [part, look] of [['prompts', checkPromptFiles] as const, ...parts]) {
      signal.throwIfAborted();
      try {
        await look(context);
      } catch (error) {
        if (!(error instanceof FixtureError)) throw error;
        note(part, false, error.message);
      }
    }
    return findings;
  } finally {
    await benches.close();
  }
};
