// Operators inside one expression: other operators, other names, other callees, operands that grow or shrink.
import { editTokens, type Mutation } from './edit.ts';
import { KEYWORDS, type Token } from './lexer.ts';
import { formatFloat, isNumeric } from './literals.ts';
import type { LogicalLine, Program } from './program.ts';
import type { Random } from './random.ts';

const FAMILIES: readonly (readonly string[])[] = [
  ['+', '-'],
  ['*', '/'],
  ['+', '*'],
  ['-', '/'],
  ['/', '//'],
  ['<', '>', '<=', '>=', '==', '!='],
  ['and', 'or'],
  ['min', 'max'],
  ['+=', '-=', '*='],
  ['True', 'False'],
  ['sum', 'max', 'min'],
];

/** Swaps an arithmetic, comparison or logical operator, or min for max, for another of its family. */
export function swapOperator(program: Program, random: Random): Mutation | null {
  const token = random.pick(program.tokens.filter((candidate) => familiesOf(candidate).length > 0));
  if (token === undefined) return null;
  const text = random.pick(
    familiesOf(token)
      .flat()
      .filter((other) => other !== token.text),
  );
  return text === undefined
    ? null
    : { edits: editTokens(program, [{ token, text }]), words: `replaced ${token.text} by ${text}` };
}

function familiesOf(token: Token): readonly (readonly string[])[] {
  return token.kind === 'string' || token.kind === 'number'
    ? []
    : FAMILIES.filter((family) => family.includes(token.text));
}

/**
 * Puts another name from near by in the place of a name that is read, and a number only in the place of a number, as
 * far as the text tells.
 */
export function swapNames(program: Program, random: Random): Mutation | null {
  const line = random.pick(program.logical.filter((candidate) => readNames(candidate).length > 0));
  if (line === undefined) return null;
  const token = random.pick(readNames(line));
  const near = program.logical.filter((other) => Math.abs(other.first - line.first) <= 12);
  const numbers = new Set(near.flatMap(operands).map((candidate) => candidate.text));
  const alike = near
    .flatMap(readNames)
    .map((candidate) => candidate.text)
    .filter((text) => numbers.has(text) === numbers.has(token?.text ?? ''));
  const other = random.pick([...new Set(alike)].filter((text) => text !== token?.text));
  if (token === undefined || other === undefined) return null;
  return { edits: editTokens(program, [{ token, text: other }]), words: `read ${other} in place of ${token.text}` };
}

/**
 * Names that are neither keywords, callees, attributes, keyword arguments, targets nor parts of a definition or an
 * import.
 */
function readNames(line: LogicalLine): readonly Token[] {
  const { tokens } = line;
  if (['def', 'class', 'import', 'from', 'global', 'nonlocal', '@'].includes(tokens[0]?.text ?? '')) return [];
  const assigned = tokens.findIndex((token) => /^(?:[-+*/%]|\/\/)?=$/.test(token.text));
  return tokens.filter(
    (token, at) =>
      token.kind === 'name' &&
      !KEYWORDS.has(token.text) &&
      at > assigned &&
      tokens[at - 1]?.text !== '.' &&
      tokens[at - 1]?.text !== 'for' &&
      !['(', '=', '.'].includes(tokens[at + 1]?.text ?? ''),
  );
}

/** Calls another attribute that the program already reads from the same base: `base.a(...)` becomes `base.b(...)`. */
export function swapCallee(program: Program, random: Random): Mutation | null {
  const { tokens } = program;
  const attributes = tokens.flatMap((token, at) => {
    const base = tokens[at - 2];
    return token.kind === 'name' && tokens[at - 1]?.text === '.' && base?.kind === 'name'
      ? [{ token, base: base.text }]
      : [];
  });
  const chosen = random.pick(attributes);
  const other = random.pick(attributes.filter((a) => a.base === chosen?.base && a.token.text !== chosen.token.text));
  if (chosen === undefined || other === undefined) return null;
  return {
    edits: editTokens(program, [{ token: chosen.token, text: other.token.text }]),
    words: `used ${other.token.text} in place of ${chosen.token.text}`,
  };
}

/**
 * Grows an operand by a neutral operation with a small disturbance (`x` to `(x * 1.07)`), which later mutations can
 * tune.
 */
