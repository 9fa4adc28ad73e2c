// Answers in a valid envelope whose text no parser should accept or choke on (`--rate-garbage`). Called by answer.ts.
import type { Random } from './random.ts';

/** The server writes three bytes that are not UTF-8 in its place. */
export const INVALID_BYTES = '\ue0ff(not UTF-8)\ue0ff';

const KINDS: readonly ((answer: string) => string)[] = [
  () => 'I would start by thinking about the structure of the problem. A better program would place things better.',
  (answer) => answer.replaceAll('<<<<<<< SEARCH', '<<<<<< SEARCH').replaceAll('>>>>>>> REPLACE', '>>>>>>> END'),
  (answer) => answer.replaceAll('=======', ''),
  (answer) => answer.slice(0, Math.ceil(answer.length / 2)),
  (answer) => answer.replaceAll('\n', '\r\n'),
  (answer) => `<think>\n${answer}`,
  () => '<<<<<<< SEARCH\nthis line is in no program\n=======\npass\n>>>>>>> REPLACE',
  () => '<<<<<<< SEARCH\n\n=======\nimport os\n>>>>>>> REPLACE',
  () => '# EVOLVE-BLOCK-START\n<<<<<<< SEARCH\n# EVOLVE-BLOCK-START\n=======\n# gone\n>>>>>>> REPLACE',
  () => 'Ответ в другой кодировке: \u00d0\u009e\u00d1\u0082\u00d0\u00b2 \u0000\u0001\u001b[31m \ud800 \ufeff\u202e 程序 🧬',
  (answer) => answer.replace(/[a-z]/g, (letter) => (letter === 'e' ? INVALID_BYTES : letter)),
  (answer) => Buffer.from(answer, 'utf16le').toString('latin1'),
  () => `${'The quick mutation jumps over the lazy program. '.repeat(6400)}\n`,
  (answer) => `${'<<<<<<< SEARCH\n'.repeat(2000)}${answer}`,
];

/** Prose, wrong markers, CRLF, other encodings, lone surrogates, control characters, about 300 KB of text, ... */
export function garbage(answer: string, random: Random): string {
  return random.pick(KINDS)?.(answer) ?? '';
}
