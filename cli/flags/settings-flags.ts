// The flags with which runs are started, and the layers of settings that they make: environment, --config file, --set,
// named flags (the strongest).
import { type Command, Option } from 'commander';
import { dirname } from 'node:path';
import { GIVEN_BYTES, GivenFileError, readGiven } from '../../activities/given-file.ts';
import { UsageError } from '../../client/connect/errors.ts';
import { resolveSettings } from '../../client/runs/settings.ts';
import { withNamedTask } from '../../client/tasks/task-folder.ts';
import { type Path, valueAt } from '../../evolution/config/layers.ts';
import { ConfigError } from '../../evolution/config/config-error.ts';
import type { Layer } from '../../evolution/config/problems.ts';
import { shown } from '../../evolution/config/shown.ts';
import { fileLayer } from '../../evolution/config/sources.ts';
import { readYamlText } from '../../evolution/config/yaml.ts';
import type { Resolved } from '../../evolution/methods/resolve.ts';

/** A flag with its meaning, and the setting for which it stands. */
type SettingFlag = {
  readonly name: string;
  readonly flag: string;
  readonly meaning: string;
  readonly key: string;
  readonly isNumber: boolean;
};

const flagFor = (name: string, flag: string, meaning: string, key: string, isNumber = false): SettingFlag => ({
  ...{ name, flag, meaning, key, isNumber },
});

/** A fork keeps method and task of its run. */
const RUN_FLAGS: readonly SettingFlag[] = [
  flagFor('method', '--method <name>', 'search method (default: theta)', 'method'),
  flagFor(
    'task',
    '--task <task>',
    'id of a task in tasks/, or the path of a folder anywhere (default: circle-packing-square-26)',
    'task',
  ),
];

const FORK_FLAGS: readonly SettingFlag[] = [
  flagFor('seed', '--seed <n>', 'seed of the run', 'seed', true),
  flagFor('steps', '--steps <n>', 'end after this many steps', 'limits.steps', true),
  flagFor('batch', '--batch <B>', 'parents per step', 'batch', true),
  flagFor('responses', '--responses <n>', 'responses per parent', 'responses', true),
  flagFor('maxPrograms', '--max-programs <n>', 'end after this many programs', 'limits.programs', true),
  flagFor(
    'model',
    '--model <name>',
    'model of the endpoint, or "offline" (default: EVOLVE_MODEL, else offline)',
    'model.name',
  ),
  flagFor('baseUrl', '--base-url <url>', 'OpenAI-compatible endpoint (default: OPENAI_BASE_URL)', 'model.baseUrl'),
  flagFor(
    'policy',
    '--policy <run@version>',
    'the model is this policy of another run or training; with --learn it goes on learning',
    'model.policy',
  ),
];

type Named =
  | 'method'
  | 'task'
  | 'seed'
  | 'steps'
  | 'batch'
  | 'responses'
  | 'maxPrograms'
  | 'model'
  | 'baseUrl'
  | 'policy';

export type SettingsFlags = { readonly [name in Named]?: string } & {
  readonly config?: string;
  readonly set?: readonly string[];
  readonly learn?: boolean;
};

/** The run's settings from everything a person gave. Throws ConfigError or UsageError. */
export const settingsFrom = (flags: SettingsFlags, env: NodeJS.ProcessEnv): Resolved =>
  resolveSettings(layersOf(flags), env);

/** The layers of the command line, from the weakest to the strongest. */
export const layersOf = (flags: SettingsFlags): readonly Layer[] => {
  const layers = [
    ...(flags.config === undefined
      ? []
      : [
          withNamedTask(
            fileLayer(flags.config, readText(flags.config, '--config', 'a YAML or JSON file', 'settings')),
            dirname(flags.config),
          ),
        ]),
    ...(flags.set === undefined ? [] : [withNamedTask(assignments(flags.set, '--set '), process.cwd())]),
    withNamedTask(named(flags), process.cwd()),
  ];
  return flags.learn === true ? [learningLayer(layers), ...layers] : layers;
};

/** The settings of `--learn`. All others win over them: a file may name another trainer, or another model. */
const learningLayer = (above: readonly Layer[]): Layer => {
  const entries = above.flatMap(({ settings }) => valueAt(settings, ['models']) ?? []);
  const elsewhere = entries.some((entry) => valueAt(entry, ['trainable']) === true);
  return {
    settings: { learning: { trainer: 'reference' }, ...(elsewhere ? {} : { model: { trainable: true } }) },
    where: () => '--learn',
  };
};

/** A file's text. Errors begin with `where` and name the expected content. `kind` decides the longest text. */
export const readText = (
  file: string,
  where: string,
  expected: string,
  kind: keyof typeof GIVEN_BYTES = 'text',
): string => {
  try {
    return readGiven(file, { maxBytes: GIVEN_BYTES[kind] });
  } catch (error) {
    if (!(error instanceof GivenFileError)) throw error;
    throw new UsageError(`${where}: expected ${expected}, got ${file}: ${error.message}`);
  }
};

