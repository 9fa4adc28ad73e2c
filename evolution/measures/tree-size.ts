// The feature `tree-size`: the nodes of the tree that CPython would build, by rules on that of @lezer/python.
import { parser } from '@lezer/python';
import { normalise } from '../edits/equivalence.ts';
import { withoutDocstrings } from '../python/docstrings.ts';
import { tokenise } from '../python/tokens.ts';
import { parseable, written } from '../python/written.ts';

/** A node of the parser's tree whose children are being read, and what is known of them so far. */
type Open = {
  readonly name: string;
  /** The name of the child before; empty at the first child. */
  last: string;
  /** A comma made a tuple of the expressions since the last keyword or assignment. */
  tuple: boolean;
  /** A colon made a slice of what stands since the last comma. */
  slice: boolean;
  /** A `for` made a generator of a call's argument. */
  generator: boolean;
};

const opened = (name: string): Open => ({ name, last: '', tuple: false, slice: false, generator: false });

type ParsedNode = {
  /** The name in the grammar: a kind of node (upper case first), or the text of a token. */
  readonly name: string;
  /** The number of characters that it spans. */
  readonly width: number;
};

/** The number of nodes that the next child of the open node adds. Children are read in order. */
const astNodes = (child: ParsedNode, open: Open): number => {
  const { name } = child;
  if (ENDS_TUPLE.test(name)) open.tuple = false;
  const rule = RULES.get(name) ?? (/^[A-Z]/.test(name) ? 1 : 0);
  const nodes = typeof rule === 'number' ? rule : rule(open, child);
  open.last = name;
  return nodes;
};

const ENDS_TUPLE = /^(?:[a-z]|(?:AssignOp|UpdateOp|TypeDef)$)/;

type Rule = number | ((open: Open, child: ParsedNode) => number);

/** Nodes whose commas make a tuple. */
const TUPLES: ReadonlySet<string> = new Set([
  'ExpressionStatement',
  'AssignStatement',
  'UpdateStatement',
  'ReturnStatement',
  'YieldStatement',
  'YieldExpression',
  'ForStatement',
  'MemberExpression',
  'FormatReplacement',
  'MatchStatement',
  'MatchClause',
  'ComprehensionExpression',
  'ArrayComprehensionExpression',
  'DictionaryComprehensionExpression',
  'SetComprehensionExpression',
]);

/** Nodes in which a star is no expression: an operator, a mark between parameters, or a pattern that counts itself. */
const STARS: ReadonlySet<string> = new Set([
  'ArithOp',
  'UpdateOp',
  'ParamList',
  'TypeParam',
  'StarPattern',
  'TryStatement',
]);

/** Nodes that hold names which are no expressions. */
const NAMES: ReadonlySet<string> = new Set([
  'ScopeStatement',
  'FunctionDefinition',
  'ClassDefinition',
  'TypeParam',
  'CapturePattern',
  'KeywordPattern',
  'AsPattern',
]);

const ofName = ({ name, last }: Open): number => {
  if (name === 'ImportStatement') return last === 'import' || last === ',' || last === '(' ? 1 : 0;
  return NAMES.has(name) || (name === 'TryStatement' && last === 'as') ? 0 : 1;
};

const ofComma = (open: Open): number => {
  open.slice = false;
  if (open.name === 'WithStatement') return 1;
  if (open.tuple || !(TUPLES.has(open.name) || open.generator)) return 0;
  open.tuple = true;
  return 1;
};

const ofColon = (open: Open): number => {
  if (open.name !== 'MemberExpression' || open.slice) return 0;
  open.slice = true;
  return 1;
};

/** Counts a comprehension and, where it is a call's only argument, the generator. */
const ofFor = (open: Open): number => {
  if (open.name.endsWith('ComprehensionExpression')) return 1;
  if (open.name !== 'ArgList') return 0;
  const nodes = open.generator ? 1 : 2;
  open.generator = true;
  return nodes;
};

const unlessIn =
  (parent: string): Rule =>
  ({ name }) =>
    name === parent ? 0 : 1;
const onlyIn =
  (parent: string): Rule =>
  ({ name }) =>
    name === parent ? 1 : 0;

