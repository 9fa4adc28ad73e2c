// Numbers on the command line. Errors name the flag, what was expected and what came.
import { UsageError } from './library/errors.ts';

/** A whole number of at least `min`. */
export const wholeFrom = (text: string, flag: string, min: number): number => {
  const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(value >= min)) throw new UsageError(`${flag}: expected a whole number of at least ${min}, got ${JSON.stringify(text)}`);
  return value;
};

/** A number above 0. */
export const positiveFrom = (text: string, flag: string): number => {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(Number.isFinite(value) && value > 0)) throw new UsageError(`${flag}: expected a positive number, got ${JSON.stringify(text)}`);
  return value;
};

/** The island of `--island k`, where it was given. */
export const islandFrom = (text: string | undefined): { readonly island?: number } => (text === undefined ? {} : { island: wholeFrom(text, '--island', 0) });
