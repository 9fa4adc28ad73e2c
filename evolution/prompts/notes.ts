// Notes of a model on the newest programs, with recommendations for later prompts (ShinkaEvolve, arXiv 2509.19349,
// meta-scratchpad, in one request).
import type { Card } from './conversation.ts';
import { cutTo } from '../edits/limits.ts';
import { fenced, fitTokens } from './parts/sections.ts';
import { ShownCode } from './parts/shown-code.ts';
import { joined, type Statement } from './parts/statement.ts';

export type NotesPrompt = {
  readonly stated: Statement;
  /** The newest programs as cards, the newest first. */
  readonly programs: readonly Card[];
  /** The card of the best program; null where nothing is valid. */
  readonly best: Card | null;
  /** The notes before; null for the first ones. */
  readonly earlier: string | null;
  readonly maxTokens: number | null;
};

const SYSTEM =
  'You look through the programs that a search has made, and write notes for those who write the next ones. You rely on results that you are shown, not on guesses.';

const WANTED = `# What to write

Answer with two sections in Markdown:

1. \`# Insights\`: what made programs better, what made them worse, what makes the best program good, each with the program and the number that show it. Keep what still holds of the earlier notes.
2. \`# Recommendations\`: a numbered list of at most five directions for the next programs, of two or three sentences each. Each is specific, can be carried out in one change, rests on an insight, and differs from the others. The evaluation is not to be changed.`;

/** Beyond the limit the oldest programs are left out. */
export const buildNotesPrompt = ({ stated, programs, best, earlier, maxTokens }: NotesPrompt) =>
  fitTokens(programs, maxTokens, (shown) => {
    const codes = new ShownCode(null);
    return {
      system: SYSTEM,
      user: [
        joined(stated.problem, stated.advice).trim(),
        '# Newest programs',
        ...shown
          .toReversed()
          .map(
            (card, index) => `## Program ${index + 1}\n\n${card((code) => codes.show(code, `Program ${index + 1}`))}`,
          ),
        ...(best === null ? [] : [`# Best program\n\n${best((code) => codes.show(code, 'the best program'))}`]),
        ...(earlier === null ? [] : [`# Earlier notes\n\n${fenced(earlier, 'text')}`]),
        WANTED,
      ].join('\n\n'),
    };
  });

const MOST = 10;
const MOST_CHARACTERS = 2_000;

/** The entries of the last numbered list below a heading that names recommendations; empty where there is none. */
export const recommendationsIn = (notes: string): readonly string[] => {
  const lines = notes.split(/\r?\n/);
  const start = lines.findLastIndex((line) => /^[#*\s]*recommendations\b/i.test(line));
  const entries: string[] = [];
  for (const line of start < 0 ? [] : lines.slice(start + 1)) {
    const entry = /^\s{0,3}\d{1,2}[.)]\s+(\S.*)$/.exec(line)?.[1];
    if (entry !== undefined) entries.push(entry);
    else if (entries.length > 0 && line.trim() !== '') entries.push(`${entries.pop()!}\n${line.trim()}`);
  }
  return entries.slice(0, MOST).map((entry) => cutTo(entry.trim(), MOST_CHARACTERS));
};
