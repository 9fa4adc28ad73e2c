// evolve task score: evaluates one program, or scores one solution, in containers, outside any run.
import { extname } from 'node:path';
import { parseStrictJson } from '../../activities/sandbox/contract/strict-json.ts';
import { UsageError } from '../../client/errors.ts';
import { taskFolder, taskIn } from '../../client/task-folder.ts';
import { scoreSolution, tryProgram } from '../../client/trial.ts';
import type { Task } from '../../evolution/task.ts';
import { act, describe } from '../flags/command.ts';
import { readText } from '../flags/settings-flags.ts';
import { EXIT } from '../terminal/exit.ts';
import { json, line, score, wholeFrom } from '../terminal/output.ts';

type Options = {
  readonly json?: boolean;
  readonly seed: string;
  readonly smoke?: boolean;
  readonly hidden?: boolean;
  readonly isolation?: string;
};
type Result = {
  readonly outcome: string;
  readonly score: number | null;
  readonly strictScore: number | null;
  readonly metrics: { readonly [name: string]: number | string | boolean };
  readonly reasons: readonly string[];
};

export const ISOLATION = [
  '--isolation <level>',
  'docker, fast or bubblewrap (default: what this machine has)',
] as const;

export const taskScoreCommand = () =>
  describe('score', 'score a program, or the solution in a .json file')
    .argument('<task>', 'id of the task, or its folder')
    .argument('<file>', 'a program, or a solution as JSON')
    .option('--seed <n>', 'seed of the program', '42')
    .option('--smoke', 'a function task on its small instance')
    .option('--hidden', 'a function task on hidden instances, which never decide a ranking')
    .option(...ISOLATION)
    .action(
      act(async (context, options: Options, named: string, file: string) => {
        const folder = await taskFolder(named);
        const task = await taskIn(folder);
        const text = readText(file, '<file>', 'a program or a solution');
        const isolation = options.isolation ?? null;
        if (options.hidden && task.kind !== 'function')
          throw new UsageError(
            `--hidden: ${task.id}: expected a function task, got a solution task, which has no hidden instances`,
          );
        if (extname(file) === '.json') {
          if (task.kind === 'function')
            throw new UsageError(
              `${file}: expected a program, got a solution as JSON: ${task.id} is a function task and has no solutions`,
            );
          const scored = await scoreSolution(context, { folder, solution: solutionIn(file, text, task), isolation });
          return report(
            {
              outcome: scored.valid ? 'valid' : 'invalid',
              score: scored.score,
              strictScore: scored.strictScore,
              metrics: scored.metrics,
              reasons: scored.reasons,
            },
            context.json,
          );
        }
        const [trial] = await tryProgram(context, {
          folder,
          code: text,
          times: 1,
          seed: wholeFrom(options.seed, '--seed', 0),
          smoke: options.smoke === true,
          holdout: options.hidden === true,
          draws: 'trial',
          isolation,
        });
        const {
          outcome,
          score: value,
          strictScore,
          metrics,
          reasons,
          execution,
          cpuMs,
          wallMs,
          peakBytes,
          isolation: level,
          stderrTail,
          quarantine,
        } = trial!.evaluation;
        return report({ outcome, score: value, strictScore, metrics, reasons }, context.json, {
          execution,
          cpuMs,
          wallMs,
          peakBytes,
          isolation: level,
          stderrTail,
          ...(quarantine ? { quarantine } : {}),
        });
      }),
    );

/** The text itself: it is read here as a program's solution is, so that what is wrong is said before anything starts. */
const solutionIn = (file: string, text: string, { limits }: Task): string => {
  try {
    parseStrictJson(Buffer.from(text), limits.outputBytes);
    return text;
  } catch (error) {
    throw new UsageError(`${file}: expected a solution as JSON, got one that is refused: ${(error as Error).message}`);
  }
};

const report = (result: Result, asJson: boolean, more: { readonly [key: string]: unknown } = {}): number => {
  if (asJson) json({ ...result, ...more });
  else {
    line(
      `${result.outcome}${result.score === null ? '' : `, score ${score(result.score)}, strict ${score(result.strictScore)}`}`,
    );
    for (const [name, value] of Object.entries(result.metrics))
      line(`  ${name} ${typeof value === 'number' ? score(value) : value}`);
    for (const reason of result.reasons) line(`  ${reason}`);
    if ('execution' in more)
      line(
        `  ran ${more['execution']} in ${more['isolation']}, CPU ${more['cpuMs'] ?? '?'} ms, wall ${more['wallMs']} ms`,
      );
  }
  return result.outcome === 'valid' ? EXIT.well : EXIT.bad;
};
