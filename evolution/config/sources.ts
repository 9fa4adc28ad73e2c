// Two sources of settings become layers here: a configuration file in YAML or JSON, whose problems name file, line and
// column, and the environment, which is weaker than files and flags and never holds the key of an endpoint. Texts and
// variables are given; nothing is read here.
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { type Path, tidyUrl } from './layers.ts';
import { OFFLINE_MODEL } from './offline.ts';
import { ConfigError } from './config-error.ts';
import type { Layer } from './problems.ts';

type Environment = { readonly [name: string]: string | undefined };

const VARIABLES = { baseUrl: 'OPENAI_BASE_URL', name: 'EVOLVE_MODEL' } as const;

/** The layer of OPENAI_BASE_URL, OPENAI_API_KEY and EVOLVE_MODEL; null where none of them is set. */
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

/**
 * Parses a configuration file's text. Throws a ConfigError with every syntax error. `example` is what an empty file is
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

/** The start of the deepest part of the path that the file has: the key of a mapping's entry, the item of a list's. */
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
