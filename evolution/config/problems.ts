// Problems of a configuration: each names its place, key, what was expected and what came. Thrown together, so that one run shows all.
import type { z } from 'zod';
import { didYouMean } from './nearest.ts';
import { settingsSchema } from './settings.ts';

export type Path = readonly (string | number)[];

/** Where a layer's value was written: `run.yaml:3:7`, `--batch`, `EVOLVE_MODEL`. */
export type Whereabouts = (path: Path) => string;

/** A mistake in settings: nothing was started. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? problems[0]! : [`${problems.length} problems in the configuration:`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.problems = problems;
  }
}

export const keyOf = (path: Path): string => path.join('.');

/** A value as an error shows it: short, with its type where JSON alone would mislead. */
export const shown = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list (${cut(JSON.stringify(value))})`;
  if (typeof value === 'object') return `a mapping (${cut(JSON.stringify(value))})`;
  return cut((JSON.stringify(value) ?? String(value)).replace(/\/\/[^/@\s"]*@/, '//***@'));
};

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);

/** The keys that may stand at a place, or null where the place takes no mapping. */
export const keysAt = (path: Path): readonly string[] | null => {
  let schema: unknown = settingsSchema;
  for (const part of path) schema = fieldsOf(schema)?.[part];
  const fields = fieldsOf(schema);
  return fields === null ? null : Object.keys(fields);
};

const fieldsOf = (schema: unknown): Readonly<Record<string, unknown>> | null => {
  let inner = schema as { def?: { innerType?: unknown }; shape?: Record<string, unknown> } | undefined;
  while (inner?.def?.innerType !== undefined) inner = inner.def.innerType as typeof inner;
  return inner?.shape ?? null;
};

const at = (data: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, part) => (value !== null && typeof value === 'object' && Object.hasOwn(value, part) ? (value as Record<string, unknown>)[part] : undefined), data);

/** One line per mistake that the schema found; of several about one key the first. */
export const schemaProblems = (issues: readonly z.core.$ZodIssue[], data: unknown, where: Whereabouts): string[] => {
  const lines = new Map<string, string>();
  for (const issue of issues) {
    const path = issue.path as Path;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) lines.set(keyOf([...path, key]), `${where([...path, key])}: ${unknownKey([...path, key])}`);
      continue;
    }
    const key = keyOf(path);
    if (lines.has(key)) continue;
    const value = at(data, path);
    lines.set(key, `${where(path)}: ${key === '' ? '' : `${key}: `}expected ${expectation(issue, path)}, got ${shown(value)}.${hint(issue, value)}`);
  }
  return [...lines.values()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
};

const expectation = (issue: z.core.$ZodIssue, path: Path): string => {
  if (issue.code === 'invalid_type' && issue.expected === 'object' && issue.message.startsWith('Invalid input')) {
    return `a mapping of settings${path.length === 0 ? '' : ` (${keysAt(path)?.join(', ') ?? ''})`}`;
  }
  return issue.message;
};

const hint = (issue: z.core.$ZodIssue, value: unknown): string =>
  issue.code === 'invalid_value' && typeof value === 'string' ? didYouMean(value, issue.values.map(String)) : '';

const SECRET = /^(api[-_]?key|openai[-_]?api[-_]?key|key|token|secret|password)$/i;

/** What an unknown key is told: the nearest name here, else the places where a key of that name exists, else all names. */
export const unknownKey = (path: Path): string => {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const known = keysAt(parent) ?? [];
  const head = `${keyOf(path)}: unknown key.`;
  if (SECRET.test(name)) return `${head} API keys are never settings: set OPENAI_API_KEY in the environment.`;
  const near = didYouMean(name, known);
  if (near !== '') return head + near;
  const elsewhere = (keysAt([]) ?? []).flatMap((section) => (keysAt([section])?.includes(name) ? [`${section}.${name}`] : []))
    .concat(parent.length > 0 && keysAt([])?.includes(name) ? [name] : []);
  if (elsewhere.length > 0) return `${head} Did you mean "${elsewhere.join('" or "')}"?`;
  return `${head} Expected one of ${known.join(', ')}.`;
};
