// Checks bodies against the fields of a verb. Checks are total, because anything may come, and say in a line the key,
// the expectation and the value.
import { didYouMean } from '../../config/nearest.ts';
import type { Field, Fields } from './fields.ts';

/** A mapping as JSON has it; neither a list, nor bytes, nor an object of a class with a name of its own. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === '[object Object]';

const SHOWN = 120;
const SHOWN_KEY = 60;
const SHOWN_DEPTH = 3;
const SHOWN_ENTRIES = 8;

/** A value in a message for people, as JSON and cut; whatever it is, and however large or deep. */
export const shown = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes that are no JSON`;
  return rendered(value, SHOWN_DEPTH).slice(0, SHOWN);
};

const rendered = (value: unknown, depth: number): string => {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN));
  if (Array.isArray(value))
    return depth === 0
      ? '[...]'
      : `[${value
          .slice(0, SHOWN_ENTRIES)
          .map((one) => rendered(one, depth - 1))
          .join(',')}${value.length > SHOWN_ENTRIES ? ',...' : ''}]`;
  if (!isObject(value)) return String(value);
  if (depth === 0) return '{...}';
  const keys = Object.keys(value);
  const entries = keys
    .slice(0, SHOWN_ENTRIES)
    .map((key) => `${JSON.stringify(key.slice(0, SHOWN_KEY))}:${rendered(value[key], depth - 1)}`);
  return `{${entries.join(',')}${keys.length > SHOWN_ENTRIES ? ',...' : ''}}`;
};

/** The most bytes of a message as JSON. The engine ends a workflow that hands on more than 2 MiB. */
const LARGEST_BYTES = 1_600_000;
/** Settings are at most four levels deep; a deep nesting overflows the stack of whoever walks it. */
const DEEPEST = 40;

/** Null, or why the value is too large or too deep. Its cost is linear in the value. */
export const tooMuch = (value: unknown): string | null => {
  let bytes = 0;
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: one, depth } = next;
    if (depth > DEEPEST) return `values nested at most ${DEEPEST} levels deep, got more`;
    if (typeof one === 'string') bytes += textBytes(one);
    else if (Array.isArray(one)) for (const item of one) pending.push({ value: item, depth: depth + 1 });
    else if (isObject(one))
      for (const key of Object.keys(one)) {
        bytes += textBytes(key) + 1;
        pending.push({ value: one[key], depth: depth + 1 });
      }
    bytes += 8;
    if (bytes > LARGEST_BYTES) return `at most ${LARGEST_BYTES} bytes, got more`;
  }
  return null;
};

/** The bytes of a text as JSON in UTF-8, with its quotes; ends soon where it is too long anyway. */
const textBytes = (text: string): number => {
  if (text.length > LARGEST_BYTES) return text.length;
  let bytes = 2;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0xd800 && code < 0xe000)) bytes += 6;
    else if (code === 0x22 || code === 0x5c) bytes += 2;
    else bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
  }
  return bytes;
};

const LONGEST = 1_000;
const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const holds = (field: Field, value: unknown): boolean => {
  const { type, min = 0, max = Infinity, positive, options, pattern } = field;
  switch (type) {
    case 'text':
    case 'long-text':
      return (
        typeof value === 'string' &&
        value.trim() !== '' &&
        value.length <= (field.max ?? LONGEST) &&
        pattern?.test(value) !== false
      );
    case 'whole':
      return Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
    case 'number':
      return finite(value) && (positive !== true || value > 0) && value >= (field.min ?? -Infinity) && value <= max;
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
    number: () =>
      positive ? 'a positive number' : max === undefined && min === 0 ? 'a number' : `a number from ${min} to ${max}`,
    flag: () => 'true or false',
    choice: () =>
      Object.keys(options!)
        .map((option) => JSON.stringify(option))
        .join(' or '),
    settings: () => 'a mapping of settings',
  }[type]();
};

/** The expected value, in words; null where it is right. */
export const expectedOf = (field: Field, value: unknown): string | null =>
  (value === null && field.orNull) || holds(field, value) ? null : expected(field);

const fieldProblem = (name: string, field: Field, value: unknown): string | null => {
  const expectation = value === undefined && !field.needed ? null : expectedOf(field, value);
  return expectation === null
    ? null
    : `"${name}" expected ${expectation}${field.orNull ? ', or null' : ''}, got ${shown(value)}`;
};

/** A sentence for each mistake. `open`: keys beside the fields are let through. */
export const bodyProblems = (fields: Fields, body: unknown, example: object, open = false): readonly string[] => {
  const such = JSON.stringify(example);
  if (!isObject(body)) return [`expected one JSON object such as ${such}, got ${shown(body)}`];
  const much = tooMuch(body);
  if (much !== null) return [`expected ${much}`];
  const names = Object.keys(fields);
  const unknown = open ? [] : Object.keys(body).filter((key) => !Object.hasOwn(fields, key));
  return [
    ...unknown.map((key) => {
      const short = key.slice(0, SHOWN_KEY);
      const near = didYouMean(short, names);
      return `unknown key "${short}", expected ${names.join(', ') || 'none'}; for example ${such}${near === '' ? '' : `.${near}`}`;
    }),
    ...Object.entries(fields).flatMap(
      ([name, field]) => fieldProblem(name, field, Object.hasOwn(body, name) ? body[name] : undefined) ?? [],
    ),
  ];
};