export function growOperand(program: Program, random: Random): Mutation | null {
  const line = random.pick(program.logical.filter((candidate) => operands(candidate).length > 0));
  const token = line && random.pick(operands(line));
  if (token === undefined) return null;
  const scale = random.logUniform(0.01, 1),
    step = scale * random.gauss();
  const text = random.chance(0.5)
    ? `(${token.text} * ${formatFloat(Math.exp(step), scale)})`
    : `(${token.text} + ${formatFloat(step, scale)})`;
  return { edits: editTokens(program, [{ token, text }]), words: `replaced ${token.text} by ${text}` };
}

/** Drops an operand with its operator: `a * b` to `a`. */
export function shrinkOperand(program: Program, random: Random): Mutation | null {
  const pairs = program.logical.flatMap(({ tokens }) =>
    tokens.flatMap((token, at) => {
      const sign = tokens[at - 1],
        before = tokens[at - 2],
        after = tokens[at + 1];
      const binary =
        sign !== undefined &&
        /^[-+*/]$/.test(sign.text) &&
        (before?.kind === 'name' || before?.kind === 'number' || before?.text === ')' || before?.text === ']');
      const whole = (token.kind === 'number' || token.kind === 'name') && !['(', '[', '.'].includes(after?.text ?? '');
      return binary && whole && sign.line === token.line ? [{ sign, token }] : [];
    }),
  );
  const pair = random.pick(pairs);
  if (pair === undefined) return null;
  return {
    edits: editTokens(program, [
      { token: pair.sign, text: '' },
      { token: pair.token, text: '' },
    ]),
    words: `dropped ${pair.sign.text} ${pair.token.text}`,
  };
}

/** Changes one argument of a call: exchanges it with its neighbour, or puts a name or literal of the program there. */
export function changeArgument(program: Program, random: Random): Mutation | null {
  const calls = program.logical.flatMap(({ tokens }) =>
    tokens[0]?.text === 'def'
      ? []
      : tokens.flatMap((token, at) =>
          token.text === '(' && tokens[at - 1]?.kind === 'name' && !KEYWORDS.has(tokens[at - 1]?.text ?? '')
            ? [plainArguments(tokens, at)]
            : [],
        ),
  );
  const call = random.pick(calls.filter((list) => list.length > 0));
  const token = call && random.pick(call);
  if (token === undefined) return null;
  const neighbour = random.pick(call?.filter((other) => other !== token && other.text !== token.text) ?? []);
  if (neighbour !== undefined && random.chance(0.5)) {
    return {
      edits: editTokens(program, [
        { token, text: neighbour.text },
        { token: neighbour, text: token.text },
      ]),
      words: `exchanged the arguments ${token.text} and ${neighbour.text}`,
    };
  }
  const pool = (token.kind === 'number' ? program.tokens.filter(isNumeric) : program.logical.flatMap(readNames)).filter(
    (other) => other.text !== token.text,
  );
  const other = random.pick(pool);
  return other === undefined
    ? null
    : {
        edits: editTokens(program, [{ token, text: other.text }]),
        words: `passed ${other.text} in place of ${token.text}`,
      };
}

/** Arguments that are one name or number, positional, of the call that opens at `open`. */
function plainArguments(tokens: readonly Token[], open: number): readonly Token[] {
  const plain: Token[] = [];
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const text = tokens[at]?.text ?? '';
    if ('([{'.includes(text)) depth += 1;
    if (')]}'.includes(text) && (depth -= 1) === 0) break;
    const token = tokens[at + 1],
      after = tokens[at + 2]?.text;
    if (
      depth === 1 &&
      (text === '(' || text === ',') &&
      (token?.kind === 'name' || token?.kind === 'number') &&
      (after === ',' || after === ')')
    )
      plain.push(token);
  }
  return plain;
}

/** Literals, and names beside an arithmetic operator or alone on the right of an assignment: likely numbers. */
function operands(line: LogicalLine): readonly Token[] {
  const { tokens } = line;
  if (['def', 'for', 'class', 'import', 'from', '@'].includes(tokens[0]?.text ?? '')) return [];
  const arithmetic = (token: Token | undefined): boolean =>
    token !== undefined && /^[-+*/]$|^\*\*$|^%$|^\/\/$/.test(token.text);
  const read = new Set(readNames(line));
  return tokens.filter((token, at) => {
    const before = tokens[at - 1],
      after = tokens[at + 1];
    if (isNumeric(token)) return before?.text !== '[' || after?.text !== ']';
    return read.has(token) && after?.text !== '[' && (arithmetic(before) || arithmetic(after));
  });
}
