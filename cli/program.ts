// The tree of commands behind `evolve`: their names and what each does. The modules of a command are loaded when it is
// named.
import { Command } from 'commander';
import { packageVersion } from '../deploy/host/home.ts';
import { later, type Later, withCommands } from './flags/command.ts';
import { verbsOf } from './verbs.ts';
import { complaint, help } from './terminal/output.ts';

/** Sorted by the headings of `--help`, in its order. */
const COMMANDS: { readonly [heading: string]: readonly Later[] } = {
  Parts: [
    later('parts/start', 'set up and start the parts, start a run and watch it (npm start)'),
    later('parts/up', 'set up and start the parts; runs go on'),
    later('parts/down', 'stop all parts of this home; runs continue at the next up'),
    later('parts/worker', 'one role in the foreground, on a machine of its own'),
    later('parts/keys', 'list endpoints that have a key, and share keys with all hosts'),
    later('home/models', 'say which list of prices counts, and take a newer one'),
    later('parts/hosts', 'list the processes that work for this installation, and where'),
    later('parts/rates', 'show or set how many activities a second each queue hands out'),
    later('parts/upgrade', 'list the versions of the workflows, and say what an upgrade would do to open runs'),
    later('parts/prune', 'remove runs that have ended, and what nobody needs any more'),
    later('parts/ui', 'show runs and programs on a page in the browser'),
    later('home/mcp', 'serve coding agents by the Model Context Protocol; reads only, unless more is allowed'),
    later('parts/views', 'print addresses of views of the Temporal UI, and how to set its columns'),
    later('parts/codec-server', 'decrypt payloads for the Temporal UI, where they are encrypted'),
    later('parts/support-bundle', 'pack what a report of a fault needs into one file, without keys'),
    later('parts/doctor', 'check every part, or one run, and say how to fix what is wrong'),
  ],
  'A run': [
    later('run/run', 'start a run and watch it; the parts must be up'),
    later('run/watch', 'follow a run until it ends; Ctrl-C stops watching only'),
    later('run/status', 'show the state of a run'),
    later('run/list', 'list all runs, newest first'),
    later('programs/best', 'show the best program of a run'),
    later('programs/show', 'show one program with its parents, answer, checks and evaluation'),
    later('programs/prompt', 'show what a model was sent for a group of a step'),
    later('programs/replay-response', 'apply an answer to its parent again, without running anything'),
    later('programs/programs', 'list the candidates of a run in the order they were made'),
    later('programs/steps', 'list the committed steps of a run'),
    later('programs/islands', 'show how each island of a run stands'),
    later('programs/deltas', 'show what changed along the best lineage of a run, as the models describe it'),
    later('run/settings', 'show the settings of a run'),
    later('run/usage', 'show what the tokens and dollars of a run went to'),
    later('run/policies', 'list the versions of the model that a run has learned'),
    later('run/policy', 'write one of these versions to a folder'),
    later('run/files', 'write the best program, its picture, settings and summary of a run to files'),
    ...verbsOf('A run'),
    later('run/import', 'take in an example of another system as a task, or a run from the files of an export'),
  ],
  'Steer a run': verbsOf('Steer a run'),
  'Do again': [
    ...verbsOf('Do again'),
    later('steer/rebuild', "check that a run's population follows from what is stored"),
  ],
  Tasks: [
    later('tasks/init', 'write a task and its settings to begin with, into this folder'),
    later('tasks/task', 'list, show, check, make and score tasks'),
  ],
  'Many runs': [
    later('sweeps/sweep', 'run many configurations of one question; starting a sweep a second time continues it'),
    later('sweeps/schedule', 'start sweeps at intervals or by cron'),
    later('papers/reproduce', 'make a table or figure of a paper again, and print its numbers beside ours'),
    later('papers/compare', 'compare runs of one task at equal programs, tokens, cost and time'),
    later(
      'papers/report',
      "list runs beside their papers' values and the best known values: table, Markdown, CSV, HTML page",
    ),
    later('papers/propose-reward', 'propose L, U and alpha of the shaped reward from the scores of a run'),
    later('papers/train-judge', 'fine-tune a judge of ideas on rm-train.jsonl'),
    later('papers/check-judge', 'measure a judge of ideas on rm-eval.jsonl'),
  ],
};

/** The scripts of the shells call this; it is no command for people. */
const COMPLETE = 'complete';

/**
 * `words` is the command line without node and script. Only the commands that it names are loaded with flags and
 * actions.
 */
export const program = async (words: readonly string[]): Promise<Command> => {
  const evolve = new Command('evolve')
    .description('Durable evolutionary search for programs. A run is named by its id; "latest" is the newest.')
    .version(packageVersion(), '--version')
    .showSuggestionAfterError(true)
    .showHelpAfterError('(--help lists commands and flags)')
    // Commander folds what it lists, but not the texts that commands add.
    .configureOutput({ writeOut: help, writeErr: complaint })
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 the run ended badly or a check failed, 2 wrong command or settings, 3 a part is missing, 130 Ctrl-C (the run goes on).',
    );
  for (const [heading, commands] of Object.entries(COMMANDS))
    await withCommands(evolve.commandsGroup(`${heading}:`), commands, words);
  await withCommands(
    evolve.commandsGroup('Help:'),
    [later('parts/completion', 'print a script with which a shell completes commands, flags and ids')],
    words,
  );
  if (words[0] === COMPLETE)
    evolve.addCommand((await import('./commands/parts/completion.ts')).completeCommand(), { hidden: true });
  settle(evolve.helpCommand('help [command]', 'display help for a command'));
  return evolve;
};

/** Runs the command line. Throws every error; commander has printed its own errors by then. */
export const carryOut = async (words: readonly string[]): Promise<void> => {
  await (await program(words)).parseAsync([...words], { from: 'user' });
};

/** At every depth, errors are thrown with a hint at the help, and a flag belongs to the command before it. */
const settle = (command: Command): void => {
  command.exitOverride().enablePositionalOptions();
  for (const below of command.commands) settle(below.copyInheritedSettings(command));
};
