// Text and numbers for people and for the engine's lists. Nothing here throws: a line that cannot be written would
// fail its workflow's task again and again, so that the run could neither end nor be stopped. Lengths are in bytes of
// UTF-8, because the engine refuses what is longer.
import { inMarkdown, visible } from '../../evolution/visible.ts';

/** The engine takes 400 bytes for a summary; some are left for quotes and escapes. */
const SUMMARY_BYTES = 300;
/** The engine takes 20,000 bytes of details. */
const DETAILS_BYTES = 18_000;
const KEYWORD_BYTES = 200;
const CUT = ' ...';

const bytesOfCharacter = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
const bytesOf = (text: string): number => {
  let bytes = 0;
  for (const character of text) bytes += bytesOfCharacter(character.codePointAt(0) ?? 0);
  return bytes;
};

/** The beginning of a text that fits, with a mark where something is missing. */
export const cut = (text: string, bytes: number): string => {
  let used = 0;
  let kept = 0;
  for (const character of text) {
    used += bytesOfCharacter(character.codePointAt(0) ?? 0);
    if (used > bytes) return `${text.slice(0, kept).toWellFormed()}${CUT}`;
    if (used <= bytes - CUT.length) kept += character.length;
  }
  return text.toWellFormed();
};

/** One line that draws nothing in the engine's UI, whatever a candidate or an endpoint wrote into it. */
export const summary = (text: string): string => {
  const line = visible(text.replaceAll(/\s+/g, ' '));
  const whole = inMarkdown(cut(line, SUMMARY_BYTES));
  // Signs that have to be escaped make it longer, at most twice as long.
  return bytesOf(whole) <= SUMMARY_BYTES + 2 ? whole : inMarkdown(cut(line, SUMMARY_BYTES / 2));
};

/** The lines that fit. Only whole ones: half a line could open what the other half was to close. */
export const details = (lines: readonly string[]): string => {
  let left = DETAILS_BYTES;
  const all = lines.flatMap((text) => text.split('\n'));
  const kept = all.findIndex((line) => (left -= bytesOf(line) + 1) < 0);
  return (kept === -1 ? all : [...all.slice(0, kept), CUT]).join('\n');
};

export const keyword = (text: string): string => cut(visible(text), KEYWORD_BYTES);

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** With ten significant digits. What is too large for a number arrives as null. */
export const digits = (value: unknown): string => (isNumber(value) ? String(Number(value.toPrecision(10))) : 'unknown');
export const dollars = (value: unknown): string => (isNumber(value) ? value.toFixed(4) : 'unknown');

/** A number that the engine can list; 0 where there is none. */
export const listed = (value: unknown): number => (isNumber(value) ? value : 0);
/** The same for whole numbers. */
export const counted = (value: unknown): number =>
  Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, Math.round(listed(value))));

/** The years 1 to 9999, which everybody can write. */
const FIRST_MS = -62_135_596_800_000;
const LAST_MS = 253_402_300_799_999;
/** A time, in milliseconds since the epoch, that the engine can list; null where it is none. */
export const moment = (value: unknown): Date | null =>
  isNumber(value) && value >= FIRST_MS && value <= LAST_MS ? new Date(value) : null;

/** `2026-11-23 02:50:16 UTC`. */
export const utc = (ms: unknown): string => {
  const at = moment(ms);
  return at === null ? 'at a time that is not known' : `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
};
