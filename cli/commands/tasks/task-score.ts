// evolve task score: evaluates one program, or scores one solution, in containers, outside any run; on the task's
// instance, or on variants of it beside the rows of the papers' tables.
import { extname } from 'node:path';
import { parseStrictJson } from '../../../activities/sandbox/contract/strict-json.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { taskFolder, taskIn } from '../../../client/tasks/task-folder.ts';
import { bestCodeOf, type InstanceRow, scoreOnInstances } from '../../../client/papers/task-instances.ts';
import { scoreSolution, tryProgram } from '../../../client/tasks/trial.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { withTrialModels } from '../../flags/agreed.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { withStoredRun } from '../../flags/open.ts';
import { readText, type ModelFlags, withModelFlags } from '../../flags/settings-flags.ts';
import { EXIT } from '../../terminal/exit.ts';
import { answer, json, lines, note, score, wholeFrom } from '../../terminal/output.ts';
import { widthOf } from '../../terminal/screen.ts';
import { artifactLines, metricLines, stagesText } from '../../terminal/solution.ts';
import { table } from '../../terminal/table.ts';
import { allLevels } from '../../../evolution/config/levels.ts';

type Options = ModelFlags & {
  readonly seed: string;
  readonly smoke?: boolean;
  readonly hidden?: boolean;
  readonly isolation?: string;
  readonly run?: string;
  readonly instances?: string;
};
type Result = Pick<Evaluation, 'score' | 'strictScore' | 'metrics' | 'reasons'> & { readonly outcome: string };

export const ISOLATION = [
  '--isolation <level>',
  `${allLevels()
    .map(({ name }) => name)
    .join(', ')} (default: what this machine has)`,
] as const;

export const build: Build = (command) =>
  withModelFlags(command)
    .argument('<task>', 'id of the task, or its folder')
    .argument('[file]', 'a program, or a solution as JSON; else the best program of --run, else the initial program')
    .option('--run <run>', 'the best program of this run, in place of a file')
    .option(
      '--instances <names>',
      "variants of the task's instance: names, all, or tables (those of the papers' tables)",
    )
    .option('--seed <n>', 'seed of the program', '42')
    .option('--smoke', 'a function task on its small instance')
    .option('--hidden', 'a function task on hidden instances, which never decide a ranking')
    .option(...ISOLATION)
    .action(
      act(async (context, options: Options, named: string, given?: string) => {
        const folder = await taskFolder(named);
        const task = await taskIn(folder);
        const isolation = options.isolation ?? null;
        const { file, text } = await programOf(context, options, task, given);
        if (options.instances !== undefined)
          return onInstances(context, options, { folder, code: text, instances: options.instances, isolation });
        if (options.hidden && task.kind !== 'function')
          throw new UsageError(
            `--hidden: ${task.id}: expected a function task, got a ${task.kind} task, which has no hidden instances`,
          );
        if (given !== undefined && extname(file) === '.json') {
          if (task.kind !== 'solution')
            throw new UsageError(
              `${file}: expected a program, got a solution as JSON: ${task.id} is a ${task.kind} task and has no solutions`,
            );
          const scored = await scoreSolution(context, { folder, solution: solutionIn(file, text, task), isolation });
          const { valid, score: value, strictScore, metrics, reasons } = scored;
          const outcome = valid ? 'valid' : 'invalid';
          return report(context, { outcome, score: value, strictScore, metrics, reasons }, null);
        }
        return withTrialModels(context, options, { folder, evaluations: 1 }, async (models) => {
          const [trial] = await tryProgram(context, {
            ...{ folder, code: text, isolation, models },
            seed: wholeFrom(options.seed, '--seed', 0),
            smoke: options.smoke === true,
            holdout: options.hidden === true,
          });
          const { outcome, score: value, strictScore, metrics, reasons } = trial!.evaluation;
          return report(context, { outcome, score: value, strictScore, metrics, reasons }, trial!.evaluation);
        });
      }),
    );

