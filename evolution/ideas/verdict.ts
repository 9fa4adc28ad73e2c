// The score in a reward model's answer (AlphaResearch, section 2, Gate; section 3, several boxes). Called where a response of the judge role
// is read, and where an exported line is checked.

/** What an answer without a valid box amounts to. */
export const UNPARSED = -1;

/** The highest score; the lowest is 0. */
export const HIGHEST_SCORE = 10;

const BOX = /\\boxed\s*\{([^{}]*)\}/g;
const SCORE = /^(\d+(\.\d+)?|\.\d+)$/;

/** 0 .. 10, of the last box that holds one (digits, decimals, blanks around them); else -1. `answer`: without the reasoning (readAnswer). */
export const parseVerdict = (answer: string): number => {
  const scores = [...answer.matchAll(BOX)].map(([, inside = '']) => inside.trim())
    .filter((inside) => SCORE.test(inside)).map(Number).filter((score) => score <= HIGHEST_SCORE);
  return scores.at(-1) ?? UNPARSED;
};
