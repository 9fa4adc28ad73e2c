// Labels and entry headers at the beginning of a line (DeltaEvolve, section 2, Parser 4 and 5). Called by fields.ts. Linear: every pattern
// is anchored, and no two neighbouring repetitions in it can take the same character.

/** Reads the lines of one kind of section. */
export type LabelReader = {
  /** A line, cut before each further label: only the literal form of a label, after a blank, counts within a line. */
  readonly cut: (line: string) => readonly string[];
  /** The label of a line and what follows it; null: it has none. */
  readonly read: (line: string) => { readonly label: string; readonly value: string } | null;
};

/** `names`: literal labels such as OLD_LOGIC. Read in any case, with blanks, `_` or `-` between words, bold, in a list, a quote or a heading. */
export const labelReader = (names: readonly string[]): LabelReader => {
  const tolerant = names.map((name) => name.replaceAll('_', '[ \\t_-]+')).join('|');
  const atStart = new RegExp(`^[\\s>#+-]*(?:\\d+[.)][ \\t]*)?(?:\\*[ \\t]+)?([*_\`]*)(${tolerant})([*_\`]*)[ \\t]*[:：](.*)$`, 'is');
  const within = new RegExp(`[ \\t](?=\\*{0,2}(?:${names.join('|')}):|\\[Modification \\d)`);
  return {
    cut: (line) => {
      const [first = '', second, ...others] = line.split(within);
      // A list mark or indentation belongs to the label behind it.
      return second !== undefined && LEAD.test(first) ? [`${first} ${second}`, ...others] : second === undefined ? [first] : [first, second, ...others];
    },
    read: (line) => {
      const [, opening, name, closing, value] = atStart.exec(line) ?? [];
      if (name === undefined || value === undefined) return null;
      return { label: name.toUpperCase().replace(/[ \t_-]+/g, '_'), value: opening && !closing ? withoutMark(value, opening) : value };
    },
  };
};

const LEAD = /^[\s>#+*_`-]*(?:\d+[.)])?$/;

/** `[Modification 2]` with anything after it; without brackets only with its number and nothing, or a colon or a dash, after it. */
const HEADER = /^[\s>#*_`+-]*(?:\[\s*modification(?:[\s_#-]*\d+)?\s*\]|modification[\s_#-]*\d+(?=[*_`]*[ \t]*(?:$|[:.)–—-])))[*_`]*[ \t]*[:.)–—-]?(.*)$/is;

/** What follows the header of an entry on its line; null: the line is none. */
export const afterHeader = (line: string): string | null => HEADER.exec(line)?.[1] ?? null;

/** Bold or code that opened before the label ends after its colon (`**TO:** x`) or with the line (`**TO: x**`). */
const withoutMark = (value: string, mark: string): string => {
  const text = value.trim();
  if (text.startsWith(mark)) return text.slice(mark.length);
  return text.endsWith(mark) ? text.slice(0, -mark.length) : text;
};
