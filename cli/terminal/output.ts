// What commands print (lines for people, JSON for machines), and the numbers that they read from flags.
import { UsageError } from '../../client/errors.ts';
import type { Say } from '../../deploy/host/run-command.ts';
import { folded, widthOf } from './screen.ts';

export const line = (text = ''): void => {
  process.stdout.write(`${text}\n`);
};
/** Prints progress and warnings, apart from the result. */
export const note = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
/** Prints prose, folded where a line is wider than the terminal. */
export const lines = (texts: readonly string[]): void => {
  for (const text of texts.flatMap((one) => folded(one, widthOf(process.stdout)))) line(text);
};
/** Does the same, apart from the result. */
export const notes = (texts: readonly string[]): void => {
  for (const text of texts.flatMap((one) => folded(one, widthOf(process.stderr)))) note(text);
};
export const json = (value: unknown): void => line(JSON.stringify(value, null, 2));
/** Prints one object a line. */
export const jsonLine = (value: unknown): void => line(JSON.stringify(value));

/** Shows a score with 10 significant digits, because three decimals hide all progress near a record. */
export const score = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'none' : String(Number(value.toPrecision(10)));

/** 1234567 -> 1.23 M; a number that is none is unknown. */
export const amount = (value: number): string => {
  if (!Number.isFinite(value)) return 'unknown';
  if (value < 10_000) return String(Math.round(value));
  const [size, unit] = value < 1e6 ? [value / 1e3, 'k'] : value < 1e9 ? [value / 1e6, 'M'] : [value / 1e9, 'G'];
  return `${size < 10 ? size.toFixed(2) : size < 100 ? size.toFixed(1) : size.toFixed(0)} ${unit}`;
};

/** What was counted as infinite comes back from the database as no number. */
export const dollars = (value: number): string =>
  Number.isFinite(value) ? `$${value === 0 ? '0' : value.toFixed(value < 1 ? 4 : 2)}` : 'unknown';

/** Seconds as 0:07, 3:12 or 2:03:59. */
export const clock = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0
    ? `${h}:${String(m).padStart(2, '0')}:${String(s).padStart(2, '0')}`
    : `${m}:${String(s).padStart(2, '0')}`;
};

/** Prints one line for the person who waits: the part in a column, then what was chosen and why. */
export const sayer =
  (print: (text: string) => void): Say =>
  (part, message) =>
    print(`${part.padEnd(10)} ${message}`);

/** A whole number of at least `min`. */
export const wholeFrom = (text: string, flag: string, min: number): number => {
  const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(value >= min))
    throw new UsageError(`${flag}: expected a whole number of at least ${min}, got ${JSON.stringify(text)}`);
  return value;
};

/** A number above 0. */
export const positiveFrom = (text: string, flag: string): number => {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(Number.isFinite(value) && value > 0))
    throw new UsageError(`${flag}: expected a positive number, got ${JSON.stringify(text)}`);
  return value;
};

/** The island of `--island k`, where it was given. */
export const islandFrom = (text: string | undefined): { readonly island?: number } =>
  text === undefined ? {} : { island: wholeFrom(text, '--island', 0) };
