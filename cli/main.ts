// The `evolve` command: reads the command line, runs one command, and turns errors into one clear message and an exit
// code (docs/cli.md).
import { carryOut } from './program.ts';
import { EXIT, exitCodeOf, messageOf } from './terminal/exit.ts';
import { note } from './terminal/output.ts';
import { registerOutsideLevels } from '../deploy/host/outside-levels.ts';
import { allowNoop } from '../evolution/config/noop.ts';

// A reader that went away (`| head`) ends the output, not the command with a stack.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') note(`error: the output cannot be written (${code})`);
  process.exit(code === 'EPIPE' ? EXIT.well : EXIT.bad);
});
process.stderr.on('error', () => undefined);

allowNoop(process.env);
try {
  registerOutsideLevels(process.env);
  await carryOut(process.argv.slice(2));
} catch (error) {
  process.exitCode = exitCodeOf(error);
  // Commander has printed its own message by now.
  const printed = error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
  if (!printed) note(messageOf(error, Boolean(process.env['EVOLVE_DEBUG'])));
}
