// The one reader of YAML and JSON from people. It takes plain data only, refuses what means something else than it
// seems to, and is linear, because the parser alone needs minutes for 20 KB of question marks.
import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
} from 'yaml';
import type { Path } from './layers.ts';

/** Lines and columns count from 1. */
type Position = { readonly line: number; readonly col: number };
type YamlProblem = Position & { readonly message: string };
type YamlText =
  | {
      readonly kind: 'value';
      /** Undefined where the text has none: it is empty, or comments only. */
      readonly value: unknown;
      /** The start of the deepest part of a path that the text has: the key of an entry, the item of a list. */
      readonly placeOf: (path: Path) => Position;
    }
  | { readonly kind: 'problems'; readonly problems: readonly YamlProblem[] };

const MAX_DEPTH = 32;
const MAX_ALIASES = 50;
const MAX_NODES = 100_000;
const MAX_TOKENS = 500_000;
const MAX_PROBLEMS = 10;

/** `json`: whether the text must be JSON, as it must in a file with that ending. */
export const readYamlText = (text: string, { json = false }: { readonly json?: boolean } = {}): YamlText => {
  const broken = json ? jsonProblem(text) : null;
  const early = jsonPlace(text, broken) ?? wrongTokens(text);
  if (early !== null)
    return { kind: 'problems', problems: [{ ...placeIn(text, early.offset), message: early.message }] };
  const lines = new LineCounter();
  // Duplicates are found below: the parser compares each key with every other.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const at = (offset: number): Position => lines.linePos(Math.min(offset, text.length));
  const { contents } = document;
  const problems: readonly Found[] =
    document.errors.length > 0
      ? document.errors.map(({ pos, message, code }) => ({
          offset: pos[0],
          message:
            SAID[code] ??
            (message.startsWith('Maximum call stack')
              ? TOO_DEEP
              : `not valid YAML or JSON: ${message.split('\n')[0]!}`),
        }))
      : document.directives.yaml.version !== '1.2'
        ? [{ offset: 0, message: `expected YAML 1.2, got version ${document.directives.yaml.version}` }]
        : [...wrongNodes(contents, json), ...(broken === null ? [] : [{ offset: 0, message: broken }])];
  if (problems.length > 0)
    return {
      kind: 'problems',
      problems: problems.slice(0, MAX_PROBLEMS).map(({ offset, message }) => ({ ...at(offset), message })),
    };
  if (
    contents === null ||
    (isScalar(contents) && contents.source === '' && text.trim() !== "''" && text.trim() !== '""')
  )
    return { kind: 'value', value: undefined, placeOf: () => at(0) };
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    requireSmall(value);
    return { kind: 'value', value, placeOf: (path) => at(offsetOf(contents, path)) };
  } catch (error) {
    const { message } = error as Error;
    const isOurs = error instanceof TooLarge || message.startsWith('Unresolved alias');
    return { kind: 'problems', problems: [{ line: 1, col: 1, message: isOurs ? message : ALIASES }] };
  }
};

type Found = { readonly offset: number; readonly message: string };

const ALIASES = `aliases that stand for more than ${MAX_NODES} values or more than ${MAX_ALIASES} times their size: write the values out`;

const TOO_DEEP = `nested more than ${MAX_DEPTH} deep`;

const SAID: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'expected one document, got another after ---',
};

const placeIn = (text: string, offset: number): Position => {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, col: offset - before.lastIndexOf('\n') };
};

/** JSON takes neither comments nor trailing commas, which YAML would. */
const jsonProblem = (text: string): string | null => {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `not valid JSON: ${(error as Error).message}`;
  }
};

/** Some messages of the JSON parser tell the place, and an end that comes too early is one. */
const jsonPlace = (text: string, problem: string | null): Found | null => {
  const position = /at position (\d+)/.exec(problem ?? '')?.[1];
  if (problem === null || (position === undefined && !problem.includes('end of JSON'))) return null;
  return {
    offset: position === undefined ? text.trimEnd().length : Number(position),
    message: problem.replace(/ (in JSON )?at position.*$/s, ''),
  };
};

// The signs that the lexer gives: a mark before each scalar, and the indicators as they stand.
const SCALAR = '\u001F';
const OPENING: ReadonlySet<string> = new Set(['[', '{']);
const CLOSING: ReadonlySet<string> = new Set([']', '}']);

