// The tree of commands behind `evolve`. Built by main.ts, and by tests.
import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../deploy/host/home.ts';
import { addModelCommand } from './commands/add-model.ts';
import { bestCommand } from './commands/best.ts';
import { checkJudgeCommand } from './commands/check-judge.ts';
import { compareCommand } from './commands/compare.ts';
import { deltasCommand } from './commands/deltas.ts';
import { doctorCommand } from './commands/doctor.ts';
import { downCommand } from './commands/down.ts';
import { exportCommand } from './commands/export.ts';
import { extendCommand } from './commands/extend.ts';
import { forkCommand } from './commands/fork.ts';
import { hintCommand } from './commands/hint.ts';
import { importCommand } from './commands/import.ts';
import { injectCommand } from './commands/inject.ts';
import { islandsCommand } from './commands/islands.ts';
import { listCommand } from './commands/list.ts';
import { pauseCommand } from './commands/pause.ts';
import { programsCommand } from './commands/programs.ts';
import { promptCommand } from './commands/prompt.ts';
import { proposeRewardCommand } from './commands/propose-reward.ts';
import { rebuildCommand } from './commands/rebuild.ts';
import { removeModelCommand } from './commands/remove-model.ts';
import { replayResponseCommand } from './commands/replay-response.ts';
import { reportCommand } from './commands/report.ts';
import { resumeCommand } from './commands/resume.ts';
import { retryCommand } from './commands/retry.ts';
import { rewindCommand } from './commands/rewind.ts';
import { runCommand } from './commands/run.ts';
import { scheduleCommand } from './commands/schedule.ts';
import { setCommand } from './commands/set.ts';
import { settingsCommand } from './commands/settings.ts';
import { showCommand } from './commands/show.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { stepsCommand } from './commands/steps.ts';
import { stopCommand } from './commands/stop.ts';
import { sweepCommand } from './commands/sweep.ts';
import { taskCommand } from './commands/task.ts';
import { upCommand } from './commands/up.ts';
import { usageCommand } from './commands/usage.ts';
import { watchCommand } from './commands/watch.ts';

const COMMANDS = [
  // the parts
  startCommand,
  upCommand,
  downCommand,
  doctorCommand,
  // a run: start, look
  runCommand,
  watchCommand,
  statusCommand,
  listCommand,
  bestCommand,
  showCommand,
  promptCommand,
  replayResponseCommand,
  programsCommand,
  stepsCommand,
  islandsCommand,
  deltasCommand,
  settingsCommand,
  usageCommand,
  exportCommand,
  importCommand,
  // steer
  pauseCommand,
  resumeCommand,
  stopCommand,
  extendCommand,
  setCommand,
  injectCommand,
  hintCommand,
  addModelCommand,
  removeModelCommand,
  // do again
  retryCommand,
  rewindCommand,
  forkCommand,
  rebuildCommand,
  // what is evolved
  taskCommand,
  // many runs
  sweepCommand,
  scheduleCommand,
  compareCommand,
  reportCommand,
  proposeRewardCommand,
  checkJudgeCommand,
];

const version = (): string =>
  (JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string }).version;

export const program = (): Command => {
  const evolve = new Command('evolve')
    .description('Durable evolutionary search for programs. A run is named by its id; "latest" is the newest.')
    .version(version(), '--version')
    .showSuggestionAfterError(true)
    .showHelpAfterError('(--help lists commands and flags)')
    .addHelpText(
      'after',
      '\nExit codes: 0 well, 1 the run ended badly, 2 wrong command or settings, 3 a part is missing, 130 Ctrl-C (the run goes on).',
    );
  for (const make of COMMANDS) evolve.addCommand(make());
  settle(evolve);
  return evolve;
};

/** Errors are thrown, with help, at every depth; a flag belongs to the command that it stands behind. */
const settle = (command: Command): void => {
  command.exitOverride().enablePositionalOptions();
  for (const below of command.commands) settle(below.copyInheritedSettings(command));
};
