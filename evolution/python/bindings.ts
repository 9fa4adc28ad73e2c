// The names that a piece of Python binds (Language Reference 4.2.1), and the definitions and imports of its top level.
import { withoutDocstrings } from './docstrings.ts';
import type { LogicalLine, Token } from './lexical.ts';
import { written } from './written.ts';

type Tokens = readonly Token[];
export type Module = { readonly tokens: Tokens; readonly lines: readonly LogicalLine[] };
/** A choice of logical lines. */
type Which = (line: LogicalLine) => boolean;

/** The name of the function or class whose header begins here. */
export const definedBy = (tokens: Tokens, at: number): string | null => {
  const header = tokens[at]?.text === 'async' ? at + 1 : at;
  const word = tokens[header]?.text;
  return word === 'def' || word === 'class' ? (tokens[header + 1]?.text ?? null) : null;
};

/** Names that a logical line calls global. */
export const globalsOf = (tokens: Tokens, from: number, to: number): readonly string[] => {
  const names: string[] = [];
  let named = false;
  for (const { kind, text } of tokens.slice(from, to)) {
    if (text === 'global') named = true;
    else if (text === ';') named = false;
    else if (named && kind === 'name') names.push(text);
  }
  return names;
};

/** Names that an expression binds, by `:=`. */
export const namedIn = (tokens: Tokens, from: number, to: number): readonly string[] =>
  tokens.slice(from, to).flatMap(({ text }, index) => (tokens[from + index + 1]?.text === ':=' ? [text] : []));

/** Words behind which a statement binds names, up to the given word where there is one. */
const BINDS: ReadonlyMap<string, string> = new Map(
  [['import'], ['del'], ['type', '='], ['case', ':'], ['for', 'in'], ['as', ':']].map(([word, until = '']) => [
    word!,
    until,
  ]),
);
const ASSIGNS = /^(?:[-+*/%&|^@]|\*\*|\/\/|<<|>>)?=$/;

/** Names that a line of statements may bind where it stands; some that it only reads may be among them. */
export const boundIn = (tokens: Tokens, from: number, to: number): readonly string[] => {
  const names: string[] = [];
  let depth = 0;
  /** The word up to which every name is bound. */
  let until: string | null = null;
  /** Names since the statement began, or since the last sign of assignment. */
  let targets: string[] = [];
  for (let at = from; at < to; at++) {
    const { kind, text } = tokens[at]!;
    if (text === '(' || text === '[' || text === '{') depth++;
    else if (text === ')' || text === ']' || text === '}') depth--;
    if (text === until || (text === ';' && depth === 0)) until = null;
    if (depth === 0 && (text === ';' || text === ':' || ASSIGNS.test(text))) {
      const bound = text !== ';' && (text !== ':' || targets.length === 1) ? targets : [];
      for (const name of bound) names.push(name);
      targets = [];
    }
    if (kind !== 'name' || (tokens[at - 1]?.text === '.' && text !== 'import')) continue;
    const next = tokens[at + 1]?.text;
    if (until !== null || next === ':=') names.push(text);
    else if (depth === 0) until = BINDS.get(text) ?? null;
    if (next !== '.') targets.push(text);
  }
  return names;
};

const endOf = ({ tokens, lines }: Module, index: number): number => lines[index + 1]?.token ?? tokens.length;

/** The names that these lines bind in the module's own scope; some that they only read may be among them. */
export const moduleNames = (module: Module, which: Which): ReadonlySet<string> => {
  const names = new Set<string>();
  let scope: number | null = null;
  for (const [index, line] of module.lines.entries()) {
    if (scope !== null && line.depth <= scope) scope = null;
    const name = definedBy(module.tokens, line.token);
    if (scope === null && which(line))
      for (const one of name === null ? boundIn(module.tokens, line.token, endOf(module, index)) : [name])
        names.add(one);
    if (scope === null && name !== null) scope = line.depth;
  }
  return names;
};

/** The names of the functions and classes that these lines of the top level define, each with its canonical text. */
export const definitions = (module: Module, which: Which): ReadonlyMap<string, string> => {
  const { tokens, lines } = module;
  const tops = lines.filter(({ depth }) => depth === 0);
  return new Map(
    tops.flatMap((line, index): [string, string][] => {
      const name = definedBy(tokens, line.token);
      if (name === null || !which(line)) return [];
      return [[name, written(withoutDocstrings(tokens.slice(line.token, tops[index + 1]?.token ?? tokens.length)))]];
    }),
  );
};

/** An import of the top level. */
export type Import = {
  readonly line: LogicalLine;
  /** Its canonical text: two imports are the same where this is. */
  readonly text: string;
  readonly names: readonly string[];
  /** The packages that it binds by their own name, as `import scipy.optimize` does `scipy`. */
  readonly packages: readonly string[];
  readonly star: boolean;
  readonly future: boolean;
};

/** The imports of the top level that stand on a line of their own. */
export const importsOf = (module: Module): readonly Import[] =>
  module.lines.flatMap((line, index) => {
    const { text: word } = module.tokens[line.token]!;
    if (line.depth > 0 || (word !== 'import' && word !== 'from')) return [];
    const tokens = module.tokens.slice(line.token, endOf(module, index)).filter(({ kind }) => kind !== 'dedent');
    if (tokens.some(({ text }) => text === ';')) return [];
    const listed = tokens.slice(tokens.findIndex(({ text }) => text === 'import') + 1);
    const items = itemsOf(listed.filter(({ kind, text }) => kind !== 'newline' && text !== '(' && text !== ')'));
    const plain = items.flatMap((item) => (word === 'import' && !item.includes('as') ? item.slice(0, 1) : []));
    return [
      {
        line,
        text: written(tokens).trim(),
        names: items.flatMap((item) => (item.includes('as') ? item.slice(-1) : item.slice(0, 1))),
        packages: plain,
        star: listed[0]?.text === '*',
        future: word === 'from' && tokens[1]?.text === '__future__',
      },
    ];
  });

/** The parts of a list that commas divide, as words; empty parts are left out. */
const itemsOf = (tokens: Tokens): readonly (readonly string[])[] => {
  const items: string[][] = [[]];
  for (const { text } of tokens)
    if (text === ',') items.push([]);
    else items.at(-1)!.push(text);
  return items.filter((item) => item.length > 0);
};
