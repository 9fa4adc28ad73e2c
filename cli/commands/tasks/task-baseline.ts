// evolve task baseline: runs the initial program several times, to show what a search starts from, how much the score
// varies and how long a run takes.
import { taskFolder, taskIn } from '../../../client/tasks/task-folder.ts';
import { tryProgram } from '../../../client/tasks/trial.ts';
import { spreadOf } from '../../../evolution/statistics.ts';
import { withTrialModels } from '../../flags/agreed.ts';
import { act, type Build } from '../../flags/command.ts';
import { type ModelFlags, withModelFlags } from '../../flags/settings-flags.ts';
import { EXIT } from '../../terminal/exit.ts';
import { answer, note, score, wholeFrom } from '../../terminal/output.ts';
import { initialText } from './task-list.ts';
import { ISOLATION } from './task-score.ts';

type Options = ModelFlags & {
  readonly times: string;
  readonly seed: string;
  readonly smoke?: boolean;
  readonly isolation?: string;
};

export const build: Build = (command) =>
  withModelFlags(command)
    .argument('<task>', 'id of the task, or its folder')
    .option('--times <k>', 'how often', '3')
    .option('--seed <n>', 'seed of the first run; each further one has the next', '42')
    .option('--smoke', 'a function task on its small instance')
    .option(...ISOLATION)
    .action(
      act(async (context, options: Options, named: string) => {
        const folder = await taskFolder(named);
        const task = await taskIn(folder);
        const times = wholeFrom(options.times, '--times', 1);
        return withTrialModels(context, options, { folder, evaluations: times }, async (models) => {
          const trials = await tryProgram(
            context,
            {
              ...{ folder, models },
              times,
              seed: wholeFrom(options.seed, '--seed', 0),
              smoke: options.smoke === true,
              draws: 'each',
              isolation: options.isolation ?? null,
            },
            ({ evaluation, seed }) =>
              note(
                `seed ${seed}: ${evaluation.outcome}, score ${score(evaluation.score)}, CPU ${evaluation.cpuMs ?? '?'} ms, wall ${evaluation.wallMs} ms${evaluation.reasons[0] === undefined ? '' : `: ${evaluation.reasons[0]}`}`,
              ),
          );
          const valid = trials.filter(({ evaluation }) => evaluation.outcome === 'valid');
          const spread = spreadOf(valid.map(({ evaluation }) => evaluation.score!));
          const wall = spreadOf(trials.map(({ evaluation }) => evaluation.wallMs / 1000));
          const { id, scoreName, initial } = task;
          const report = {
            ...{ task: id, scoreName, valid: valid.length, times, score: spread, wallSeconds: wall },
            trials: trials.map(({ seed, evaluation: { outcome, score: value, reasons, cpuMs, wallMs } }) => ({
              ...{ seed, outcome, score: value, reasons, cpuMs, wallMs },
            })),
          };
          answer(context, report, () => [
            `${id}: ${valid.length} of ${times} valid; ${scoreName} mean ${score(spread.mean)}, standard deviation ${score(spread.sd)}; wall mean ${score(wall.mean)} s`,
            `task.yaml says ${initial?.score !== undefined || initial?.band ? initialText(task) : 'nothing about the initial score'}`,
          ]);
          return valid.length === times ? EXIT.well : EXIT.bad;
        });
      }),
    );
