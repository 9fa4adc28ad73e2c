// The frame of every command: its options, the home it acts on, and the exit code that its result becomes.
import { Command } from 'commander';
import { basename, join } from 'node:path';
import type { Place } from '../../client/connect/connection.ts';
import { resolveHome } from '../../deploy/host/home.ts';
import { note } from '../terminal/output.ts';

export type Context = Place & { readonly json: boolean };

export const contextOf = (options: { readonly json?: boolean }, env: NodeJS.ProcessEnv = process.env): Context => ({
  home: resolveHome(env),
  env,
  by: { from: 'command' },
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

/** Gives a command its arguments, flags and action. `words` is the command line, for the commands below it. */
export type Build = (command: Command, words: readonly string[]) => Command | Promise<Command>;

/** A command whose module is loaded only when the command line names it. */
export type Later = {
  readonly name: string;
  readonly description: string;
  readonly load: () => Promise<{ readonly build: Build }>;
};

/** The command in a file of cli/commands/, named as the file unless another name is given. */
export const later = (file: string, description: string, name: string = basename(file)): Later => ({
  name,
  description,
  load: () => import(join(import.meta.dirname, '..', 'commands', `${file}.ts`)) as ReturnType<Later['load']>,
});

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
    const command = words.includes(name) ? await (await load()).build(describe(name), words) : new Command(name);
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
  <A extends readonly unknown[], O>(work: (context: Context, options: O, ...args: A) => Promise<number | void>) =>
  async (...values: unknown[]): Promise<void> => {
    const [options] = values.slice(-2) as [O & { readonly json?: boolean }];
    const code = await work(contextOf(options), options, ...(values.slice(0, -2) as unknown as A));
    if (code !== undefined) process.exitCode = code;
  };
