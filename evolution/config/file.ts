// A configuration file, YAML or JSON, as a layer whose problems name file, line and column. The caller reads the file.
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import type { Path } from './layers.ts';
import { ConfigError } from './problems.ts';
import type { Layer } from './schema.ts';

/** Parses a configuration file's text. Throws ConfigError with every syntax error. `example`: what an empty file is told to hold. */
export const fileLayer = (file: string, text: string, example = 'task: circle-packing-square-26'): Layer => {
  if (text.trim() === '') throw new ConfigError([`${file}:1:1: the file is empty; expected settings such as "${example}"`]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw new ConfigError(document.errors.map((error) => `${place(error.pos[0])}: not valid YAML or JSON: ${error.message.split('\n')[0]}.`));
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
  (node !== null && typeof node === 'object' && 'range' in node && Array.isArray(node.range) ? (node.range[0] as number) : null);
