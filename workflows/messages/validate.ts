// Messages are checked before they reach history, and a wrong one is told what is wrong: the key, what was expected and
// what came. What only the settings or the database can tell (ranges, names of models, steps) is checked by the
// activities behind the handlers.
import type { Limits } from '../../evolution/config/run-config.ts';
import type {
  AddModelRequest,
  ExtendRequest,
  PauseRequest,
  RemoveModelRequest,
  RetryRequest,
  RewindRequest,
  SetConfigRequest,
  SteerRequest,
  StopRequest,
} from './messages.ts';
import {
  finite,
  flag,
  mapping,
  oneOf,
  orNull,
  positive,
  refuse,
  requireObject,
  requireShape,
  type Shape,
  shown,
  text,
  whole,
} from './shape.ts';

const LIMITS: readonly (keyof Limits)[] = [
  'steps',
  'programs',
  'tokens',
  'costUsd',
  'wallSeconds',
  'targetScore',
  'noImprovementPrograms',
  'stagnantEpochs',
];

/** The longest program that a message carries; the run's own limit is checked when the program is stored. */
const LONGEST_PROGRAM = 1_500_000;

export const REWIND: Shape = { toStep: { ...whole(0), required: true }, resample: flag };

export const PAUSE: Shape = { mode: oneOf('step', 'now'), reason: text(1_000) };
const STOP: Shape = { ...PAUSE, sweep: text(60) };

/** The body of a signal may be left out. */
export const validatePause = (
  request: PauseRequest | StopRequest | undefined,
  message: 'pause' | 'stop' = 'pause',
): void => requireShape(message, request ?? {}, message === 'stop' ? STOP : PAUSE, '{"mode": "now"}');

export const validateRetry = (request: RetryRequest | undefined): void =>
  requireShape('retry', request ?? {}, { resample: flag }, '{"resample": true}');

export const validateExtend = (request: ExtendRequest): void => {
  const limits = Object.fromEntries(LIMITS.map((key) => [key, orNull(key === 'targetScore' ? finite : positive)]));
  requireShape('extend', request, { ...limits, add: flag }, '{"steps": 20}');
  const given = LIMITS.filter((key) => request[key] !== undefined);
  if (given.length === 0) refuse(`extend: expected at least one of ${LIMITS.join(', ')}`);
  const removed = given.find((key) => request[key] === null);
  if (request.add && removed) refuse(`extend: "${removed}" expected a number to add, got null`);
};

export const validateSetConfig = (request: SetConfigRequest): void =>
  requireShape(
    'setConfig',
    request,
    { patch: { ...mapping, required: true } },
    '{"patch": {"diff": {"maxCodeChars": 20000}}}',
  );

export const validateAddModel = (request: AddModelRequest): void => {
  requireObject('addModel', request, '{"name": "some-model", "weight": 0.5}');
  if (!text(200).holds(request.name))
    refuse(`addModel: "name" expected ${text(200).expected}, got ${shown(request.name)}`);
};

export const validateRemoveModel = (request: RemoveModelRequest): void =>
  requireShape('removeModel', request, { name: { ...text(200), required: true } }, '{"name": "some-model"}');

export const validateSteer = (request: SteerRequest): void => {
  requireShape(
    'steer',
    request,
    { island: whole(0), program: text(LONGEST_PROGRAM), hint: orNull(text(2_000)) },
    '{"hint": "try a hexagonal start", "island": 0}',
  );
  if ((request.program === undefined) === (request.hint === undefined))
    refuse(
      'steer: expected either "program" or "hint" (null removes a hint), with "island" where it is for one island',
    );
};

export const validateRewind = (request: RewindRequest): void =>
  requireShape('rewind', request, REWIND, '{"toStep": 5}');
