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
const URL_EXPECTED =
  'an http(s) URL without user name, password and query, with a port up to 65535 where it has one, e.g. http://127.0.0.1:8000/v1';
/** A query or a user name may hold a key, which belongs into the environment. */
export const url = () => text(URL_EXPECTED, /^https?:\/\/[^\s/@?#]+(\/[^\s@?#]*)?$/).refine(isUrl, URL_EXPECTED);
const isUrl = (value: string): boolean => URL.canParse(value) && new URL(value).port !== '0';

/** A name without control characters and without white space at its ends. */
export const modelName = () => text('a model name', /^[^\s\p{Cc}]([^\p{Cc}]{0,198}[^\s\p{Cc}])?$/u);
