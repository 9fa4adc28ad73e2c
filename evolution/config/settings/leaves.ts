// Each leaf of the settings' schema carries one phrase that says what is expected; the error message adds what came.
import { z } from 'zod';

export const whole = (min: number, max: number) => {
  const error =
    max === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
  return z.number({ error }).int(error).min(min, error).max(max, error);
};
export const real = (min: number, max: number) => {
  const error = `a number from ${min} to ${max}`;
  return z.number({ error }).min(min, error).max(max, error);
};
export const above = (min: number, max: number) => {
  const error = `a number above ${min}, at most ${max}`;
  return z.number({ error }).gt(min, error).max(max, error);
};
export const finite = () => z.number({ error: 'a number' });
export const flag = () => z.boolean({ error: 'true or false' });
export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, { error: `one of ${values.join(', ')}` });
export const text = (expected: string, pattern: RegExp) => z.string({ error: expected }).regex(pattern, expected);
export const orNull = <T extends z.ZodType>(schema: T) => schema.nullable();
export const ANY = Number.MAX_SAFE_INTEGER;
/** A password or a key in an address would be shown wherever the address is, so an address has no place for one. */
export const endpointUrl = () =>
  text(
    'an http(s) URL without user name, password, ? and #, e.g. http://127.0.0.1:8000/v1 (keys belong into OPENAI_API_KEY)',
    /^https?:\/\/[^\s/@?#\\]+(\/[^\s@?#\\]*)?$/,
  ).refine(isUrl, 'an http(s) URL whose host can be, with a port from 1 to 65535 where it has one');
const isUrl = (value: string): boolean => URL.canParse(value) && new URL(value).port !== '0';

/** A name without control characters and without white space at its ends. */
export const modelName = () => text('a model name', /^[^\s\p{Cc}]([^\p{Cc}]{0,198}[^\s\p{Cc}])?$/u);
