// A part of an address that is a whole number.
import { UsageError } from '../../client/errors.ts';

export const wholeNumber = (text: string, what: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`expected ${what} as a whole number, got ${JSON.stringify(text.slice(0, 40))}`);
  return Number(text);
};
