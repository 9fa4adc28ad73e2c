// How much of a text from outside is read. Honest answers stay far below these numbers; what is longer is refused, or
// is cut where a mark can say so, before any other work is done on it.
export const TEXT_LIMITS = {
  /** Characters of an answer without its reasoning. */
  answerChars: 1_000_000,
  /** SEARCH/REPLACE blocks of an answer. */
  blocks: 1000,
  /** Lines of one side of a block. */
  blockLines: 100_000,
  /**
   * Steps of searching for the blocks of an answer. A block takes one for each line of the program (each character,
   * where `diff.match` is substring) and one for each of its own.
   */
  searchSteps: 20_000_000,
  /** Characters of an idea. */
  ideaChars: 100_000,
  /** Characters of a prompt that a model has edited. */
  promptChars: 200_000,
  /** Characters of one field of a delta; a longer one is cut and says so. */
  deltaFieldChars: 20_000,
  /** Modifications of a delta's plan; further ones are left out, and the last one says so. */
  modifications: 200,
} as const;

/** Why a text is refused for its length; null where it is not. `what` names it, as in "the answer". */
export const tooLong = (what: string, text: string, most: number): string | null =>
  text.length <= most ? null : `${what} has ${text.length} characters, expected at most ${most}`;
