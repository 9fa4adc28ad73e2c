// Names that a program uses and nothing binds (Language Reference 4.2), found without running it: a symbol table on the
// tree of @lezer/python. Where a name may be bound in a way that cannot be seen, none is reported.
import { parser } from '@lezer/python';
import { BUILTINS } from './builtins.ts';
import { LineCounter, type Token } from './lexical.ts';
import { tokenise } from './tokens.ts';
import { parseable, PRINT, written } from './written.ts';

/** A name that nothing binds; on the line, from 1, begins the first statement that uses it. */
export type Unbound = { readonly name: string; readonly line: number };

type Node = ReturnType<typeof parser.parse>['topNode'];

class Scope {
  readonly kind: 'module' | 'class' | 'function' | 'comprehension';
  readonly outer: Scope | null;
  readonly bound = new Set<string>();
  /** Names that `+=` and its like change, which must be bound before. */
  readonly updated = new Set<string>();
  /** Names that are global or nonlocal here. */
  readonly declared = new Set<string>();

  constructor(kind: Scope['kind'], outer: Scope | null) {
    this.kind = kind;
    this.outer = outer;
  }

  /** The scope in which `:=` binds. */
  get named(): Scope {
    return this.kind === 'comprehension' ? this.outer!.named : this;
  }

  sees(name: string): boolean {
    if (this.bound.has(name)) return true;
    // To change a name makes it local to a function.
    if (this.kind === 'function' && this.updated.has(name) && !this.declared.has(name)) return false;
    // The names of a class are seen in its own body only.
    for (let { outer } = this as Scope; outer !== null; outer = outer.outer)
      if (outer.kind !== 'class' && outer.bound.has(name)) return true;
    return false;
  }
}

type Use = { readonly name: string; readonly at: number; readonly scope: Scope };

const childrenOf = (node: Node): readonly Node[] => {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
};

/** Nodes whose parts are bound where they stand as a target. */
const TARGETS: ReadonlySet<string> = new Set(['TupleExpression', 'ArrayExpression', 'ParenthesizedExpression']);
const CATCHES = /\b(?:NameError|UnboundLocalError)\b/;

/** The scopes of one module with the names that they bind and use. */
class SymbolTable {
  readonly uses: Use[] = [];
  /** False where the parser does not know a part of the text, or names come from elsewhere (`import *`). */
  isWhole = true;
  readonly #text: string;
  readonly #module = new Scope('module', null);
  /** Annotations are kept as texts (PEP 563). */
  readonly #quotes: boolean;
  /** Nodes to visit. Names of a target are bound; those that are caught may be unbound. */
  readonly #todo: { readonly node: Node; readonly scope: Scope; readonly target: boolean; readonly caught: boolean }[] =
    [];
  #caught = false;

  constructor(text: string) {
    this.#text = text;
    this.#quotes = /^from __future__ import .*\bannotations\b/m.test(text);
    this.#add(parser.parse(text).topNode, this.#module);
    for (let next = this.#todo.pop(); next !== undefined; next = this.#todo.pop()) {
      const { node, scope, target, caught } = next;
      this.#caught = caught;
      if (node.type.isError) this.isWhole = false;
      else if (node.name !== 'VariableName') this.#visit(node, scope, target);
      else if (target) scope.bound.add(this.#textOf(node));
      else if (!caught) this.uses.push({ name: this.#textOf(node), at: node.from, scope });
    }
  }

  #textOf({ from, to }: Node): string {
    return this.#text.slice(from, to);
  }

  #add(node: Node, scope: Scope, target = false): void {
    this.#todo.push({ node, scope, target, caught: this.#caught });
  }

  #bind(node: Node, scope: Scope): void {
    scope.bound.add(this.#textOf(node));
  }

  #visit(node: Node, scope: Scope, target: boolean): void {
    const children = childrenOf(node);
    switch (node.name) {
      case 'FunctionDefinition':
      case 'LambdaExpression':
        return this.#function(node, children, scope);
      case 'ClassDefinition':
        return this.#class(children, scope);
      case 'ArgList':
        return children.some(({ name }) => name === 'for')
          ? this.#comprehension(children, scope)
          : this.#arguments(children, scope);
      case 'ComprehensionExpression':
      case 'ArrayComprehensionExpression':
      case 'DictionaryComprehensionExpression':
      case 'SetComprehensionExpression':
        return this.#comprehension(children, scope);
      case 'NamedExpression':
        return this.#arguments(children, scope);
      case 'AssignStatement':
        return this.#assign(children, scope);
      case 'UpdateStatement':
        if (children[0]?.name === 'VariableName' && children[1]?.name === 'UpdateOp')
          scope.updated.add(this.#textOf(children[0]));
        break;
      case 'ForStatement': {
        const until = children.findIndex(({ name }) => name === 'in');
        return children.forEach((child, index) => this.#add(child, scope, index < until));
      }
      case 'DeleteStatement':
      case 'CapturePattern':
        return children.forEach((child) => this.#add(child, scope, true));
      case 'WithStatement':
      case 'AsPattern':
        return children.forEach((child, index) => this.#add(child, scope, children[index - 1]?.name === 'as'));
      case 'TryStatement':
        return this.#try(children, scope);
      case 'ImportStatement':
        return this.#import(children, scope);
      case 'ScopeStatement':
        return this.#declare(children, scope);
      case 'TypeDefinition':
      case 'TypeParam': {
        // Their right sides are evaluated when somebody asks for them.
        const name = children.find((child) => child.name === 'VariableName');
        return name && this.#bind(name, scope);
      }
      case 'KeywordPattern':
        return children.slice(1).forEach((child) => this.#add(child, scope));
      case 'Decorator':
        return children.forEach((child, index) => {
          if (children[index - 1]?.name !== '.') this.#add(child, scope);
        });
    }
    for (const child of children) this.#add(child, scope, target && TARGETS.has(node.name));
  }

  #annotation(node: Node, scope: Scope): void {
    if (!this.#quotes) this.#add(node, scope);
  }

  #function({ name: kind }: Node, children: readonly Node[], scope: Scope): void {
    let outer = scope;
    if (children.some(({ name }) => name === 'TypeParamList')) outer = new Scope('function', scope);
    const inner = new Scope('function', outer);
    for (const child of children) {
      if (child.name === 'VariableName' && kind === 'FunctionDefinition') this.#bind(child, scope);
      else if (child.name === 'TypeParamList') this.#add(child, outer);
      else if (child.name === 'ParamList') this.#parameters(childrenOf(child), outer, inner);
      else if (child.name === 'TypeDef') this.#annotation(child, outer);
      else this.#add(child, inner);
    }
  }

  #parameters(children: readonly Node[], outer: Scope, inner: Scope): void {
    for (const [index, child] of children.entries()) {
      if (child.name === 'TypeDef') this.#annotation(child, outer);
      else if (child.name !== 'VariableName' || children[index - 1]?.name === 'AssignOp') this.#add(child, outer);
      else this.#bind(child, inner);
    }
  }

  #class(children: readonly Node[], scope: Scope): void {
    let outer = scope;
    if (children.some(({ name }) => name === 'TypeParamList')) outer = new Scope('function', scope);
    for (const child of children) {
      if (child.name === 'VariableName') this.#bind(child, scope);
      else this.#add(child, child.name === 'Body' ? new Scope('class', outer) : outer);
    }
  }

  /** The first iterable is evaluated outside. */
  #comprehension(children: readonly Node[], outer: Scope): void {
    const inner = new Scope('comprehension', outer);
    const first = children.findIndex(({ name }) => name === 'in') + 1;
    let target = false;
    for (const [index, child] of children.entries()) {
      if (child.name === 'for') target = true;
      else if (child.name === 'in') target = false;
      else this.#add(child, index === first ? outer : inner, target);
    }
  }

  /** `name := value` binds, and `name=value` names a parameter. */
  #arguments(children: readonly Node[], scope: Scope): void {
    for (const [index, child] of children.entries()) {
      const next = children[index + 1];
      if (child.name !== 'VariableName' || next?.name !== 'AssignOp') this.#add(child, scope);
      else if (this.#textOf(next) === ':=') this.#bind(child, scope.named);
    }
  }

  #assign(children: readonly Node[], scope: Scope): void {
    const last = children.findLastIndex(({ name }) => name === 'AssignOp');
    for (const [index, child] of children.entries()) {
      // Within a function annotations of variables are not evaluated.
      if (child.name !== 'TypeDef') this.#add(child, scope, last < 0 || index < last);
      else if (scope.kind !== 'function') this.#annotation(child, scope);
    }
  }

