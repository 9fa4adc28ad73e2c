// evolve task: lists, shows, checks, makes and scores tasks. Below it are list, show, check, new, score, baseline and
// import-openevolve.
import { Command } from 'commander';
import { later, withCommands } from '../../flags/command.ts';

const COMMANDS = [
  later('list', 'every task, with reference values', async () => (await import('./task-list.ts')).taskListCommand()),
  later('show', 'one task: objective, limits, reference values', async () =>
    (await import('./task-show.ts')).taskShowCommand(),
  ),
  later('check', 'check a task: its files, its initial program, its fixtures, and that no cheat scores', async () =>
    (await import('./task-check.ts')).taskCheckCommand(),
  ),
  later('new', 'make the folder of a new task, with an example that passes its check', async () =>
    (await import('./task-new.ts')).taskNewCommand(),
  ),
  later('score', 'score a program, or the solution in a .json file', async () =>
    (await import('./task-score.ts')).taskScoreCommand(),
  ),
  later('baseline', 'run the initial program several times: mean, standard deviation, time', async () =>
    (await import('./task-baseline.ts')).taskBaselineCommand(),
  ),
  later('import-openevolve', 'make a task of initial_program.py, evaluator.py and a YAML', async () =>
    (await import('./task-import.ts')).taskImportCommand(),
  ),
];

export const taskCommand = (words: readonly string[]): Promise<Command> =>
  withCommands(new Command('task'), COMMANDS, words);
