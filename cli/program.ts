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
    later('start', 'set up and start the parts, start a run and watch it (npm start)', async () =>
      (await import('./commands/parts/start.ts')).startCommand(),
    ),
    later('up', 'set up and start the parts; runs go on', async () =>
      (await import('./commands/parts/up.ts')).upCommand(),
    ),
    later('down', 'stop all parts of this home; runs continue at the next up', async () =>
      (await import('./commands/parts/down.ts')).downCommand(),
    ),
    later('worker', 'one role in the foreground, on a machine of its own', async () =>
      (await import('./commands/parts/worker.ts')).workerCommand(),
    ),
    later('keys', 'list endpoints that have a key, and share keys with all hosts', async () =>
      (await import('./commands/parts/keys.ts')).keysCommand(),
    ),
    later('hosts', 'list the processes that work for this installation, and where', async () =>
      (await import('./commands/parts/hosts.ts')).hostsCommand(),
    ),
    later('rates', 'show or set how many activities a second each queue hands out', async () =>
      (await import('./commands/parts/rates.ts')).ratesCommand(),
    ),
    later('upgrade', 'list the versions of the workflows, and say what an upgrade would do to open runs', async () =>
      (await import('./commands/parts/upgrade.ts')).upgradeCommand(),
    ),
    later('prune', 'remove runs that have ended, and what nobody needs any more', async () =>
      (await import('./commands/parts/prune.ts')).pruneCommand(),
    ),
    later('ui', 'show runs and programs on a page in the browser', async () =>
      (await import('./commands/parts/ui.ts')).uiCommand(),
    ),
    later('views', 'print addresses of views of the Temporal UI, and how to set its columns', async () =>
      (await import('./commands/parts/views.ts')).viewsCommand(),
    ),
    later('codec-server', 'decrypt payloads for the Temporal UI, where they are encrypted', async () =>
      (await import('./commands/parts/codec-server.ts')).codecServerCommand(),
    ),
    later('support-bundle', 'pack what a report of a fault needs into one file, without keys', async () =>
      (await import('./commands/parts/support-bundle.ts')).supportBundleCommand(),
    ),
    later('doctor', 'check every part, or one run, and say how to fix what is wrong', async () =>
      (await import('./commands/parts/doctor.ts')).doctorCommand(),
    ),
  ],
  'A run': [
    later('run', 'start a run and watch it; the parts must be up', async () =>
      (await import('./commands/run/run.ts')).runCommand(),
    ),
    later('watch', 'follow a run until it ends; Ctrl-C stops watching only', async () =>
      (await import('./commands/run/watch.ts')).watchCommand(),
    ),
    later('status', 'show the state of a run', async () => (await import('./commands/run/status.ts')).statusCommand()),
    later('list', 'list all runs, newest first', async () => (await import('./commands/run/list.ts')).listCommand()),
    later('best', 'show the best program of a run', async () =>
      (await import('./commands/programs/best.ts')).bestCommand(),
    ),
    later('show', 'show one program with its parents, answer, checks and evaluation', async () =>
      (await import('./commands/programs/show.ts')).showCommand(),
    ),
    later('prompt', 'show what a model was sent for a group of a step', async () =>
      (await import('./commands/programs/prompt.ts')).promptCommand(),
    ),
    later('replay-response', 'apply an answer to its parent again, without running anything', async () =>
      (await import('./commands/programs/replay-response.ts')).replayResponseCommand(),
    ),
    later('programs', 'list the candidates of a run in the order they were made', async () =>
      (await import('./commands/programs/programs.ts')).programsCommand(),
    ),
    later('steps', 'list the committed steps of a run', async () =>
      (await import('./commands/programs/steps.ts')).stepsCommand(),
    ),
    later('islands', 'show how each island of a run stands', async () =>
      (await import('./commands/programs/islands.ts')).islandsCommand(),
    ),
    later('deltas', 'show what changed along the best lineage of a run, as the models describe it', async () =>
      (await import('./commands/programs/deltas.ts')).deltasCommand(),
    ),
    later('settings', 'show the settings of a run', async () =>
      (await import('./commands/run/settings.ts')).settingsCommand(),
    ),
    later('usage', 'show what the tokens and dollars of a run went to', async () =>
      (await import('./commands/run/usage.ts')).usageCommand(),
    ),
    later('policies', 'list the versions of the model that a run has learned', async () =>
      (await import('./commands/run/policies.ts')).policiesCommand(),
    ),
    later('policy', 'write one of these versions to a folder', async () =>
      (await import('./commands/run/policy.ts')).policyCommand(),
    ),
    later('files', 'write the best program, its picture, settings and summary of a run to files', async () =>
      (await import('./commands/run/files.ts')).filesCommand(),
    ),
    ...verbsOf('A run'),
    later('import', 'take in a run from the files of an export', async () =>
      (await import('./commands/run/import.ts')).importCommand(),
    ),
  ],
  'Steer a run': verbsOf('Steer a run'),
  'Do again': [
    ...verbsOf('Do again'),
    later('rebuild', "check that a run's population follows from what is stored", async () =>
      (await import('./commands/steer/rebuild.ts')).rebuildCommand(),
    ),
  ],
  Tasks: [
    later('task', 'list, show, check, make and score tasks', async (words) =>
      (await import('./commands/tasks/task.ts')).taskCommand(words),
    ),
  ],
  'Many runs': [
    later(
      'sweep',
      'run many configurations of one question; starting a sweep a second time continues it',
      async (words) => (await import('./commands/sweeps/sweep.ts')).sweepCommand(words, verbsOf('A sweep')),
    ),
    later('schedule', 'start sweeps at intervals or by cron', async () =>
      (await import('./commands/sweeps/schedule.ts')).scheduleCommand(),
    ),
    later('reproduce', 'make a table or figure of a paper again, and print its numbers beside ours', async () =>
      (await import('./commands/papers/reproduce.ts')).reproduceCommand(),
    ),
    later('compare', 'compare runs of one task at equal programs, tokens, cost and time', async () =>
      (await import('./commands/papers/compare.ts')).compareCommand(),
    ),
    later(
      'report',
      "list runs beside their papers' values and the best known values: table, Markdown, CSV, HTML page",
      async () => (await import('./commands/papers/report.ts')).reportCommand(),
    ),
    later('propose-reward', 'propose L, U and alpha of the shaped reward from the scores of a run', async () =>
      (await import('./commands/papers/propose-reward.ts')).proposeRewardCommand(),
    ),
    later('train-judge', 'fine-tune a judge of ideas on rm-train.jsonl', async () =>
      (await import('./commands/papers/train-judge.ts')).trainJudgeCommand(),
    ),
    later('check-judge', 'measure a judge of ideas on rm-eval.jsonl', async () =>
      (await import('./commands/papers/check-judge.ts')).checkJudgeCommand(),
    ),
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
    [
      later('completion', 'print a script with which a shell completes commands, flags and ids', async () =>
        (await import('./commands/parts/completion.ts')).completionCommand(),
      ),
    ],
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
