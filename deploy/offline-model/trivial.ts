// The zero-cost answer of the benches (`--trivial`): a tiny valid edit, different for every (request, choice), that keeps the program's size.
// Called by answer.ts.
import { editTokens } from './mutate/edit.ts';
import { writeBlocks } from './mutate/blocks.ts';
import type { Program } from './mutate/program.ts';

const PLAIN_FLOAT = /^\d+\.\d*$/;

/** Changes the first plain float beyond its sixth decimal; a program without one gets a line that holds the number. */
export function trivialBlocks(program: Program, digest: string): string | null {
  const unique = String(BigInt(`0x1${digest.slice(0, 13)}`)).padStart(17, '0');
  const token = program.tokens.find((candidate) => candidate.kind === 'number' && PLAIN_FLOAT.test(candidate.text));
  if (token !== undefined) {
    const [whole = '0', decimals = ''] = token.text.split('.');
    return writeBlocks(program, editTokens(program, [{ token, text: `${whole}.${decimals.slice(0, 6).padEnd(6, '0')}${unique}` }]));
  }
  const earlier = program.logical.find((line) => line.tokens[0]?.text === '_unique');
  if (earlier !== undefined) return writeBlocks(program, [{ first: earlier.first, end: earlier.end, lines: [`${earlier.indent}_unique = ${unique}`] }]);
  const place = program.statements.find((statement) => !statement.compound && statement.keyword !== 'return');
  return place === undefined ? null : writeBlocks(program, [{ first: place.end, end: place.end, lines: [`${place.indent}_unique = ${unique}`] }]);
}
