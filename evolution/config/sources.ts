// How mappings of settings merge, and what a place in them holds.
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Layer } from '../methods/resolve.ts';
import { OFFLINE_MODEL } from './offline.ts';
import { ConfigError } from './problems.ts';

export type Path = readonly (string | number)[];

export const isPlain = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Without the keys that hold undefined. */
export const defined = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** Mappings merge key by key; everything else is replaced. */
export const merge = <T extends object>(below: T, above: object): T => {
  const result = { ...below } as Record<string, unknown>;
  for (const [key, value] of Object.entries(above)) {
    if (value === undefined) continue;
    const present = result[key];
    result[key] = isPlain(present) && isPlain(value) ? merge(present, value) : value;
  }
  return result as T;
};

/** The value at a place, through mappings and lists; undefined where there is none. */
export const valueAt = (data: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      value !== null && typeof value === 'object' && Object.hasOwn(value, part)
        ? (value as Record<string, unknown>)[part]
        : undefined,
    data,
  );

/** `{'population.islands': 4}` as the mapping `{population: {islands: 4}}`. Keys are known ones. */
export const fromDotted = (dotted: { readonly [key: string]: unknown }): Record<string, unknown> =>
  Object.entries(dotted).reduce<Record<string, unknown>>(
    (tree, [key, value]) =>
      merge(tree, key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as object),
    {},
  );

// One form of an endpoint's address. Used wherever addresses are compared.
/** Endpoints are compared and keys are kept by this form: no trailing slash. */
export const tidyUrl = (url: string): string => url.trim().replace(/\/+$/, '');

// The model as the environment names it: OPENAI_BASE_URL, OPENAI_API_KEY, EVOLVE_MODEL. A layer below files and
// flags; never holds the key.
type Environment = { readonly [name: string]: string | undefined };

const VARIABLES = { baseUrl: 'OPENAI_BASE_URL', name: 'EVOLVE_MODEL' } as const;

/** Null where no variable speaks of a model. */
export const environmentLayer = (env: Environment): Layer | null => {
  const given = ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'EVOLVE_MODEL'].filter((name) => (env[name] ?? '') !== '');
  if (given.length === 0) return null;
  const offline = env['EVOLVE_MODEL'] === OFFLINE_MODEL;
  const baseUrl = env['OPENAI_BASE_URL'];
  const name = env['EVOLVE_MODEL'];
  return {
    settings: {
      model: {
        kind: offline ? 'offline' : 'openai',
        ...(baseUrl && !offline ? { baseUrl: tidyUrl(baseUrl) } : {}),
        ...(name ? { name } : {}),
      },
    },
    where: (path) => {
      const variable = VARIABLES[path[1] as keyof typeof VARIABLES];
      return variable !== undefined && given.includes(variable) ? variable : `environment (${given.join(' and ')} set)`;
    },
  };
};

// A configuration file, YAML or JSON, as a layer whose problems name file, line and column. The caller reads the file.
/**
 * Parses a configuration file's text. Throws ConfigError with every syntax error. `example`: what an empty file is
 * told to hold.
 */
export const fileLayer = (file: string, text: string, example = 'task: circle-packing-square-26'): Layer => {
  if (text.trim() === '')
    throw new ConfigError([`${file}:1:1: the file is empty; expected settings such as "${example}"`]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw new ConfigError(
      document.errors.map(
        (error) => `${place(error.pos[0])}: not valid YAML or JSON: ${error.message.split('\n')[0]}.`,
      ),
    );
  }
  return { settings: plainValue(document, file), where: (path) => place(offsetOf(document, path)) };
};

const plainValue = (document: Document.Parsed, file: string): unknown => {
  try {
    return document.contents === null ? {} : document.toJS({ maxAliasCount: 50 });
  } catch (error) {
    throw new ConfigError([`${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`]);
  }
};

/** Start of the deepest part of the path that the file has: the key for a key, the item for a list's item. */
const offsetOf = (document: Document.Parsed, path: Path): number => {
  let node: unknown = document.contents;
  let offset = rangeStart(node) ?? 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => (isScalar(item.key) ? String(item.key.value) : null) === String(part));
      if (!pair) return offset;
      offset = rangeStart(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      offset = rangeStart(node) ?? offset;
    } else return offset;
  }
  return offset;
};

const rangeStart = (node: unknown): number | null =>
  node !== null && typeof node === 'object' && 'range' in node && Array.isArray(node.range)
    ? (node.range[0] as number)
    : null;
