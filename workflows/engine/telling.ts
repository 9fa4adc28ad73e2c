// Text and numbers for people and for the engine's lists. Nothing here throws: a line that cannot be written would
// fail its workflow's task again and again, so that the run could neither end nor be stopped. Lengths are in bytes of
// UTF-8, because the engine refuses what is longer.

/** The engine takes 400 bytes for a summary; some are left for quotes and escapes. */
const SUMMARY_BYTES = 300;
/** The engine takes 20,000 bytes of details. */
const DETAILS_BYTES = 18_000;
const KEYWORD_BYTES = 200;
const CUT = ' ...';

/** The beginning of a text that fits, with a mark where something is missing. */
export const cut = (text: string, bytes: number): string => {
  let used = 0;
  let kept = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    used += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (used > bytes) return `${text.slice(0, kept).toWellFormed()}${CUT}`;
    if (used <= bytes - CUT.length) kept += character.length;
  }
  return text.toWellFormed();
};

export const summary = (text: string): string => cut(text.replaceAll(/\s+/g, ' '), SUMMARY_BYTES);
export const details = (lines: readonly string[]): string => cut(lines.join('\n'), DETAILS_BYTES);
export const keyword = (text: string): string => cut(text, KEYWORD_BYTES);

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** With ten significant digits. What is too large for a number arrives as null. */
export const digits = (value: unknown): string => (isNumber(value) ? String(Number(value.toPrecision(10))) : 'unknown');
export const dollars = (value: unknown): string => (isNumber(value) ? value.toFixed(4) : 'unknown');

/** A number that the engine can list; 0 where there is none. */
export const listed = (value: unknown): number => (isNumber(value) ? value : 0);
/** The same for whole numbers. */
export const counted = (value: unknown): number =>
  Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, Math.round(listed(value))));
