// Shapes of inputs: keys, kinds, length and depth. Every check is total, because any value may come, and a refusal is one
// short line: the key, the expected and the given value.
import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { rootOf } from '../../evolution/root-cause.ts';
import { isObject, shown, tooMuch } from '../../evolution/steering/base/check.ts';
import { cut } from '../engine/telling.ts';

type Check = { readonly expected: string; readonly holds: (value: unknown) => boolean };
export type Shape = { readonly [key: string]: Check & { readonly required?: boolean } };

export const refuse = (message: string): never => {
  throw ApplicationFailure.nonRetryable(message.toWellFormed(), 'BadRequest');
};

const LONGEST_REFUSAL = 4_000;

/** A refusal of an activity fails the update, or the start, with the activity's own words, and changes nothing. */
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

/** Throws a BadRequest where the value is too large or too deep to be handed on. */
const requireModest = (message: string, value: unknown): void => {
  const problem = tooMuch(value);
  if (problem !== null) refuse(`${message} expects ${problem}`);
};

const SHOWN_KEY = 60;

export const requireObject = (message: string, request: unknown, example: string): Record<string, unknown> => {
  if (!isObject(request)) return refuse(`${message} expects one JSON object such as ${example}, got ${shown(request)}`);
  requireModest(message, request);
  return request;
};

/** Throws a BadRequest unless the request has this shape, and no other keys. */
export const requireShape = (message: string, given: unknown, shape: Shape, example: string): void => {
  const request = requireObject(message, given, example);
  for (const key of Object.keys(request)) {
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
export const flag: Check = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
export const mapping: Check = {
  expected: 'a mapping of settings',
  holds: (value) => isObject(value) && Object.keys(value).length > 0,
};
