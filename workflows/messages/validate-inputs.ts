// What workflows are started with, and what they tell each other, is checked as messages of people are: all of it can
// be typed into the Temporal UI's forms. A wrong input must end its workflow, because a task that fails is tried again
// for ever.
import { runWorkflowId, stepWorkflowId, trainingWorkflowId, updateWorkflowId } from '../../evolution/ids.ts';
import type { Json } from '../../evolution/types.ts';
import type { Report } from '../engine/reports.ts';
import type { WindowReport } from './messages.ts';
import type { RunInput } from './run-input.ts';
import { isObject, shown } from '../../evolution/steering/base/check.ts';
import {
  finite,
  flag,
  having,
  mapping,
  oneOf,
  orNull,
  refuse,
  requireObject,
  requireShape,
  type Shape,
  text,
  whole,
  words,
} from './shape.ts';
import type { StepInput } from './step-input.ts';
import type { UpdateInput } from './update-input.ts';
import { requireMessage } from './people.ts';

const RUN_ID = {
  expected: '1 to 60 of the characters a-z, 0-9 and -',
  holds: (value: unknown) => typeof value === 'string' && /^[a-z0-9-]{1,60}$/.test(value) && value !== 'latest',
  required: true,
};

/** Throws a BadRequest unless a run can begin with it. `marked`: the execution's memo says that the run rests. */
export const validateRunInput = (input: RunInput, workflowId: string, marked = false): void => {
  requireShape(
    'evolutionRun',
    input,
    {
      run: RUN_ID,
      config: mapping,
      taskSnapshot: {
        expected: 'the SHA-256 of a kept task',
        holds: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
      },
      rewind: mapping,
      extend: mapping,
      patch: mapping,
      fork: mapping,
      sweep: text(60),
      until: mapping,
      carry: mapping,
      rest: mapping,
    },
    '{"run": "demo", "config": {"task": "circle-packing-square-26", "limits": {"steps": 20}}}',
  );
  const { rewind, extend, fork, until, carry, rest } = input;
  requireOneChange(input);
  if (extend) requireMessage('extend', extend);
  if (fork)
    requireShape(
      'evolutionRun: fork',
      fork,
      { from: RUN_ID, atStep: { ...whole(0), required: true }, patch: mapping },
      '{"from": "demo", "atStep": 5, "patch": {"seed": 2}}',
    );
  if (rewind)
    requireShape(
      'evolutionRun: rewind',
      rewind,
      { toStep: { ...whole(0), required: true }, resample: flag, by: text(1_000) },
      '{"toStep": 5}',
    );
  if (until)
    requireShape('evolutionRun: until', until, { programs: { ...whole(1), required: true } }, '{"programs": 64}');
  if (carry)
    requireShape(
      'evolutionRun: carry',
      carry,
      { paused: PAUSED, evaluationMs: orNull(finite), from: text(200), ...TOLD },
      '{"paused": null}',
      // A version that a person went back to does not know what a newer one carries over.
      'ignored',
    );
  if (rest && !marked)
    refuse('evolutionRun: "rest" is not for people: a run that has ended goes on with {"run": "demo"} alone');
  if (marked && !rest) refuse(`evolutionRun: ${WORKS_MARKED}`);
  if (rest) requireShape('evolutionRun: rest', rest, REST, '{"status": "finished", "reason": "steps"}', 'ignored');
  requireId('evolutionRun', `run "${input.run}"`, runWorkflowId(input.run), workflowId);
};

/** What has the mark takes no messages, and is deleted once it is not the last one any more. */
const WORKS_MARKED = '"EvoAtRest" of the memo is not for people: leave it out';

const TOLD: Shape = { brief: orNull(mapping), hidden: orNull(mapping), lastError: orNull(mapping) };
const REST: Shape = {
  status: { ...oneOf('finished', 'stopped', 'terminated'), required: true },
  reason: { ...words(2_000), required: true },
  ...TOLD,
  files: orNull(mapping),
  unwritten: flag,
};

/** Where two of them stand together, nobody can tell which is meant to come first. */
const requireOneChange = (input: RunInput): void => {
  const given = (['config', 'rewind', 'extend', 'patch', 'fork'] as const).filter((key) => input[key] !== undefined);
  if (given.length < 2) return;
  refuse(
    `evolutionRun: expected one of config, rewind, extend, patch and fork, got ${given.join(' and ')}: send the others as updates once the run is open`,
  );
};

const PAUSED = orNull(having({ mode: oneOf('step', 'now'), reason: text(1_000) }));

const ABOUT = having({
  task: { ...words(1_000), required: true },
  method: { ...words(1_000), required: true },
  model: { ...words(10_000), required: true },
  seed: { ...finite, required: true },
});

/** Throws a BadRequest unless a run, not a person, can have begun a step with it. */
export const validateStepInput = (input: StepInput, workflowId: string): void => {
  requireShape(
    'evolutionStep, which only a run starts,',
    input,
    {
      run: RUN_ID,
      step: { ...whole(0), required: true },
      owner: { ...text(200), required: true },
      batching: {
        ...having({ size: { ...whole(1), required: true }, inFlight: { ...whole(1), required: true } }),
        required: true,
      },
      budget: orNull(
        having({
          tokens: orNull(finite),
          costUsd: orNull(finite),
          perResponse: orNull(having({ tokens: orNull(finite), costUsd: orNull(finite) })),
        }),
      ),
      window: orNull(having({ steps: orNull(finite), programs: orNull(finite) })),
      continues: orNull(whole(0)),
      about: { ...ABOUT, required: true },
    },
    '{"run": "demo", "step": 3, "owner": "the id of the run\'s execution", "batching": {"size": 4, "inFlight": 32}}',
    'ignored',
  );
  requireId('evolutionStep', `step ${input.step}`, stepWorkflowId(input.run, input.step), workflowId);
};