/** Kinds that are not named here count 1, tokens 0. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  // A function counts with its parameter list, and a yield that is a statement counts twice.
  ['FunctionDefinition', 2],
  ['LambdaExpression', 2],
  ['YieldStatement', 2],
  // The nested `if`, the handler, and the first item of a `with`.
  ['elif', 1],
  ['except', 1],
  ['with', 1],
  ['for', ofFor],
  [',', ofComma],
  [':', ofColon],
  ['*', (open) => (STARS.has(open.name) ? 0 : ofName(open))],
  ['**', onlyIn('ArgList')],
  ['VariableName', ofName],
  ['String', unlessIn('ContinuedString')],
  ['FormatString', unlessIn('ContinuedString')],
  ['None', unlessIn('LiteralPattern')],
  ['Boolean', unlessIn('LiteralPattern')],
  ['Ellipsis', unlessIn('ImportStatement')],
  // The call that makes a decorator.
  ['ArgList', onlyIn('Decorator')],
  // `f(a := b)`; elsewhere the assignment has a node of its own.
  ['AssignOp', ({ name }, { width }) => (name === 'ArgList' && width === ':='.length ? 1 : 0)],
  ...[
    'StatementGroup',
    'DecoratedStatement',
    'Decorator',
    'Body',
    'MatchBody',
    'ParamList',
    'TypeParamList',
    'PatternArgList',
    'TypeDef',
    'ParenthesizedExpression',
    'Guard',
    'KeywordPattern',
    'ArithOp',
    'BitOp',
    'CompareOp',
    'LogicOp',
    'UpdateOp',
    'At',
    'PropertyName',
    'Escape',
    'FormatConversion',
    'FormatSelfDoc',
    'Comment',
  ].map((group) => [group, 0] as const),
]);

/** The tokens without comments, spacing and docstrings, a function of the canonical text; if not Python, that text. */
const plainPython = (code: string): string => {
  const { tokens } = tokenise(code);
  return tokens === null ? normalise(code).slice(1) : written(withoutDocstrings(tokens), parseable);
};

/**
 * The number of nodes of the program's abstract syntax tree as CPython's `ast` builds it, docstrings left out. It is at
 * least 1, for the module.
 * - Counted are every statement (an `elif` is an `if` inside an `else`) and every expression (an operator and its
 *   operands make one; so `a + b` counts 3, `a < b < c` and `a and b and c` count 5, however they are put in
 *   parentheses); names, numbers, strings, attributes, subscripts, slices, tuples with or without parentheses; a
 *   function's list of parameters and each of them; keyword and starred arguments; each `for` of a comprehension; each
 *   imported name, `except`, item of a `with`, field and format of an f-string, `case` and pattern.
 * - Not counted are comments, blank lines, spacing, line ends, docstrings, parentheses that only group, punctuation,
 *   keywords and operators by themselves; names that are no expression (of a function, class, module, attribute,
 *   global, caught exception); the text of an f-string between its fields.
 * Thus `len(list(ast.walk(ast.parse(code))))` is about 1.5 times as large, because it counts contexts (Load, Store) and
 * operators as well. Programs with one canonical text have one size. Text that is not Python, of whatever language, is
 * read as if it were; what the parser can make nothing of counts nothing. So does some rare Python that it does not
 * know (`with a as b.c`, `lambda a, /: a`), and beyond some hundred operators in a row the count is a few off. It takes
 * some milliseconds for 5 KB, and 15 to 50 for 50 KB.
 */
export const treeSize = (code: string): number => {
  const cursor = parser.parse(plainPython(code)).cursor();
  const outer: Open[] = [];
  let open = opened('');
  let size = 0;
  for (;;) {
    if (!cursor.type.isError) {
      const { name } = cursor;
      size += astNodes({ name, width: cursor.to - cursor.from }, open);
      if (cursor.firstChild()) {
        outer.push(open);
        open = opened(name);
        continue;
      }
    }
    while (!cursor.nextSibling()) {
      if (!cursor.parent()) return size;
      open = outer.pop()!;
    }
  }
};
