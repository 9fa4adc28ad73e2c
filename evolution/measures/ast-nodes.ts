// How many nodes of CPython's abstract syntax tree a node of the parser's tree (@lezer/python) stands for. Called by tree-size.ts.

/** A node of the parser's tree whose children are being read, and what is known of them so far. */
export type Open = {
  readonly name: string;
  /** Name of the child before; empty at the first. */
  last: string;
  /** A comma made a tuple of the expressions since the last keyword or assignment. */
  tuple: boolean;
  /** A colon made a slice of what stands since the last comma. */
  slice: boolean;
  /** A `for` made a generator of a call's argument. */
  generator: boolean;
};

export const opened = (name: string): Open => ({ name, last: '', tuple: false, slice: false, generator: false });

export type ParsedNode = {
  /** As the grammar has it: a kind (upper case first) or a token itself. */
  readonly name: string;
  /** Characters that it spans. */
  readonly width: number;
};

/** What the next child of the open node adds. Children are read in order. */
export const astNodes = (child: ParsedNode, open: Open): number => {
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
const TUPLES: ReadonlySet<string> = new Set(['ExpressionStatement', 'AssignStatement', 'UpdateStatement', 'ReturnStatement', 'YieldStatement',
  'YieldExpression', 'ForStatement', 'MemberExpression', 'FormatReplacement', 'MatchStatement', 'MatchClause', 'ComprehensionExpression',
  'ArrayComprehensionExpression', 'DictionaryComprehensionExpression', 'SetComprehensionExpression']);

/** Nodes in which a star is no expression: an operator, a mark between parameters, a pattern that counts itself. */
const STARS: ReadonlySet<string> = new Set(['ArithOp', 'UpdateOp', 'ParamList', 'TypeParam', 'StarPattern', 'TryStatement']);

/** Nodes that hold names which are no expressions. */
const NAMES: ReadonlySet<string> = new Set(['ScopeStatement', 'FunctionDefinition', 'ClassDefinition', 'TypeParam', 'CapturePattern', 'KeywordPattern', 'AsPattern']);

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

/** A comprehension, and of a call's only argument the generator. */
const ofFor = (open: Open): number => {
  if (open.name.endsWith('ComprehensionExpression')) return 1;
  if (open.name !== 'ArgList') return 0;
  const nodes = open.generator ? 1 : 2;
  open.generator = true;
  return nodes;
};

const unlessIn = (parent: string): Rule => ({ name }) => (name === parent ? 0 : 1);
const onlyIn = (parent: string): Rule => ({ name }) => (name === parent ? 1 : 0);

/** Kinds that are not named here count 1, tokens 0. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  // With their parameter list; and a yield that is a statement.
  ['FunctionDefinition', 2], ['LambdaExpression', 2], ['YieldStatement', 2],
  // The nested `if`, the handler, the first item of a `with`.
  ['elif', 1], ['except', 1], ['with', 1],
  ['for', ofFor], [',', ofComma], [':', ofColon],
  ['*', (open) => (STARS.has(open.name) ? 0 : ofName(open))],
  ['**', onlyIn('ArgList')],
  ['VariableName', ofName],
  ['String', unlessIn('ContinuedString')], ['FormatString', unlessIn('ContinuedString')],
  ['None', unlessIn('LiteralPattern')], ['Boolean', unlessIn('LiteralPattern')], ['Ellipsis', unlessIn('ImportStatement')],
  // The call that makes a decorator.
  ['ArgList', onlyIn('Decorator')],
  // `f(a := b)`; elsewhere it has a node of its own.
  ['AssignOp', ({ name }, { width }) => (name === 'ArgList' && width === ':='.length ? 1 : 0)],
  ...['StatementGroup', 'DecoratedStatement', 'Decorator', 'Body', 'MatchBody', 'ParamList', 'TypeParamList', 'PatternArgList', 'TypeDef',
    'ParenthesizedExpression', 'Guard', 'KeywordPattern', 'ArithOp', 'BitOp', 'CompareOp', 'LogicOp', 'UpdateOp', 'At', 'PropertyName', 'Escape',
    'FormatConversion', 'FormatSelfDoc', 'Comment'].map((group) => [group, 0] as const),
]);
