// The next words of a command line: commands, flags and their values, read from the tree of commands.
import type { Argument, Command, Option } from 'commander';
import { program } from './program.ts';

/** Values that are not in the tree. Each is asked for only where the cursor stands at one. */
export type Values = { readonly [kind in 'runs' | 'sweeps' | 'tasks' | 'methods']: () => Promise<readonly string[]> };

type Completion = {
  readonly values: readonly (readonly [value: string, description: string])[];
  readonly files: boolean;
};

const KINDS: { readonly [name: string]: keyof Values } = {
  run: 'runs',
  runs: 'runs',
  sweep: 'sweeps',
  task: 'tasks',
  method: 'methods',
};
const FILES = /^(file|folder|directory|records)$/;

/** `words` are those behind `evolve`. The last one is to be completed, and is empty after a space. */
export const complete = async (words: readonly string[], values: Values): Promise<Completion> => {
  if (words[0] === 'help' && words.length > 1) return complete(words.slice(1), values);
  const typed = words.at(-1) ?? '';
  const { command, option, arguments: given } = placeOf(await program(words), words.slice(0, -1));
  const all =
    option !== null
      ? await ofOption(option, values)
      : typed.startsWith('-')
        ? { values: flagsOf(command), files: false }
        : both(
            {
              values:
                given > 0
                  ? []
                  : command
                      .createHelp()
                      .visibleCommands(command)
                      .map((one) => [one.name(), one.description()]),
              files: false,
            },
            await ofArgument(command, given, values),
          );
  return { ...all, values: all.values.filter(([value]) => value.startsWith(typed)) };
};

type Place = { readonly command: Command; readonly option: Option | null; readonly arguments: number };

/** The command to which the words lead, how many arguments of it are given, and the flag that waits for its value. */
const placeOf = (root: Command, words: readonly string[]): Place =>
  words.reduce<Place>(
    ({ command, option, arguments: given }, word) => {
      if (option !== null) return { command, option: null, arguments: given };
      if (word.startsWith('-')) {
        const flag = command.options.find(({ long, short }) => word === long || word === short);
        return {
          command,
          option: flag !== undefined && (flag.required || flag.optional) ? flag : null,
          arguments: given,
        };
      }
      const below = given === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      return below === undefined
        ? { command, option: null, arguments: given + 1 }
        : { command: below, option: null, arguments: 0 };
    },
    { command: root, option: null, arguments: 0 },
  );

const flagsOf = (command: Command): Completion['values'] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [[long, description] as const] : []));

const ofOption = (option: Option, values: Values): Promise<Completion> =>
  // The id of a new run cannot be completed, because no run has it yet.
  option.long === '--run'
    ? Promise.resolve(NOTHING)
    : valuesFor(
        option.long?.slice(2) ?? '',
        option.argChoices,
        FILES.test(/<(\w+)>/.exec(option.flags)?.[1] ?? ''),
        values,
      );

const ofArgument = ({ registeredArguments, parent }: Command, given: number, values: Values): Promise<Completion> => {
  const last: Argument | undefined = registeredArguments.at(-1);
  const argument = registeredArguments[given] ?? (last?.variadic ? last : undefined);
  return argument === undefined
    ? Promise.resolve(NOTHING)
    : valuesFor(
        parent?.name() === 'sweep' ? 'sweep' : argument.name(),
        argument.argChoices,
        FILES.test(argument.name()),
        values,
      );
};

const NOTHING: Completion = { values: [], files: false };

const valuesFor = async (
  name: string,
  choices: readonly string[] | undefined,
  files: boolean,
  values: Values,
): Promise<Completion> => {
  const kind = KINDS[name];
  const names = choices ?? (kind === undefined ? [] : await values[kind]());
  return { values: names.map((value) => [value, '']), files };
};

const both = (a: Completion, b: Completion): Completion => ({
  values: [...a.values, ...b.values],
  files: a.files || b.files,
});
