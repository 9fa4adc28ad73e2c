// The `extend` message: which limits can change and what a wrong request is told.
import { ApplicationFailure } from '@temporalio/workflow';
import type { Limits } from '../evolution/config/run-config.ts';
import type { ExtendRequest } from './messages.ts';

const KEYS: readonly (keyof Limits)[] = ['steps', 'programs', 'tokens', 'costUsd', 'wallSeconds', 'targetScore'];
const refuse = (message: string): never => { throw ApplicationFailure.nonRetryable(message, 'BadRequest'); };

/** Refuses a wrong request before it reaches history; the message names the key, what was expected and what came. */
export const validateExtend = (request: ExtendRequest): void => {
  if (typeof request !== 'object' || request === null) refuse(`extend expects one JSON object such as {"steps": 20}, got ${JSON.stringify(request)}`);
  const keys = Object.keys(request).filter((key) => key !== 'add');
  if (keys.length === 0) refuse(`extend: expected at least one of ${KEYS.join(', ')}`);
  for (const key of keys) {
    const value = request[key as keyof Limits];
    if (!KEYS.includes(key as keyof Limits)) refuse(`extend: unknown key "${key}", expected one of ${KEYS.join(', ')} or add`);
    if (typeof value !== 'number' || !Number.isFinite(value) || (key !== 'targetScore' && value <= 0)) {
      refuse(`extend: "${key}" expected a positive number, got ${JSON.stringify(value)}`);
    }
  }
  if (request.add !== undefined && typeof request.add !== 'boolean') refuse(`extend: "add" expected true or false, got ${JSON.stringify(request.add)}`);
};

/** The limits after a request; with `add` a number is added to the present limit (or taken as it is where there was none). */
export const extendedLimits = (limits: Limits, request: ExtendRequest): Partial<Limits> => {
  const { add, ...wanted } = request;
  return Object.fromEntries(Object.entries(wanted).map(([key, value]) =>
    [key, add ? (limits[key as keyof Limits] ?? 0) + value : value]));
};
