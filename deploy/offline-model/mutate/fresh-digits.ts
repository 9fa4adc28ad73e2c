// Programs that grow: one with the line `# next` in its open region gets one more line above it, as tasks/toy-digits
// asks for. The line is a copy of the last one that has digits, with other digits. The line `# next` is the same in
// every program, so a small policy can learn such blocks from these answers alone.
import { writeBlocks } from './blocks.ts';
import { edited } from './edit.ts';
import type { Answer } from './mutate.ts';
import type { Program } from './program.ts';
import type { Random } from './random.ts';

const NEXT = '# next';
/** An assignment of a text of digits to a name without digits. */
const ROW = /^\s*[A-Za-z_]+ = (?:"\d+"|'\d+')\s*$/;

/**
 * Each digit is uniform. The answer has no words, which would be most of what a small policy has to write. Null where the
 * program has no such line, or no digits above it.
 */
export function freshDigits(program: Program, random: Random): Answer | null {
  const { lines, first, end } = program;
  const at = lines.findIndex((line, index) => index >= first && index < end && line.trim() === NEXT);
  const row = lines.slice(first, Math.max(first, at)).findLast((line) => ROW.test(line));
  if (row === undefined) return null;
  const edits = [
    { first: at, end: at + 1, lines: [row.replaceAll(/\d/g, () => String(random.below(10))), lines[at]!] },
  ];
  const blocks = writeBlocks(program, edits);
  if (blocks === null) return null;
  const words = 'wrote the last row of digits once more, with others';
  return {
    blocks,
    program: edited(lines, edits, 0, lines.length).join('\n'),
    words,
    parts: [{ operator: 'fresh digits', words }],
  };
}
