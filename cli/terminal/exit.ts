// The exit codes of `evolve`, and the one message and code that an error becomes.
import { CommanderError } from 'commander';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { BadEndError, MissingError, UsageError } from '../../client/connect/errors.ts';
import { SetupError } from '../../deploy/host/run-command.ts';

export const EXIT = {
  /** Done; a run ended with at least one valid new program. */
  well: 0,
  /** A run ended badly, or a check failed. */
  bad: 1,
  /** Wrong command line, settings or id: nothing was started or changed. */
  usage: 2,
  /** A part is missing or cannot be reached. */
  missing: 3,
  /** Ctrl-C while watching: the run goes on. */
  interrupted: 130,
} as const;

export const exitCodeOf = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.well : EXIT.usage;
  if (error instanceof UsageError || error instanceof ConfigError) return EXIT.usage;
  if (error instanceof MissingError || error instanceof SetupError) return EXIT.missing;
  return EXIT.bad;
};

/** The message for people: no stack unless asked for. */
export const messageOf = (error: unknown, debug: boolean): string => {
  if (!(error instanceof Error)) return `error: ${String(error)}`;
  if (debug)
    return `error: ${error.stack ?? error.message}${error.cause instanceof Error ? `\ncaused by: ${error.cause.stack ?? error.cause.message}` : ''}`;
  const isExpected =
    error instanceof UsageError ||
    error instanceof ConfigError ||
    error instanceof MissingError ||
    error instanceof SetupError ||
    error instanceof BadEndError;
  return `error: ${error.message}${isExpected ? '' : '\n  (unexpected; EVOLVE_DEBUG=1 shows where it comes from)'}`;
};
