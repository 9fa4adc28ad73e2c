// Finds the delta sections of an answer by their delimiters (DeltaEvolve, section 2, Parser 1 and 2). Called by parse.ts. One pass, linear.

export type SectionKind = 'summary' | 'plan';

/** A line of the answer; of a line that holds text beside a delimiter, a part. */
export type Piece = { readonly text: string; readonly line: number };

/** Pieces `first` to `end - 1`, delimiters included. Without its END a section runs to the next START or to the end of the answer. */
export type Section = { readonly kind: SectionKind; readonly complete: boolean; readonly first: number; readonly end: number };

/** A line that is nothing but a delimiter: any case, `#` or not, `-`, `_` or blanks between the words, Markdown marks around. */
const OWN_LINE = /^[\s>*_`~#=+-]*delta[\s_-]+(summary|plan(?:[\s_-]+details)?)[\s_-]+(start|end)[\s*_`~#=:-]*$/i;

/** Beside other text only the literal form counts, and a START only where a label or an entry follows: prose may speak of delimiters. */
const BESIDE_TEXT = /(#DELTA-(?:SUMMARY|PLAN-DETAILS)-(?:START(?=[ \t]*(?:FROM:|TO:|COMPONENT:|\[Modification))|END))/;

export const piecesOf = (answer: string): readonly Piece[] => {
  const pieces: Piece[] = [];
  for (const [line, text] of answer.split('\n').entries()) {
    if (!text.includes('#DELTA-') || OWN_LINE.test(text)) pieces.push({ text, line });
    else for (const part of text.split(BESIDE_TEXT)) if (part !== '') pieces.push({ text: part, line });
  }
  return pieces;
};

/** In order; no two overlap. */
export const sectionsOf = (pieces: readonly Piece[]): readonly Section[] => {
  const sections: Section[] = [];
  let open: { readonly kind: SectionKind; readonly first: number } | null = null;
  for (const [index, { text }] of pieces.entries()) {
    const delimiter = delimiterOf(text);
    if (delimiter === null || (delimiter.edge === 'end' && open?.kind !== delimiter.kind)) continue;
    if (open !== null) sections.push({ ...open, complete: delimiter.edge === 'end', end: delimiter.edge === 'end' ? index + 1 : index });
    open = delimiter.edge === 'start' ? { kind: delimiter.kind, first: index } : null;
  }
  if (open !== null) sections.push({ ...open, complete: false, end: pieces.length });
  return sections;
};

/** The lines between the delimiters, without their ends. */
export const contentOf = (pieces: readonly Piece[], { first, end }: Section): readonly string[] =>
  pieces.slice(first + 1, end).filter(({ text }) => delimiterOf(text) === null).map(({ text }) => (text.endsWith('\r') ? text.slice(0, -1) : text));

const delimiterOf = (text: string): { readonly kind: SectionKind; readonly edge: 'start' | 'end' } | null => {
  const [, name, edge] = OWN_LINE.exec(text) ?? [];
  if (name === undefined || edge === undefined) return null;
  return { kind: name.toLowerCase() === 'summary' ? 'summary' : 'plan', edge: edge.toLowerCase() === 'start' ? 'start' : 'end' };
};
