// evolve task: what can be evolved; checks, scores and makes tasks. Below it: list, show, check, new, score,
// baseline, import-openevolve.
import { Command } from 'commander';
import { taskBaselineCommand } from './task-baseline.ts';
import { taskCheckCommand } from './task-check.ts';
import { taskImportCommand } from './task-import.ts';
import { taskListCommand } from './task-list.ts';
import { taskNewCommand } from './task-new.ts';
import { taskScoreCommand } from './task-score.ts';
import { taskShowCommand } from './task-show.ts';

export const taskCommand = (): Command =>
  [
    taskListCommand(),
    taskShowCommand(),
    taskCheckCommand(),
    taskNewCommand(),
    taskScoreCommand(),
    taskBaselineCommand(),
    taskImportCommand(),
  ].reduce(
    (parent, command) => parent.addCommand(command),
    new Command('task').description('what can be evolved: list, show, check, make and score tasks'),
  );
