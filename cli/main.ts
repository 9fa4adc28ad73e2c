// The `evolve` command. Reads the command line, runs one command, turns errors into one clear message and an exit code (docs/cli.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { PROJECT_ROOT } from '../deploy/home.ts';
import { bestCommand } from './commands/best.ts';
import { doctorCommand } from './commands/doctor.ts';
import { downCommand } from './commands/down.ts';
import { exportCommand } from './commands/export.ts';
import { extendCommand } from './commands/extend.ts';
import { listCommand } from './commands/list.ts';
import { pauseCommand } from './commands/pause.ts';
import { programsCommand } from './commands/programs.ts';
import { resumeCommand } from './commands/resume.ts';
import { retryCommand } from './commands/retry.ts';
import { runCommand } from './commands/run.ts';
import { showCommand } from './commands/show.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { stopCommand } from './commands/stop.ts';
import { upCommand } from './commands/up.ts';
import { watchCommand } from './commands/watch.ts';
import { EXIT, exitCodeOf, messageOf } from './exit.ts';

const COMMANDS = [
  startCommand, upCommand, downCommand, doctorCommand, runCommand, watchCommand, statusCommand, listCommand, bestCommand, showCommand,
  programsCommand, pauseCommand, resumeCommand, stopCommand, extendCommand, retryCommand, exportCommand,
];

const version = (): string => (JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string }).version;

const program = (): Command => {
  const evolve = new Command('evolve')
    .description('Durable evolutionary search for programs. A run is named by its id; "latest" is the newest.')
    .version(version(), '--version')
    .showSuggestionAfterError(true)
    .showHelpAfterError('(--help lists commands and flags)')
    .addHelpText('after', '\nExit codes: 0 well, 1 the run ended badly, 2 wrong command or settings, 3 a part is missing, 130 Ctrl-C (the run goes on).');
  for (const make of COMMANDS) evolve.addCommand(make().copyInheritedSettings(evolve));
  for (const command of [evolve, ...evolve.commands]) command.exitOverride();
  return evolve;
};

// A reader that went away (`| head`) ends the output, not the command with a stack.
process.stdout.on('error', (error: NodeJS.ErrnoException) => { process.exit(error.code === 'EPIPE' ? EXIT.well : EXIT.bad); });

try {
  await program().parseAsync(process.argv);
} catch (error) {
  process.exitCode = exitCodeOf(error);
  // Commander has printed its own message by now.
  const printed = error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
  if (!printed) process.stderr.write(`${messageOf(error, Boolean(process.env['EVOLVE_DEBUG']))}\n`);
}
