// evolve task: lists, shows, checks, makes and scores tasks.
import { Command } from 'commander';
import { verbOf } from '../../../evolution/steering/verbs.ts';
import { type Build, later, withCommands } from '../../flags/command.ts';

const COMMANDS = [
  later('tasks/task-list', 'every task, with reference values', 'list'),
  later('tasks/task-show', 'one task: objective, limits, reference values', 'show'),
  later(
    'tasks/task-check',
    'check a task: its files, its initial program, its fixtures, and that no cheat scores',
    'check',
  ),
  later('tasks/task-new', 'make the folder of a new task, with an example that passes its check', 'new'),
  later('tasks/task-fetch', 'bring the files that its task.yaml names as downloads', 'fetch'),
  later('tasks/task-score', 'score a program, or the solution in a .json file', 'score'),
  later('tasks/task-baseline', 'run the initial program several times: mean, standard deviation, time', 'baseline'),
  later('tasks/task-update', verbOf('task-update').brief, 'update'),
  later('tasks/task-init', 'make a task of an evaluator and a program that are there, and score the program', 'init'),
];

export const build: Build = (_, words) => withCommands(new Command('task'), COMMANDS, words);
