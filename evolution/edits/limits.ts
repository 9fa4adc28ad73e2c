// The most that is read of a text from outside. Longer ones are refused with both numbers, before any other work.
export const TEXT_LIMITS = {
  /** Characters of an answer without its reasoning. */
  answerChars: 1_000_000,
  /** SEARCH/REPLACE blocks of an answer. */
  blocks: 1000,
  /** Lines of one side of a block. */
  blockLines: 100_000,
  /** Steps of searching for all blocks: for each, the lines (with substring: characters) of the program and its own. */
  searchSteps: 20_000_000,
  /** Blocks of an answer of which is kept why they were not applied, or not for certain. */
  blockNotes: 20,
  /** Characters of a field of a delta, and the modifications of one. */
  deltaFieldChars: 10_000,
  modifications: 100,
  /** Characters of an idea. */
  ideaChars: 100_000,
  /** Characters of a prompt that a model has edited. */
  promptChars: 200_000,
} as const;

/** The text, or its beginning with a mark that says so. A pair of surrogates is never cut apart. */
export const cutTo = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}... [cut]`;

/** The first notes on the blocks of an answer, and the number of the others. */
export const keptNotes = <T extends { readonly block: number; readonly reason: string }>(
  notes: readonly T[],
): readonly (T | { readonly block: number; readonly reason: string })[] => {
  const others = notes.slice(TEXT_LIMITS.blockNotes);
  if (others.length === 0) return notes;
  const reason = `${others[0]!.reason} (of ${others.length - 1} further blocks nothing is kept)`;
  return others.length === 1 ? notes : [...notes.slice(0, TEXT_LIMITS.blockNotes), { block: others[0]!.block, reason }];
};

/** Why a text is refused for its length; null where it is not. `what` names it, as in "the answer". */
export const tooLong = (what: string, text: string, most: number): string | null =>
  text.length <= most ? null : `${what} has ${text.length} characters, expected at most ${most}`;
