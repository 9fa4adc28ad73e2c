// Checks what is sent against the fields of a verb. Every check is total, because what comes may be anything, and says
// in one short line what is wrong: the key, what was expected and what came.
import type { Field } from './fields.ts';

/** A mapping as JSON has it; neither a list, nor bytes, nor an object of a class with a name of its own. */
const isObject = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === '[object Object]';

const LONGEST = 1_000;
const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const holds = (field: Field, value: unknown): boolean => {
  const { type, min = 0, max, positive, options, pattern } = field;
  switch (type) {
    case 'text':
    case 'long-text':
      return (
        typeof value === 'string' &&
        value.trim() !== '' &&
        value.length <= (max ?? LONGEST) &&
        pattern?.test(value) !== false
      );
    case 'whole':
      return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= (max ?? Infinity);
    case 'number':
      return finite(value) && (positive !== true || value > 0);
    case 'flag':
      return typeof value === 'boolean';
    case 'choice':
      return typeof value === 'string' && Object.hasOwn(options!, value);
    case 'settings':
      return isObject(value) && Object.keys(value).length >= min;
  }
};

const expected = ({ type, min = 0, max, positive, options, expected: words }: Field): string => {
  const texts = () => words ?? `a text of 1 to ${max ?? LONGEST} characters`;
  return {
    text: texts,
    'long-text': texts,
    whole: () => (max === undefined ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`),
    number: () => (positive ? 'a positive number' : 'a number'),
    flag: () => 'true or false',
    choice: () =>
      Object.keys(options!)
        .map((option) => JSON.stringify(option))
        .join(' or '),
    settings: () => 'a mapping of settings',
  }[type]();
};

/** What was expected of one value; null where it is right. */
export const expectedOf = (field: Field, value: unknown): string | null =>
  (value === null && field.orNull) || holds(field, value) ? null : expected(field);
