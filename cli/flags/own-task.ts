// The task of commands that take a person's own files: made where it is none, and its initial program scored before
// anything starts.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../client/connect/errors.ts';
import { type Prepared, prepareRun } from '../../client/runs/start-run.ts';
import { EVALUATORS, initTask, type Said } from '../../client/tasks/init-task.ts';
import { taskWithData } from '../../client/tasks/initial-data.ts';
import { taskFolder, taskIn } from '../../client/tasks/task-folder.ts';
import { tryInitial, whyNoScore } from '../../client/tasks/trial.ts';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import { taskChoice } from '../../evolution/task/task-choice.ts';
import { notes, score } from '../terminal/output.ts';
import type { Context } from './command.ts';
import { asked, saysYes } from './many.ts';
import { collect, readText, type RunFlags, settingsFrom } from './settings-flags.ts';

export const withOwnTask = (command: Command): Command =>
  command
    .argument('[files...]', 'an evaluator and a program, or the folder of both: task.yaml is made beside them')
    .option('--direction <way>', 'of these files: maximise or minimise the score')
    .option('--score <name>', 'of these files: which number of the evaluator is the score')
    .option('--change <glob>', 'of a repository: files that may change (repeatable); all others stay', collect)
    .option('--seconds <n>', 'of these files: CPU seconds of a program and its evaluator (default: 300)');

/** The same of a command that starts a run. */
export const withRunFiles = (command: Command): Command =>
  withOwnTask(command).option(
    '--initial-data <file>',
    'a solution as JSON, as programs return it: it is scored, and the run begins with it',
  );

/** The folder of the named files as a task, and what its initial program scores; null where only a run can tell. */
export const ownTask = async (
  context: Context,
  files: readonly string[],
  { direction, score: name, seconds, change }: Said,
): Promise<{ readonly folder: string; readonly evaluation: Evaluation | null }> => {
  const asks = process.stdin.isTTY && process.stderr.isTTY;
  const larger = asks ? () => saysYes('Is a larger score better?') : null;
  const { folder, made, what } = await initTask(files, { direction, score: name, seconds, change }, larger);
  if (made)
    notes([`Made ${folder}/task.yaml: what it says can be changed there.`, ...(what === undefined ? [] : [what])]);
  const evaluation = await tryInitial(context, folder);
  if (evaluation === null) return { folder, evaluation };
  const numbers = /^which number is the score: (.+)\? Name it/.exec(evaluation.reasons[0] ?? '')?.[1]?.split(', ');
  const chosen = asks && numbers !== undefined ? await asked(`Which number is the score (${numbers.join(', ')})?`) : '';
  if (numbers?.includes(chosen)) return ownTask(context, [folder], { score: chosen });
  const { scoreName } = await taskIn(folder);
  const [why, ...helps] = whyNoScore(evaluation);
  const printed = evaluation.execution === 'program_error' ? evaluation.stderrTail.trim().slice(-1_000) : '';
  const took = (evaluation.wallMs / 1000).toFixed(1);
  notes(
    why !== undefined
      ? [why, ...(printed === '' ? [] : [printed]), ...helps]
      : [`The initial program has ${scoreName} ${score(evaluation.score)}, in ${took} s.`],
  );
  return { folder, evaluation };
};

/** The run that the flags and files ask for; null where its initial program has no score, so that nothing starts. */
export const preparedRun = async (
  context: Context,
  { initialData, ...flags }: RunFlags & Said & { readonly initialData?: string },
  files: readonly string[],
): Promise<Prepared | null> => {
  if (initialData !== undefined) {
    const task = await withData(context, flags, initialData);
    return prepareRun(context, settingsFrom({ ...flags, task }, context.env), flags.run);
  }
  const isNamed = flags.task !== undefined || flags.config !== undefined;
  if (files.length === 0 && !isNamed && ['task.yaml', ...EVALUATORS].some((name) => existsSync(resolve(name))))
    return preparedRun(context, flags, ['.']);
  if (files.length === 0) return prepareRun(context, settingsFrom(flags, context.env), flags.run);
  if (flags.task !== undefined) throw new UsageError('expected either files or --task, got both');
  const { folder, evaluation } = await ownTask(context, files, flags);
  if (evaluation !== null && evaluation.outcome !== 'valid') return null;
  return prepareRun(context, settingsFrom({ ...flags, task: folder }, context.env), flags.run);
};

/** The path of a copy of the task that begins with the data of the file. */
const withData = async (context: Context, flags: RunFlags, file: string): Promise<string> => {
  const { config } = settingsFrom(flags, context.env);
  const text = readText(file, '--initial-data', 'a solution as JSON', 'text');
  const given = { folder: await taskFolder(config.task), initial: taskChoice(config).initial, text, file };
  const { folder, score: scores } = await taskWithData(context, given);
  notes([
    `The solution of ${file} has the score ${score(scores.score)}${scores.strictScore === scores.score ? '' : `, without the tolerance ${score(scores.strictScore)}`}.`,
  ]);
  return folder;
};
