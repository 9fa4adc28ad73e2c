// From the command line to layers of settings: environment, --config file, --set, named flags (the strongest). Used by run and start.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { environmentLayer, tidyUrl } from '../evolution/config/environment.ts';
import { fileLayer } from '../evolution/config/file.ts';
import { ConfigError, type Path } from '../evolution/config/problems.ts';
import { resolveConfig, type Layer, type Resolved } from '../evolution/config/schema.ts';
import { UsageError } from './exit.ts';

export type SettingsFlags = {
  readonly method?: string; readonly task?: string; readonly seed?: string; readonly steps?: string; readonly batch?: string;
  readonly responses?: string; readonly maxPrograms?: string; readonly model?: string; readonly baseUrl?: string;
  readonly config?: string; readonly set?: readonly string[];
};

/** Flag, the setting it stands for, whether it is a number. */
const FLAGS = [
  ['method', '--method', 'method', false], ['task', '--task', 'task', false], ['seed', '--seed', 'seed', true],
  ['steps', '--steps', 'limits.steps', true], ['batch', '--batch', 'batch', true], ['responses', '--responses', 'responses', true],
  ['maxPrograms', '--max-programs', 'limits.programs', true], ['model', '--model', 'model.name', false], ['baseUrl', '--base-url', 'model.baseUrl', false],
] as const;

/** The run's settings from everything a person gave. Throws ConfigError or UsageError. */
export const settingsFrom = (flags: SettingsFlags, env: NodeJS.ProcessEnv): Resolved => {
  const layers = [
    environmentLayer(env),
    flags.config === undefined ? null : fileLayer(flags.config, readConfig(flags.config)),
    assignments(flags.set ?? []),
    named(flags),
  ].filter((layer) => layer !== null);
  const resolved = resolveConfig(layers.map(tidied));
  guardKey(resolved, env);
  return resolved;
};

const readConfig = (file: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'it is a directory' : code === 'EACCES' ? 'it may not be read'
      : code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8 text' : String((error as Error).message);
    throw new UsageError(`--config: expected a YAML or JSON file, got ${file}: ${why}`);
  }
};

/** Digits become a number; anything else stays text, and the schema says what it expected. */
const number = (text: string): number | string => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text.trim()) ? Number(text) : text);

const named = (flags: SettingsFlags): Layer => {
  const settings: Tree = {};
  for (const [name, , key, numeric] of FLAGS) {
    const value = flags[name];
    if (value !== undefined) put(settings, key.split('.'), numeric ? number(value) : value);
  }
  const flagOf = (test: (key: string) => boolean): string | undefined => FLAGS.find(([name, , key]) => flags[name] !== undefined && test(key))?.[1];
  return { settings, where: (path) => flagOf((key) => key === path.join('.')) ?? flagOf((key) => key.startsWith(`${path[0]}.`)) ?? 'command line' };
};

const assignments = (entries: readonly string[]): Layer | null => {
  if (entries.length === 0) return null;
  const settings: Tree = {};
  const problems: string[] = [];
  for (const entry of entries) {
    const at = entry.indexOf('=');
    const key = entry.slice(0, at);
    if (at < 1 || !/^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/.test(key)) { problems.push(`--set: expected key.path=value such as population.islands=4, got ${JSON.stringify(entry)}.`); continue; }
    try {
      if (!put(settings, key.split('.'), parse(entry.slice(at + 1)) as unknown)) problems.push(`--set ${key}: an earlier --set gives a part of it a plain value.`);
    } catch {
      problems.push(`--set ${key}: expected a YAML or JSON value, got ${JSON.stringify(entry.slice(at + 1))}.`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return { settings, where: (path: Path) => `--set ${path.join('.')}` };
};

type Tree = { [key: string]: unknown };

/** False where a plain value stands in the way. */
const put = (tree: Tree, path: readonly string[], value: unknown): boolean => {
  let place = tree;
  for (const part of path.slice(0, -1)) {
    if (!Object.hasOwn(place, part)) Object.defineProperty(place, part, { value: {}, enumerable: true, writable: true, configurable: true });
    const next = place[part];
    if (next === null || typeof next !== 'object' || Array.isArray(next)) return false;
    place = next as Tree;
  }
  Object.defineProperty(place, path.at(-1) ?? '', { value, enumerable: true, writable: true, configurable: true });
  return true;
};

/** Endpoints in one form everywhere, because keys are kept by it. */
const tidied = (layer: Layer): Layer => {
  const model = (layer.settings as { model?: { baseUrl?: unknown } } | null)?.model;
  if (typeof model?.baseUrl !== 'string') return layer;
  return { ...layer, settings: { ...(layer.settings as object), model: { ...model, baseUrl: tidyUrl(model.baseUrl) } } };
};

/** A configuration file may come from somebody else: it cannot redirect a key that belongs to another endpoint. */
const guardKey = ({ config, whereabouts }: Resolved, env: NodeJS.ProcessEnv): void => {
  const theirs = env['OPENAI_BASE_URL'];
  if (!env['OPENAI_API_KEY'] || !theirs || config.model.kind === 'offline' || config.model.baseUrl === null) return;
  const where = whereabouts('model.baseUrl');
  if (tidyUrl(theirs) === config.model.baseUrl || where === '--base-url') return;
  throw new ConfigError([`${where}: model.baseUrl: the endpoint ${config.model.baseUrl} is not that of OPENAI_BASE_URL (${tidyUrl(theirs)}), to which OPENAI_API_KEY belongs. Set OPENAI_BASE_URL to the same endpoint, give it as --base-url, or unset it.`]);
};
