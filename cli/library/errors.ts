// The errors of the library and the command line, one by what the caller does next. cli/exit.ts gives each its exit code.
export { ConfigError } from '../../evolution/config/problems.ts';

/** What was asked for cannot be done; the message says what can. Nothing was changed. */
export class UsageError extends Error { override readonly name = 'UsageError'; }
/** A part (database, workflow engine, worker, endpoint, Docker) is not there. */
export class MissingError extends Error { override readonly name = 'MissingError'; }
/** The run or the check came to a bad end. */
export class BadEndError extends Error { override readonly name = 'BadEndError'; }
