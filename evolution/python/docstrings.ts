// Takes docstrings out of a token stream: plain strings that begin a module, class or function.
import type { Token } from './lexical.ts';

/** Stands where a body held nothing but its docstring, so that the body does not vanish. */
const EMPTY_BODY: Token = { kind: 'string', text: '""' };

export const withoutDocstrings = (tokens: readonly Token[]): readonly Token[] => {
  const kept: Token[] = [];
  let at = afterDocstring(tokens, 0)?.next ?? 0;
  while (at < tokens.length) {
    const body = isHeader(tokens[at]!) ? bodyStart(tokens, at) : -1;
    if (body < 0) {
      kept.push(tokens[at++]!);
      continue;
    }
    const block = tokens[body]?.kind === 'newline' && tokens[body + 1]?.kind === 'indent';
    const first = block ? body + 2 : body;
    for (; at < first; at++) kept.push(tokens[at]!);
    const docstring = afterDocstring(tokens, first);
    if (!docstring) continue;
    const alone = docstring.endsLine && (!block || tokens[docstring.next]?.kind === 'dedent');
    if (alone) kept.push(EMPTY_BODY, tokens[docstring.next - 1]!);
    at = docstring.next;
  }
  return kept;
};

/** `def` and `class` are reserved words, so wherever they stand a header begins. */
const isHeader = ({ text }: Token): boolean => text === 'def' || text === 'class';

/** The index after the colon of a header, or -1. The next header ends the search, which is so linear. */
const bodyStart = (tokens: readonly Token[], header: number): number => {
  let depth = 0;
  let lambdas = 0;
  for (let at = header + 1; at < tokens.length; at++) {
    const { kind, text } = tokens[at]!;
    if (kind === 'newline' || isHeader(tokens[at]!)) return -1;
    if (kind === 'name' && text === 'lambda' && depth === 0) lambdas++;
    if (kind !== 'op') continue;
    if (text === '(' || text === '[' || text === '{') depth++;
    else if (text === ')' || text === ']' || text === '}') depth--;
    else if (text === ':' && depth === 0 && lambdas-- === 0) return at + 1;
  }
  return -1;
};

type After = { readonly next: number; readonly endsLine: boolean };

/** The place after a docstring, or null where there is none. */
const afterDocstring = (tokens: readonly Token[], start: number): After | null => {
  let at = start;
  let depth = 0;
  while (isOp(tokens[at], '(')) {
    at++;
    depth++;
  }
  const first = at;
  while (tokens[at]?.kind === 'string' && !/^[^'"]*b/i.test(tokens[at]!.text)) at++;
  if (at === first) return null;
  for (; depth > 0; depth--) if (!isOp(tokens[at++], ')')) return null;
  const semicolon = isOp(tokens[at], ';');
  if (semicolon) at++;
  if (tokens[at]?.kind === 'newline') return { next: at + 1, endsLine: true };
  return semicolon ? { next: at, endsLine: false } : null;
};

const isOp = (token: Token | undefined, text: string): boolean => token?.kind === 'op' && token.text === text;
