// What a message may look like: which keys, of which kind, how long and how deep. Every check is total, because what
// comes may be anything, and is told in one short line: the key, what was expected and what came.
import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { rootOf } from '../../evolution/root-cause.ts';
import { cut } from '../engine/telling.ts';
import { Unreadable } from './unreadable.ts';

type Check = { readonly expected: string; readonly holds: (value: unknown) => boolean };
export type Shape = { readonly [key: string]: Check & { readonly required?: boolean } };

export const refuse = (message: string): never => {
  throw ApplicationFailure.nonRetryable(message.toWellFormed(), 'BadRequest');
};

const LONGEST_REFUSAL = 4_000;

/** What an activity refuses fails the update, or the start, with the activity's own words, and changes nothing. */
export const refusable = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (isCancellation(error)) throw error;
    const root = rootOf(error);
    throw ApplicationFailure.nonRetryable(
      cut(root.message, LONGEST_REFUSAL),
      root instanceof ApplicationFailure && root.type ? root.type : 'Failed',
    );
  }
};

/** A mapping as JSON has it; neither a list, nor bytes, nor what could not be read. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === '[object Object]' && !(value instanceof Unreadable);

const SHOWN = 120;
const SHOWN_KEY = 60;
const SHOWN_DEPTH = 3;
const SHOWN_ENTRIES = 8;

/** A value in a message for people, as JSON and cut; whatever it is, and however large or deep. */
export const shown = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value instanceof Unreadable) return `content that cannot be read (${value.unreadable})`;
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

/**
 * What a message may weigh as JSON: the engine ends a workflow that hands more than 2 MiB on to an activity, and
 * beside the message the activity is told other things.
 */
const LARGEST_BYTES = 1_600_000;
/** Settings are at most four levels deep; a deep nesting overflows the stack of whoever walks it. */
const DEEPEST = 40;

/** Null, or why the value is too large or too deep. Its cost is linear in the value. */
const tooMuch = (value: unknown): string | null => {
  let bytes = 0;
  const left: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value: one, depth } = next;
    if (depth > DEEPEST) return `values nested at most ${DEEPEST} levels deep, got more`;
    if (typeof one === 'string') bytes += textBytes(one);
    else if (Array.isArray(one)) for (const item of one) left.push({ value: item, depth: depth + 1 });
    else if (isObject(one))
      for (const key of Object.keys(one)) {
        bytes += textBytes(key) + 1;
        left.push({ value: one[key], depth: depth + 1 });
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

/** Throws a BadRequest where the value is too large or too deep to be handed on. */
export const requireModest = (message: string, value: unknown): void => {
  const problem = tooMuch(value);
  if (problem !== null) refuse(`${message} expects ${problem}`);
};

export const requireObject = (message: string, request: unknown, example: string): Record<string, unknown> => {
  if (!isObject(request)) return refuse(`${message} expects one JSON object such as ${example}, got ${shown(request)}`);
  requireModest(message, request);
  return request;
};

/**
 * Throws a BadRequest unless the request has this shape. `others` are keys beside those of the shape: refused, except
 * in messages between workflows, which a newer version may have given further ones.
 */
export const requireShape = (
  message: string,
  given: unknown,
  shape: Shape,
  example: string,
  others: 'refused' | 'ignored' = 'refused',
): void => {
  const request = requireObject(message, given, example);
  for (const key of others === 'refused' ? Object.keys(request) : []) {
    if (!Object.hasOwn(shape, key))
      refuse(
        `${message}: unknown key "${key.slice(0, SHOWN_KEY)}", expected ${Object.keys(shape).join(', ')}; for example ${example}`,
      );
  }
  for (const [key, check] of Object.entries(shape)) {
    const value = Object.hasOwn(request, key) ? request[key] : undefined;
    if (value === undefined ? check.required : !check.holds(value))
      refuse(`${message}: "${key}" expected ${check.expected}, got ${shown(value)}`);
  }
};

export const whole = (min: number): Check => ({
  expected: `a whole number of at least ${min}`,
  holds: (value) => Number.isSafeInteger(value) && (value as number) >= min,
});
export const text = (longest: number): Check => ({
  expected: `a text of 1 to ${longest} characters`,
  holds: (value) => typeof value === 'string' && value.length <= longest && value.trim() !== '',
});
/** A text that may be empty. */
export const words = (longest: number): Check => ({
  expected: `a text of at most ${longest} characters`,
  holds: (value) => typeof value === 'string' && value.length <= longest,
});
export const oneOf = (...values: string[]): Check => ({
  expected: values.map((value) => JSON.stringify(value)).join(' or '),
  holds: (value) => values.includes(value as string),
});
export const flag: Check = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
export const mapping: Check = {
  expected: 'a mapping of settings',
  holds: (value) => isObject(value) && Object.keys(value).length > 0,
};
export const orNull = (check: Check): Check => ({
  expected: `${check.expected}, or null`,
  holds: (value) => value === null || check.holds(value),
});
export const finite: Check = {
  expected: 'a number',
  holds: (value) => typeof value === 'number' && Number.isFinite(value),
};
export const positive: Check = {
  expected: 'a positive number',
  holds: (value) => finite.holds(value) && (value as number) > 0,
};
/** A mapping of this shape, further keys left alone. */
export const having = (shape: Shape): Check => ({
  expected: `an object with ${Object.keys(shape).join(', ')}`,
  holds: (value) =>
    isObject(value) &&
    Object.entries(shape).every(([key, check]) =>
      value[key] === undefined ? check.required !== true : check.holds(value[key]),
    ),
});
