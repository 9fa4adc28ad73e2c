// Messages of people are checked before they reach history, by the fields of their verbs (evolution/steering). What only
// the settings or the database can tell (ranges, names of models, steps) is checked by the activities behind the handlers.
import { messageProblem } from '../../evolution/steering/verbs.ts';
import { flag, oneOf, refuse, type Shape, text, whole } from './shape.ts';

/** Throws a BadRequest unless the body is right for the message. */
const requireMessage = (message: string, body: unknown): void => {
  const problem = messageProblem(message, 'run', body);
  if (problem !== null) refuse(`${message}: ${problem}`);
};

export const REWIND: Shape = { toStep: { ...whole(0), required: true }, resample: flag };
export const PAUSE: Shape = { mode: oneOf('step', 'now'), reason: text(1_000) };

/** The body of a signal may be left out. */
export const validatePause = (request: unknown, message: 'pause' | 'stop' = 'pause'): void =>
  requireMessage(message, request ?? {});
export const validateRetry = (request: unknown): void => requireMessage('retry', request ?? {});
export const validateExtend = (request: unknown): void => requireMessage('extend', request);
export const validateSetConfig = (request: unknown): void => requireMessage('setConfig', request);
export const validateAddModel = (request: unknown): void => requireMessage('addModel', request);
export const validateRemoveModel = (request: unknown): void => requireMessage('removeModel', request);
export const validateSteer = (request: unknown): void => requireMessage('steer', request);
export const validateRewind = (request: unknown): void => requireMessage('rewind', request);
