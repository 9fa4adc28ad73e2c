// Changes of numeric literals, which do most of the work of the offline model. Floats move on scales from 1 % to 100 %,
// integers in small steps.
import { editTokens, type Mutation, type TokenEdit } from './edit.ts';
import type { Token } from './lexer.ts';
import type { Program } from './program.ts';
import { type Random, weightedIndex } from './random.ts';

const INTEGER = /^\d[\d_]*$/;
const FLOAT = /^(?:\d[\d_]*)?\.?[\d_]*(?:[eE][+-]?\d+)?$/;

/** Decimal literals only: hexadecimal and imaginary ones are left alone. */
export function isNumeric(token: Token): boolean {
  return token.kind === 'number' && FLOAT.test(token.text);
}

/** Weights of one, two or three literals that move, and the share in which all literals of one value move together. */
const LITERAL_COUNTS = [0.5, 0.3, 0.2];
const TOGETHER = 0.4;

/** One to three literals, each on its own; or every occurrence of one value, together. */
export function perturbLiterals(program: Program, random: Random): Mutation | null {
  const literals = program.tokens.filter(isNumeric);
  const weights = literalWeights(program, literals);
  const draw = (): Token | undefined => literals[weightedIndex(random, weights)];
  const first = draw();
  if (first === undefined) return null;
  if (random.chance(TOGETHER))
    return perturbTogether(
      program,
      literals.filter((token) => token.text === first.text),
      random,
    );
  const count = 1 + weightedIndex(random, LITERAL_COUNTS);
  const chosen = new Set([first, ...Array.from({ length: count - 1 }, () => draw() ?? first)]);
  const changes = [...chosen].map((token) => ({ token, text: perturbed(token.text, literals, random) }));
  return describe(program, changes);
}

/**
 * Floats are parameters; integers are more often counts, and behind a bracket mostly positions, where a change breaks
 * the program.
 */
function literalWeights(program: Program, literals: readonly Token[]): readonly number[] {
  const positions = new Set(
    program.logical.flatMap(({ tokens }) =>
      tokens.filter(
        (token, at) =>
          tokens[at - 1]?.text === '[' &&
          tokens[at + 1]?.text === ']' &&
          (tokens[at - 2]?.kind === 'name' || tokens[at - 2]?.text === ']'),
      ),
    ),
  );
  return literals.map((token) => (!INTEGER.test(token.text) ? 5 : positions.has(token) ? 0.2 : 1));
}

function perturbTogether(program: Program, literals: readonly Token[], random: Random): Mutation | null {
  const text = perturbed(literals[0]?.text ?? '0', literals, random);
  return describe(
    program,
    literals.map((token) => ({ token, text })),
  );
}

/** Exchanges the values of two literals. */
export function swapLiterals(program: Program, random: Random): Mutation | null {
  const literals = program.tokens.filter(isNumeric);
  const a = random.pick(literals);
  const b = random.pick(literals.filter((token) => token.text !== a?.text));
  if (a === undefined || b === undefined) return null;
  return {
    edits: editTokens(program, [
      { token: a, text: b.text },
      { token: b, text: a.text },
    ]),
    words: `swapped ${a.text} and ${b.text}`,
  };
}

function describe(program: Program, changes: readonly TokenEdit[]): Mutation | null {
  const real = changes.filter(({ token, text }) => token.text !== text);
  if (real.length === 0) return null;
  return {
    edits: editTokens(program, real),
    words: real
      .slice(0, 3)
      .map(({ token, text }) => `changed ${token.text} to ${text}`)
      .join(', '),
  };
}

export function perturbed(text: string, others: readonly Token[], random: Random): string {
  return INTEGER.test(text) ? perturbedInteger(text, others, random) : perturbedFloat(text, random);
}

function perturbedInteger(text: string, others: readonly Token[], random: Random): string {
  const value = Number(text.replaceAll('_', ''));
  const sign = random.chance(0.5) ? 1 : -1;
  const half = Math.max(1, Math.round(value / 2));
  switch (weightedIndex(random, [0.5, 0.2, 0.15, 0.1, 0.05])) {
    case 0:
      return String(Math.max(0, value + sign));
    case 1:
      return String(Math.max(0, value + 2 * sign));
    case 2:
      return String(Math.max(0, value + sign * half));
    case 3:
      return random.pick(others.filter((token) => INTEGER.test(token.text)))?.text ?? text;
    default:
      return perturbedFloat(String(value), random);
  }
}

/** Scales lie between this and 1, the larger ones drawn more often: the logarithm has a rising triangular density. */
const SMALLEST_SCALE = 0.01;

function perturbedFloat(text: string, random: Random): string {
  const value = Number(text.replaceAll('_', ''));
  const scale = SMALLEST_SCALE ** (1 - Math.sqrt(random.next()));
  const moved = random.chance(0.6)
    ? value * Math.exp(scale * random.gauss())
    : value + scale * random.gauss() * (random.chance(0.5) ? 1 : Math.abs(value) || 1);
  return formatFloat(moved, scale);
}

/** As many digits as the step needs: two beyond its leading one. */
export function formatFloat(value: number, scale: number): string {
  const digits = Math.min(8, Math.max(2, Math.ceil(-Math.log10(scale)) + 2));
  const short = Number(value.toPrecision(digits));
  const text = String(short);
  return Number.isInteger(short) && !text.includes('e') ? `${text}.0` : text;
}
