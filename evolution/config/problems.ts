// The problems of a configuration, with place, key, expectation and value, all in one ConfigError.
import type { z } from 'zod';
import { isPlain, type Path, valueAt } from './layers.ts';
import { didYouMean } from './nearest.ts';
import { settingsSchema } from './settings.ts';
import { shown } from './shown.ts';

/** Tells where a layer's value was written: `run.yaml:3:7`, `--batch`, `EVOLVE_MODEL`. */
export type Whereabouts = (path: Path) => string;

export const keyOf = (path: Path): string => path.join('.');

/** The keys that may stand at a place; null where it takes no mapping. `root` is the schema of the whole. */
export const keysAt = (path: Path, root: unknown = settingsSchema): readonly string[] | null => {
  let schema = root;
  for (const part of path) {
    const fields = typeof part === 'number' ? null : fieldsOf(schema);
    // A name such as `constructor` is a key of every object and of no schema.
    schema =
      typeof part === 'number'
        ? bare(schema)?.def?.element
        : fields !== null && Object.hasOwn(fields, part)
          ? fields[part]
          : undefined;
  }
  const fields = fieldsOf(schema);
  return fields === null ? null : Object.keys(fields);
};

type Schema =
  | {
      readonly def?: {
        readonly innerType?: unknown;
        readonly element?: unknown;
        readonly options?: readonly unknown[];
      };
      readonly shape?: Readonly<Record<string, unknown>>;
    }
  | undefined;

/** The schema without the wrappings that make it optional or nullable. */
const bare = (schema: unknown): Schema => {
  let inner = schema as Schema;
  while (inner?.def?.innerType !== undefined) inner = inner.def.innerType as Schema;
  return inner;
};

/** The fields of a mapping's schema; of a union, those of the mapping in it. */
const fieldsOf = (schema: unknown): Readonly<Record<string, unknown>> | null => {
  const inner = bare(schema);
  return inner?.shape ?? inner?.def?.options?.map(fieldsOf).find((fields) => fields !== null) ?? null;
};

/** One line for each key with a mistake, with the first one. */
export const schemaProblems = (
  issues: readonly z.core.$ZodIssue[],
  data: unknown,
  where: Whereabouts,
  root: unknown = settingsSchema,
): string[] => {
  const lines = new Map<string, string>();
  for (const issue of issues.flatMap((one) => withinUnion(one, data))) {
    const path = issue.path as Path;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys)
        lines.set(keyOf([...path, key]), `${where([...path, key])}: ${unknownKey([...path, key], root)}`);
      continue;
    }
    const key = keyOf(path);
    if (lines.has(key)) continue;
    const value = valueAt(data, path);
    lines.set(
      key,
      `${where(path)}: ${key === '' ? '' : `${key}: `}expected ${expectation(issue, path, root)}, got ${shown(value)}.${hint(issue, value)}`,
    );
  }
  return [...lines.values()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
};

/** The issues inside a mapping, where a mapping came and the union takes one; else the issue itself. */
const withinUnion = (issue: z.core.$ZodIssue, data: unknown): readonly z.core.$ZodIssue[] => {
  if (issue.code !== 'invalid_union' || !isPlain(valueAt(data, issue.path as Path))) return [issue];
  const inner =
    issue.errors.find((branch) => branch.some(({ path, code }) => path.length > 0 || code === 'unrecognized_keys')) ??
    [];
  return inner.length === 0 ? [issue] : inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
};

const expectation = (issue: z.core.$ZodIssue, path: Path, root: unknown): string => {
  if (issue.code === 'invalid_type' && issue.expected === 'object' && issue.message.startsWith('Invalid input')) {
    return `a mapping of settings${path.length === 0 ? '' : ` (${keysAt(path, root)?.join(', ') ?? ''})`}`;
  }
  // In zod's own words the value would be said twice.
  return issue.message.replace(/^Invalid input: expected (\w+), received .*$/, 'a value of type $1');
};

const hint = (issue: z.core.$ZodIssue, value: unknown): string =>
  typeof value === 'string' ? didYouMean(value, namesIn(issue)) : '';

/** The names among the values that an issue expects. */
const namesIn = (issue: z.core.$ZodIssue): readonly string[] => {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  return issue.code === 'invalid_union' ? issue.errors.flat().flatMap(namesIn) : [];
};

const SECRET = /^(api[-_]?key|openai[-_]?api[-_]?key|key|token|secret|password)$/i;

/** The words on an unknown key: the nearest name here, else other places of that key, else all names here. */
export const unknownKey = (path: Path, root: unknown = settingsSchema): string => {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const known = keysAt(parent, root) ?? [];
  const head = `${keyOf(path)}: unknown key.`;
  if (SECRET.test(name)) return `${head} API keys are never settings: set OPENAI_API_KEY in the environment.`;
  const near = didYouMean(name, known);
  if (near !== '') return head + near;
  const elsewhere = placesOf(name, [], root);
  if (elsewhere.length > 0) return `${head} Did you mean "${elsewhere.join('" or "')}"?`;
  return known.length === 0
    ? `${head} ${keyOf(parent)} has no keys of its own.`
    : `${head} Expected one of ${known.join(', ')}.`;
};

/** The places, at any depth, where a key of this name exists. */
const placesOf = (name: string, path: Path, root: unknown): readonly string[] =>
  (keysAt(path, root) ?? []).flatMap((key) => [
    ...(key === name ? [keyOf([...path, key])] : []),
    ...placesOf(name, [...path, key], root),
  ]);

/** One source of settings; `where` tells where a key of it was written. */
export type Layer = { readonly settings: unknown; readonly where: Whereabouts };

/** Settings that cannot work together. `keys` are the settings involved, the one to change first. */
export type Clash = { readonly keys: readonly string[]; readonly message: string };