/** Throws a BadRequest unless a run, not a person, can have begun an update of its policy with it. */
export const validateUpdateInput = (input: UpdateInput, workflowId: string): void => {
  requireShape(
    'policyUpdate, which only a run starts,',
    input,
    {
      run: RUN_ID,
      step: { ...whole(0), required: true },
      owner: { ...text(200), required: true },
      trainer: { ...words(1_000), required: true },
      policy: orNull(text(200)),
      about: { ...ABOUT, required: true },
      training: mapping,
    },
    '{"run": "demo", "step": 3, "owner": "the id of the run\'s execution", "trainer": "reference"}',
    'ignored',
  );
  const id = input.training === undefined ? updateWorkflowId : trainingWorkflowId;
  requireId('policyUpdate', `step ${input.step}`, id(input.run, input.step), workflowId);
};

/** The sweep file itself is checked by the activity that opens the sweep. Throws a BadRequest. */
export const validateSweepInput = (spec: Json, carry: unknown, marked = false): void => {
  requireObject('sweep', spec, '{"name": "demo", "base": {"limits": {"steps": 20}}, "seeds": [1, 2]}');
  if (carry !== undefined)
    requireShape(
      'sweep: the state that it carries over',
      carry,
      {
        startedAtMs: { ...whole(0), required: true },
        paused: PAUSED,
        schedule: text(1_000),
        joined: flag,
        started: flag,
        from: text(200),
        rest: mapping,
      },
      '{"startedAtMs": 0, "paused": null}',
      'ignored',
    );
  const rest = (carry as { readonly rest?: unknown } | undefined)?.rest;
  if (marked && rest === undefined) refuse(`sweep: ${WORKS_MARKED}`);
  if (rest === undefined) return;
  if (!marked) refuse('sweep: "rest" is not for people: a sweep that has ended goes on with its own settings alone');
  requireShape(
    'sweep: rest',
    rest,
    { status: { ...oneOf('finished', 'stopped', 'terminated'), required: true }, reason: orNull(words(2_000)) },
    '{"status": "finished", "reason": null}',
    'ignored',
  );
};

const requireId = (message: string, what: string, expected: string, got: string): void => {
  if (got !== expected)
    refuse(`${message}: ${what} expected the workflow id "${expected}", got "${got.slice(0, 200)}"`);
};

const TIME: Shape[string] = {
  expected: 'a time such as 2026-11-23T02:50:16.000Z',
  holds: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
};
const PARKED_PHASE = having({
  since: { ...TIME, required: true },
  tries: { ...whole(1), required: true },
  next: { ...orNull(TIME), required: true },
  trying: { ...flag, required: true },
});

const NOT_FOR_PEOPLE = 'it is a message between workflows';

const validateReport =
  (message: string) =>
  (report: Report): void =>
    requireShape(
      message,
      report,
      {
        step: { ...whole(0), required: true },
        attention: { ...orNull(words(2_000)), required: true },
        parked: orNull(PARKED_PHASE),
      },
      `{"step": 3, "attention": null}; ${NOT_FOR_PEOPLE}`,
      'ignored',
    );
export const validateStepReport = validateReport('stepReport');
export const validateUpdateReport = validateReport('updateReport');

/** What is not known is null: numbers that are too large become so on their way. */
const AMOUNT = { ...orNull(finite), required: true };
const SUMMARY: Shape = {
  step: { ...whole(0), required: true },
  totals: {
    ...having({
      programs: AMOUNT,
      valid: AMOUNT,
      sinceBest: AMOUNT,
      costUsd: AMOUNT,
      failures: { expected: 'a mapping', holds: isObject, required: true },
      tokens: { ...having({ in: AMOUNT, out: AMOUNT }), required: true },
    }),
    required: true,
  },
  paid: { ...having({ programs: AMOUNT, tokens: AMOUNT, costUsd: AMOUNT }), required: true },
  best: {
    ...orNull(having({ program: { ...text(200), required: true }, score: AMOUNT, strictScore: orNull(finite) })),
    required: true,
  },
  beatsHuman: flag,
  committedAtMs: finite,
};

export const validateWindowReport = (report: WindowReport): void => {
  requireShape(
    'windowReport',
    report,
    {
      step: { ...whole(0), required: true },
      last: { ...whole(0), required: true },
      summary: { ...orNull(having(SUMMARY)), required: true },
      next: orNull(whole(1)),
    },
    `{"step": 3, "last": 5, "summary": null}; ${NOT_FOR_PEOPLE}`,
    'ignored',
  );
  const { summary, last, step } = report;
  if (summary !== null && (summary.step < step || summary.step > last))
    refuse(`windowReport: the committed step expected ${step} to ${last}, got ${shown(summary.step)}`);
};