/** Texts on which the parser would take too long or nest too deep, found before it begins. */
const wrongTokens = (text: string): Found | null => {
  let [offset, flow, inLine, aliases, tokens] = [0, 0, 0, 0, 0];
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    if (token === '\u0002' || token === '\u0018') continue;
    if (token === SCALAR) {
      scalar = true;
      continue;
    }
    const here = offset;
    offset += token.length;
    tokens += 1;
    if (tokens > MAX_TOKENS) return { offset: here, message: `more than ${MAX_TOKENS} words and signs` };
    const plain = !scalar;
    scalar = false;
    if (token.includes('\n')) inLine = 0;
    if (!plain) continue;
    if (token === '?') return { offset: here, message: 'expected keys that are words, got one that begins with "? "' };
    if (token === '-') inLine += 1;
    else if (OPENING.has(token)) flow += 1;
    else if (CLOSING.has(token)) flow -= 1;
    else if (token.startsWith('*')) aliases += 1;
    if (flow > MAX_DEPTH || inLine > MAX_DEPTH) return { offset: here, message: TOO_DEEP };
    if (aliases > MAX_ALIASES)
      return { offset: here, message: `more than ${MAX_ALIASES} aliases: write the values out` };
  }
  return null;
};

/** Names that every object has from its prototype. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const wrongNodes = (root: unknown, json: boolean): readonly Found[] => {
  const problems: Found[] = [];
  const report = (node: unknown, path: Path, message: string): void => {
    problems.push({
      offset: startOf(node) ?? 0,
      message: path.length === 0 ? message : `${path.join('.')}: ${message}`,
    });
  };
  const walk = (node: unknown, path: Path): void => {
    if (node === null || node === undefined || isAlias(node)) return;
    const { tag } = node as Node & { readonly tag?: string };
    if (tag !== undefined) report(node, path, `expected a plain value, got the tag ${tag}`);
    if (isScalar(node)) {
      const problem = wrongScalar(node, json);
      if (problem !== null) report(node, path, problem);
    }
    if (isCollection(node) && path.length >= MAX_DEPTH) return report(node, [], TOO_DEEP);
    if (isSeq(node)) for (const [index, item] of node.items.entries()) walk(item, [...path, index]);
    if (!isMap(node)) return;
    const names = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) && key.value !== null ? String(key.value) : null;
      if (name === null) {
        report(key ?? node, path, 'expected a key that is a word');
        continue;
      }
      if (name === '<<') report(key, [...path, name], 'merge keys are none of YAML 1.2: write the values out');
      else if (RESERVED.has(name)) report(key, [...path, name], 'this name cannot be a key');
      else if (names.has(name)) report(key, [...path, name], 'this key stands here twice');
      names.add(name);
      walk(value, [...path, name]);
    }
  };
  walk(root, []);
  return problems;
};

const wrongScalar = ({ value, source, type }: Scalar, json: boolean): string | null => {
  const shown = String(source).slice(0, 40);
  if (json && type !== 'QUOTE_DOUBLE' && !JSON_WORD.test(source ?? ''))
    return `not valid JSON: expected a text in double quotes, a number, true, false or null, got ${shown}`;
  if (typeof value === 'string' && value.includes('\0')) return 'expected text, got a NUL character in it';
  if (typeof value !== 'number' || source === undefined) return null;
  if (!Number.isFinite(value)) return `expected a finite number, got ${shown}`;
  if (!DECIMAL.test(source)) return `expected a decimal number, got ${shown}: quote it where it is a text`;
  // What another program wrote as a number may have digits that are no more than its shortest form.
  return /^[-+]?\d+$/.test(source) && source !== String(value) && BigInt(source.replace('+', '')) !== BigInt(value)
    ? `expected a whole number that keeps its digits, which those between -2^53 and 2^53 do, got ${shown}`
    : null;
};

const JSON_WORD = /^(true|false|null|-?\d.*)$/;
const DECIMAL = /^[-+]?(0|[1-9]\d*|(?=\.\d))(\.\d*)?(e[-+]?\d+)?$/i;

class TooLarge extends Error {}

/** An alias inside of its own anchor makes a value without an end. */
const requireSmall = (value: unknown): void => {
  let nodes = 0;
  const walk = (one: unknown, depth: number): void => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new TooLarge(`more than ${MAX_NODES} values`);
    if (one === null || typeof one !== 'object') return;
    if (depth > MAX_DEPTH) throw new TooLarge(`nested more than ${MAX_DEPTH} deep, or an alias inside of its anchor`);
    for (const inner of Object.values(one)) walk(inner, depth + 1);
  };
  walk(value, 1);
};

const offsetOf = (contents: unknown, path: Path): number => {
  let node = contents;
  let offset = startOf(node) ?? 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => (isScalar(item.key) ? String(item.key.value) : null) === String(part));
      if (!pair) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      offset = startOf(node) ?? offset;
    } else return offset;
  }
  return offset;
};

const startOf = (node: unknown): number | null =>
  node !== null && typeof node === 'object' && 'range' in node && Array.isArray(node.range)
    ? (node.range[0] as number)
    : null;