/** The program or solution to score: a file, the best program of a run, or the task's initial program. */
const programOf = async (
  context: Context,
  { run, instances }: Options,
  task: Task,
  given: string | undefined,
): Promise<{ readonly file: string; readonly text: string }> => {
  if (given !== undefined && run !== undefined) throw new UsageError('expected either <file> or --run <run>, got both');
  if (given !== undefined) {
    if (instances !== undefined && extname(given) === '.json')
      throw new UsageError(`--instances: expected a program, got a solution as JSON: ${given}`);
    return { file: given, text: readText(given, '<file>', 'a program or a solution') };
  }
  if (run === undefined) return { file: 'the initial program', text: task.initialProgram };
  return withStoredRun(context, run, async (document, store) => ({
    file: document.run,
    text: await bestCodeOf(store, document),
  }));
};

type Variants = Pick<Parameters<typeof scoreOnInstances>[1], 'folder' | 'code' | 'instances' | 'isolation'>;

const onInstances = async (context: Context, options: Options, variants: Variants): Promise<number> => {
  const rows = await scoreOnInstances(
    context,
    { ...variants, seed: wholeFrom(options.seed, '--seed', 0), smoke: options.smoke === true },
    (row) => note(`${row.instance}: ${row.outcome}, score ${score(row.score)}`),
  );
  if (context.json) json(rows);
  else lines(table(instanceCells(rows), { width: widthOf(process.stdout), cut: { data: 20, table: 20 } }));
  return rows.every(({ outcome }) => outcome === 'valid') ? EXIT.well : EXIT.bad;
};

/** A column for each of those whose values a table has. */
const instanceCells = (rows: readonly InstanceRow[]): readonly (readonly string[])[] => {
  const whose = [...new Set(rows.flatMap((row) => Object.keys(row.table?.values ?? {})))];
  return [
    ['instance', 'outcome', 'score', 'in its unit', ...whose, 'table', 'data'],
    ...rows.map((row) => [
      row.instance,
      row.outcome,
      score(row.score),
      score(row.table?.ours ?? null),
      ...whose.map((name) => score(row.table?.values[name] ?? null)),
      row.table?.title ?? '-',
      row.fixed ? 'fixed' : 'drawn',
    ]),
  ];
};

/** The text itself. It is read here as a program's solution is, so that a fault shows before anything starts. */
const solutionIn = (file: string, text: string, { limits }: Task): string => {
  try {
    parseStrictJson(Buffer.from(text), limits.outputBytes);
    return text;
  } catch (error) {
    throw new UsageError(`${file}: expected a solution as JSON, got one that is refused: ${(error as Error).message}`);
  }
};

/** `ran` is null for a solution, which runs nothing. */
const report = (context: Context, result: Result, ran: Evaluation | null): number => {
  answer(context, { ...result, ...(ran && measuresOf(ran)) }, () => [
    `${result.outcome}${result.score === null ? '' : `, score ${score(result.score)}, strict ${score(result.strictScore)}`}`,
    ...metricLines(result.metrics),
    ...result.reasons.map((reason) => `  ${reason}`),
    ...(ran === null
      ? []
      : [
          ...(ran.stages === undefined ? [] : [`  stages ${stagesText(ran)}`]),
          `  ran ${ran.execution} in ${ran.isolation}, CPU ${ran.cpuMs ?? '?'} ms, wall ${ran.wallMs} ms`,
          ...(ran.artifacts ?? []).flatMap((one) => artifactLines(one, '--json')),
        ]),
  ]);
  return result.outcome === 'valid' ? EXIT.well : EXIT.bad;
};

const measuresOf = (ran: Evaluation) => {
  const { execution, cpuMs, wallMs, peakBytes, isolation, stderrTail, stages = [], artifacts = [], quarantine } = ran;
  return {
    ...{ execution, cpuMs, wallMs, peakBytes, isolation, stderrTail, stages, artifacts },
    ...(quarantine ? { quarantine } : {}),
  };
};
