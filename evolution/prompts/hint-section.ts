// What a person asks of the model, as a section of the prompt. Called by the prompts of every method. It stands after all code, and each
// of its lines is quoted: fences, headings and SEARCH markers inside a hint are words, to a model and to the offline model's reader.

/** At least one hint. */
export const hintSection = (hints: readonly string[]): string => [
  '# Hint from a person',
  '',
  `The person who follows this search asks you to take ${hints.length === 1 ? 'this' : 'these'} into account:`,
  '',
  hints.map(quoted).join('\n\n'),
].join('\n');

const quoted = (hint: string): string => hint.trim().split(/\r\n?|\n|\u2028|\u2029/).map((line) => `> ${line}`.trimEnd()).join('\n');