  #try(children: readonly Node[], scope: Scope): void {
    const before = this.#caught;
    const catches = children.some(
      (child, index) => children[index - 1]?.name === 'except' && CATCHES.test(this.#textOf(child)),
    );
    for (const [index, child] of children.entries()) {
      const previous = children[index - 1]?.name;
      this.#caught = before || (catches && previous === 'try');
      this.#add(child, scope, child.name === 'VariableName' && previous === 'as');
    }
    this.#caught = before;
  }

  #import(children: readonly Node[], scope: Scope): void {
    const listed = children.slice(children.findLastIndex(({ name }) => name === 'import') + 1);
    for (const [index, child] of listed.entries()) {
      if (child.name === '*') this.isWhole = false;
      if (child.name === 'VariableName' && listed[index - 1]?.name !== '.' && listed[index + 1]?.name !== 'as')
        this.#bind(child, scope);
    }
  }

  /** Others may set what is global. */
  #declare(children: readonly Node[], scope: Scope): void {
    for (const child of children.slice(1)) {
      if (child.name !== 'VariableName') continue;
      scope.declared.add(this.#textOf(child));
      if (children[0]!.name === 'global') this.#bind(child, this.#module);
    }
  }
}

/** Words by which names may be bound unseen. */
const UNSEEN = /^(?:exec|globals|locals|vars|modules|builtins|__builtins__|__dict__|global_enum|_convert_)$/;
/** Names with two underscores, which Python may change or give, `_`, and the function that every program is given. */
const GIVEN = /^_[A-Za-z]*__|^__|^_$|^checkpoint$/;
/** Builtins of Python 2, which programs for both versions name. */
const EARLIER = /^(?:unicode|basestring|long|xrange|unichr|raw_input|cmp)$/;

/** A literal over several lines stands on one. */
const onLine = (token: Token): string =>
  token.kind === 'fstring' ? token.text.replaceAll('\n', ' ') : parseable(token);

/** In the order of their lines, each once. Empty where the text is not Python, or not all of it can be read. */
export const unboundIn = (code: string): readonly Unbound[] => {
  const read = tokenise(code);
  if (read.tokens === null || read.tokens.some(({ kind, text }) => kind === 'name' && UNSEEN.test(text))) return [];
  const text = written(read.tokens, onLine);
  const table = new SymbolTable(text);
  if (!table.isWhole) return [];
  const counter = new LineCounter(text);
  const found = new Map<string, number>();
  const uses = table.uses
    .filter(
      ({ name, scope }) =>
        !(BUILTINS.has(name) || name === PRINT || GIVEN.test(name) || EARLIER.test(name) || scope.sees(name)),
    )
    .sort((a, b) => a.at - b.at);
  for (const { name, at } of uses) if (!found.has(name)) found.set(name, read.lines[counter.lineAt(at)]!.first + 1);
  return [...found].map(([name, line]) => ({ name, line }));
};
