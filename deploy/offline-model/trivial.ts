// The zero-cost answer of the benches (`--trivial`): a tiny valid edit, different for every (request, choice), that keeps the program's size.
// Called by answer.ts.
import { edited, editTokens } from './mutate/edit.ts';
import type { Edit } from './mutate/edit.ts';
import { writeBlocks } from './mutate/blocks.ts';
import type { Answer } from './mutate/mutate.ts';
import type { Program } from './mutate/program.ts';

const PLAIN_FLOAT = /^\d+\.\d*$/;

/** Changes the first plain float beyond its sixth decimal; a program without one gets a line that holds the number. */
export function trivialChange(program: Program, digest: string): Answer | null {
  const edits = trivialEdits(program, digest);
  const blocks = edits && writeBlocks(program, edits);
  if (edits === null || blocks === null) return null;
  const words = 'changed a number beyond its sixth decimal';
  return { blocks, program: edited(program.lines, edits, 0, program.lines.length).join('\n'), words, parts: [{ operator: 'trivial', words }] };
}

function trivialEdits(program: Program, digest: string): readonly Edit[] | null {
  const unique = String(BigInt(`0x1${digest.slice(0, 13)}`)).padStart(17, '0');
  const token = program.tokens.find((candidate) => candidate.kind === 'number' && PLAIN_FLOAT.test(candidate.text));
  if (token !== undefined) {
    const [whole = '0', decimals = ''] = token.text.split('.');
    return editTokens(program, [{ token, text: `${whole}.${decimals.slice(0, 6).padEnd(6, '0')}${unique}` }]);
  }
  const earlier = program.logical.find((line) => line.tokens[0]?.text === '_unique');
  if (earlier !== undefined) return [{ first: earlier.first, end: earlier.end, lines: [`${earlier.indent}_unique = ${unique}`] }];
  const place = program.statements.find((statement) => !statement.compound && statement.keyword !== 'return');
  return place === undefined ? null : [{ first: place.end, end: place.end, lines: [`${place.indent}_unique = ${unique}`] }];
}
