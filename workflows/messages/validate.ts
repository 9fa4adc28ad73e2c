// Messages are checked before they reach history, and a wrong one is told what is wrong: the key, what was expected and
// what came. What only the settings or the database can tell (ranges, names of models, steps) is checked by the
// activities behind the handlers.
import { ApplicationFailure } from '@temporalio/workflow';
import type { Limits } from '../../evolution/config/run-config.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
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
import type { RunInput } from './run-input.ts';

type Check = { readonly expected: string; readonly holds: (value: unknown) => boolean };
type Shape = { readonly [key: string]: Check & { readonly required?: boolean } };

const LIMITS: readonly (keyof Limits)[] = [
  'steps',
  'programs',
  'tokens',
  'costUsd',
  'wallSeconds',
  'targetScore',
  'noImprovementPrograms',
];

export const refuse = (message: string): never => {
  throw ApplicationFailure.nonRetryable(message, 'BadRequest');
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 120));

const whole = (min: number): Check => ({
  expected: `a whole number of at least ${min}`,
  holds: (value) => Number.isInteger(value) && (value as number) >= min,
});
const text = (longest: number): Check => ({
  expected: `a text of 1 to ${longest} characters`,
  holds: (value) => typeof value === 'string' && value.trim() !== '' && value.length <= longest,
});
const oneOf = (...values: string[]): Check => ({
  expected: values.map((value) => JSON.stringify(value)).join(' or '),
  holds: (value) => values.includes(value as string),
});
const flag: Check = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
const mapping: Check = {
  expected: 'a mapping of settings',
  holds: (value) => isObject(value) && Object.keys(value).length > 0,
};
const orNull = (check: Check): Check => ({
  expected: `${check.expected}, or null`,
  holds: (value) => value === null || check.holds(value),
});
const limit = (positive: boolean): Check =>
  orNull({
    expected: positive ? 'a positive number' : 'a number',
    holds: (value) => typeof value === 'number' && Number.isFinite(value) && (!positive || value > 0),
  });

const requireShape = (message: string, request: unknown, shape: Shape, example: string): void => {
  if (!isObject(request)) return refuse(`${message} expects one JSON object such as ${example}, got ${shown(request)}`);
  for (const key of Object.keys(request)) {
    if (!Object.hasOwn(shape, key))
      refuse(`${message}: unknown key "${key}", expected ${Object.keys(shape).join(', ')}; for example ${example}`);
  }
  for (const [key, check] of Object.entries(shape)) {
    if (request[key] === undefined ? check.required : !check.holds(request[key])) {
      refuse(`${message}: "${key}" expected ${check.expected}, got ${shown(request[key])}`);
    }
  }
};

/** The longest program that a message carries; the run's own limit is checked when the program is stored. */
const LONGEST_PROGRAM = 1_500_000;

const REWIND: Shape = { toStep: { ...whole(1), required: true }, resample: flag };

/** The body of a signal may be left out. */
export const validatePause = (
  request: PauseRequest | StopRequest | undefined,
  message: 'pause' | 'stop' = 'pause',
): void => requireShape(message, request ?? {}, { mode: oneOf('step', 'now'), reason: text(1_000) }, '{"mode": "now"}');

export const validateRetry = (request: RetryRequest | undefined): void =>
  requireShape('retry', request ?? {}, { resample: flag }, '{"resample": true}');

/**
 * Checks what was typed into the UI's Start Workflow form. Its mistakes must end the workflow instead of failing its
 * first task for ever.
 */
export const validateRunInput = (input: RunInput, workflowId: string): void => {
  const example = '{"run": "demo", "config": {"task": "circle-packing-square-26", "limits": {"steps": 20}}}';
  requireShape(
    'evolutionRun',
    input,
    {
      run: {
        expected: '1 to 60 of the characters a-z, 0-9 and -',
        holds: (value) => typeof value === 'string' && /^[a-z0-9-]{1,60}$/.test(value) && value !== 'latest',
        required: true,
      },
      config: mapping,
      taskSnapshot: {
        expected: 'the SHA-256 of a kept task',
        holds: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
      },
      rewind: mapping,
      until: mapping,
      carry: mapping,
    },
    example,
  );
  if (input.rewind) requireShape('evolutionRun: rewind', input.rewind, { ...REWIND, by: text(1_000) }, '{"toStep": 5}');
  if (input.until)
    requireShape('evolutionRun: until', input.until, { programs: { ...whole(1), required: true } }, '{"programs": 64}');
  if (workflowId !== runWorkflowId(input.run))
    refuse(
      `evolutionRun: run "${input.run}" expected the workflow id "${runWorkflowId(input.run)}", got "${workflowId}"`,
    );
};

export const validateExtend = (request: ExtendRequest): void => {
  const limits = Object.fromEntries(LIMITS.map((key) => [key, limit(key !== 'targetScore')]));
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
  if (!isObject(request))
    return refuse(
      `addModel expects one JSON object such as {"name": "some-model", "weight": 0.5}, got ${shown(request)}`,
    );
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
