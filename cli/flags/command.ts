// What every command is made of: its options, the home it acts on, and how its result becomes an exit code.
import { Command } from 'commander';
import type { Place } from '../../client/connect/connection.ts';
import { resolveHome } from '../../deploy/host/home.ts';
import { note } from '../terminal/output.ts';

export type Context = Place & { readonly json: boolean };

export const contextOf = (options: { readonly json?: boolean }, env: NodeJS.ProcessEnv = process.env): Context => ({
  home: resolveHome(env),
  env,
  say: note,
  json: options.json === true,
});

/** A command with `--json`. */
export const describe = (name: string, description = ''): Command =>
  new Command(name)
    .description(description)
    .option('--json', 'print JSON instead of text')
    .showSuggestionAfterError(true)
    .allowExcessArguments(false);

/** A command that is loaded only when it is named. `words` is the command line, for the commands below it. */
export type Later = {
  readonly name: string;
  readonly description: string;
  readonly load: (words: readonly string[]) => Promise<Command>;
};

export const later = (name: string, description: string, load: Later['load']): Later => ({ name, description, load });

/**
 * A command with others below it. Those that the command line does not name are listed without flags and actions, for
 * help and suggestions, so that most commands load few modules.
 */
export const withCommands = async (
  parent: Command,
  commands: readonly Later[],
  words: readonly string[],
): Promise<Command> => {
  for (const { name, description, load } of commands) {
    const command = words.includes(name) ? await load(words) : new Command(name);
    parent.addCommand(command.description(description));
  }
  return parent;
};

export const RUN_ARGUMENT = ['[run]', 'id of the run', 'latest'] as const;

/**
 * Runs the work and keeps its exit code (0 where it gives none). Commander passes the arguments first, then the
 * options, then the command.
 */
export const act =
  <A extends readonly unknown[], O extends { readonly json?: boolean }>(
    work: (context: Context, options: O, ...args: A) => Promise<number | void>,
  ) =>
  async (...given: unknown[]): Promise<void> => {
    const [options] = given.slice(-2) as [O];
    const code = await work(contextOf(options), options, ...(given.slice(0, -2) as unknown as A));
    if (code !== undefined) process.exitCode = code;
  };
