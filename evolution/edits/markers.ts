// The three markers of a SEARCH/REPLACE block, and lines that look like one.

export type Marker = 'SEARCH' | 'DIVIDER' | 'REPLACE';

const EXACT: Readonly<Record<Marker, RegExp>> = {
  SEARCH: /^<<<<<<< SEARCH\s*$/,
  DIVIDER: /^=======\s*$/,
  REPLACE: /^>>>>>>> REPLACE\s*$/,
};

/** True for a line that is the marker; without one, for a line that is any of the three. */
export const isBlockMarker = (line: string, marker?: Marker): boolean =>
  marker === undefined ? Object.values(EXACT).some((exact) => exact.test(line)) : EXACT[marker].test(line);

/** Signs of a marker, perhaps indented, quoted or bold, with or without a word, and nothing else. */
const SIGNS = /^[\s>*_`#-]*([<>])\1{4,}(\s*(SEARCH|REPLACE|HEAD|ORIGINAL|UPDATED))?[\s:*_`]*$/i;
const WITH_WORD = /^[\s>*_`#-]*[<>]{4,}\s*(SEARCH|REPLACE)\b/i;
const LONGEST = 100;

/** A line that somebody may have meant as a marker, and that is none. */
export const isAlmostMarker = (line: string): boolean =>
  line.length <= LONGEST && !isBlockMarker(line) && (WITH_WORD.test(line) || SIGNS.test(line));
