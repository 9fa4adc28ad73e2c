// The judge of near-duplicates (ShinkaEvolve, arXiv 2509.19349, rejection sampling by novelty).
import { fencedProgram } from './parts/sections.ts';

const SYSTEM = `You review programs and decide whether two of them differ in a way that matters. These differences matter: another algorithm or strategy, other data structures or control flow, new capabilities or optimisations, other ways to the same end whose results may differ, other parameters whose results may differ. These do not: names, format, comments, and restructuring that leaves the logic as it is.

The first word of your answer is NOVEL where the programs differ in a way that matters, else NOT_NOVEL. A short reason follows.`;

export const buildNoveltyPrompt = (existing: string, proposed: string) => ({
  system: SYSTEM,
  user: [
    '# Existing program',
    fencedProgram(existing),
    '# Proposed program',
    fencedProgram(proposed),
    '# Question',
    'Do these programs differ in a way that matters? Answer NOVEL or NOT_NOVEL, and say why.',
  ].join('\n\n'),
});

/** An answer that does not begin with the word is a no (ShinkaEvolve 0.0.7). */
export const isNovel = (answer: string): boolean => /^[\s*"'`#]*NOVEL\b/i.test(answer.slice(0, 100));