/** Digits become a number. Anything else stays text, and the schema says what it expected. */
const number = (text: string): number | string =>
  /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text.trim()) ? Number(text) : text;

const named = (flags: SettingsFlags): Layer => {
  const settings: Tree = {};
  const used = [...RUN_FLAGS, ...FORK_FLAGS].filter(({ name }) => flags[name as Named] !== undefined);
  for (const { name, key, isNumber } of used) {
    const value = flags[name as Named]!;
    put(settings, key.split('.'), isNumber ? number(value) : value);
  }
  const flagOf = (test: (key: string) => boolean): string | undefined =>
    used.find(({ key }) => test(key))?.flag.split(' ')[0];
  return {
    settings,
    where: (path) =>
      flagOf((key) => key === path.join('.')) ?? flagOf((key) => key.startsWith(`${path[0]}.`)) ?? 'command line',
  };
};

/**
 * Reads entries `key.path=value` with a YAML or JSON value. `flag` stands before the key in errors. Throws ConfigError
 * with every problem.
 */
export const assignments = (entries: readonly string[], flag: string): Layer => {
  const settings: Tree = {};
  const problems: string[] = [];
  for (const entry of entries) {
    const at = entry.indexOf('=');
    const key = entry.slice(0, at);
    if (at < 1 || !/^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/.test(key)) {
      problems.push(
        `${flag === '' ? '' : `${flag.trim()}: `}expected key.path=value such as population.islands=4, got ${shown(entry)}.`,
      );
      continue;
    }
    const text = entry.slice(at + 1);
    const read = readYamlText(text);
    if (read.kind === 'problems' || read.value === undefined)
      problems.push(
        `${flag}${key}: expected a YAML or JSON value, got ${shown(text)}${read.kind === 'problems' ? `: ${read.problems[0]!.message}` : ''}.`,
      );
    else if (!put(settings, key.split('.'), read.value))
      problems.push(`${flag}${key}: an earlier entry gives a part of this key a plain value.`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { settings, where: (path: Path) => `${flag}${path.join('.')}` };
};

type Tree = { [key: string]: unknown };

/** Returns false where a plain value stands in the way. */
const put = (tree: Tree, path: readonly string[], value: unknown): boolean => {
  let place = tree;
  for (const part of path.slice(0, -1)) {
    if (!Object.hasOwn(place, part))
      Object.defineProperty(place, part, { value: {}, enumerable: true, writable: true, configurable: true });
    const next = place[part];
    if (next === null || typeof next !== 'object' || Array.isArray(next)) return false;
    place = next as Tree;
  }
  Object.defineProperty(place, path.at(-1) ?? '', { value, enumerable: true, writable: true, configurable: true });
  return true;
};

export type StartFlags = {
  readonly json?: boolean;
  readonly run?: string;
  readonly detach?: boolean;
  readonly exitOnAttention?: boolean;
  readonly yes?: boolean;
};
/** Those of withModelFlags. */
export type ModelFlags = Pick<SettingsFlags & StartFlags, 'config' | 'set' | 'model' | 'baseUrl' | 'yes'>;
export type RunFlags = SettingsFlags & StartFlags;

export const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

const withSettingFlags = (command: Command, flags: readonly SettingFlag[]): Command =>
  flags.reduce((whole, { flag, meaning }) => whole.option(flag, meaning), command);

const YES = ['--yes', 'start without the question that a terminal asks above 1,000 programs or one dollar'] as const;

const withSettings = (command: Command, flags: readonly SettingFlag[]): Command =>
  withSettingFlags(command, flags)
    .option('--config <file>', 'settings as YAML or JSON; docs/configuration.md lists them')
    .addOption(
      new Option('--set <key=value>', 'one setting, e.g. --set diff.maxCodeChars=20000; repeatable').argParser(collect),
    );

/** For tasks whose evaluator asks a model, outside any run. */
export const withModelFlags = (command: Command): Command =>
  withSettings(
    command,
    FORK_FLAGS.filter(({ name }) => name === 'model' || name === 'baseUrl'),
  ).option(...YES);

/** The flags that a fork and `run` share. */
export const withForkFlags = (command: Command): Command =>
  withSettings(command, FORK_FLAGS)
    .option('--run <id>', 'id of the new run (default: one is chosen)')
    .option(
      '--learn',
      'the model learns while it searches: by the reference trainer, with a small byte-level model, unless others are named',
    )
    .option('--detach', 'start the run and return')
    .option('--exit-on-attention', 'stop watching with exit code 1 when the run needs attention');

export const withRunFlags = (command: Command): Command =>
  withForkFlags(withSettingFlags(command, RUN_FLAGS)).option(...YES);
