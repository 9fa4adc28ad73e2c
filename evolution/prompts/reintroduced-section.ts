// Lines of the current program that an ancestor had deleted and that came back, as a section of the prompt. Called by the prompts of every
// method. Each line is quoted: fences, headings and SEARCH markers among them are words, to a model and to the offline model's reader.

const MOST_LINES = 20;
const MOST_CHARACTERS = 200;

/** At least one line; the first 20 different ones are named, of each the first 200 characters. */
export const reintroducedSection = (lines: readonly string[]): string => {
  const different = [...new Set(lines)];
  const more = different.length - MOST_LINES;
  return [
    '# Lines that came back',
    '',
    `An earlier edit had deleted ${different.length === 1 ? 'this line; it is' : 'these lines; they are'} in the program again:`,
    '',
    different.slice(0, MOST_LINES).map(quoted).join('\n'),
    ...(more > 0 ? ['', `And ${more} more.`] : []),
    '',
    'What they do has been tried and given up once. Keep them only where you have a reason to, and look for something that was not tried yet.',
  ].join('\n');
};

/** Indentation stays. What ends a line for some reader of the prompt, within a line of code, becomes a space. */
const quoted = (line: string): string => `> ${cut(line.replace(/[\r\n\u2028\u2029]/g, ' '))}`.trimEnd();

/** Never within a pair of surrogates. */
const cut = (line: string): string => (line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')} ...`);
