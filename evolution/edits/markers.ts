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

/** Signs of a marker, perhaps indented, quoted, escaped or bold, with or without a word, and nothing else. */
const SIGNS = /^[\s>*_`#\\-]*([<>])\1{4,}(\s*(SEARCH|REPLACE|HEAD|ORIGINAL|UPDATED))?[\s:*_`]*$/i;
/** The same with a word, perhaps behind a tag or a fence. */
const WITH_WORD = /^(?:<\/?\w+>|`{3,}\w*\s)?[\s>*_`#\\-]*[<>]{4,}\s*(SEARCH|REPLACE)\b/i;
/** Markers of other systems, a divider that is escaped, and the number of a line that some of them ask for. */
const OTHERS = /^(?:[-+]{5,9} (?:SEARCH|REPLACE)>?|\\={5,9}|:(?:start|end)_line:.*)\s*$/;
const LONGEST = 100;
/** Lines without it are no markers, and most lines of an answer have none. */
const HINT = /([<>=+-])\1{3}|(?:&[lg]t;){4}|[\uff1c\uff1e]{4}|_line:/;

/** A line that somebody may have meant as a marker, and that is none. */
export const isAlmostMarker = (line: string): boolean => {
  if (line.length > LONGEST || !HINT.test(line) || isBlockMarker(line)) return false;
  const plain = looks(line);
  return WITH_WORD.test(plain) || SIGNS.test(plain) || OTHERS.test(plain);
};

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", '#39': "'" };

/** A line as a reader sees it: without what has no width, with plain blanks, quotation marks and dashes. */
export const looks = (line: string): string =>
  line
    .normalize('NFKC')
    .replaceAll(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, '')
    .replaceAll(/[\u2018-\u201b\u2032]/g, "'")
    .replaceAll(/[\u201c-\u201f\u2033]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/&(lt|gt|amp|quot|apos|#39);/g, (_, name: string) => ENTITIES[name]!)
    .replaceAll('\t', ' '.repeat(8))
    .replaceAll(/\s/g, ' ')
    .trimEnd();
