// The inputs of workflows are checked, because people can type them into the Temporal UI's forms. A wrong input must end
// its workflow: a task that fails is tried again for ever.
import {
  answeredId,
  callWorkflowId,
  programId,
  runWorkflowId,
  stepWorkflowId,
  trainingWorkflowId,
  updateWorkflowId,
} from '../../evolution/ids.ts';
import { bodyProblems } from '../../evolution/steering/base/check.ts';
import type { Field, Fields } from '../../evolution/steering/base/fields.ts';
import { problemsOf } from '../../evolution/steering/verbs.ts';
import type { Json } from '../../evolution/types.ts';
import { requireInternal } from './internal.ts';
import type { RunInput } from './run-input.ts';
import { refuse } from './refusals.ts';
import type { EvaluatorCall, StepInput } from './step-input.ts';
import type { SweepCarry } from './sweep-input.ts';
import type { UpdateInput } from './update-input.ts';
import { requireMessage } from './people.ts';

const RUN_ID = {
  type: 'text',
  meaning: 'the id of a run',
  needed: true,
  pattern: /^(?!latest$)[a-z0-9-]{1,60}$/,
  expected: '1 to 60 of the characters a-z, 0-9 and -',
} as const satisfies Field;
const SETTINGS = { type: 'settings', meaning: 'a mapping', min: 1 } as const satisfies Field;
const UPDATE_ID = { type: 'text', meaning: 'the update that asked for it' } as const satisfies Field;

const RUN_INPUT: Fields = {
  run: RUN_ID,
  config: SETTINGS,
  taskSnapshot: {
    type: 'text',
    meaning: 'the task as it was kept',
    pattern: /^[0-9a-f]{64}$/,
    expected: 'the SHA-256 of a kept task',
  },
  rewind: SETTINGS,
  extend: SETTINGS,
  patch: SETTINGS,
  fork: SETTINGS,
  sweep: { type: 'text', meaning: 'the sweep that starts the run', max: 60 },
  until: SETTINGS,
  carry: SETTINGS,
  rest: SETTINGS,
};
const FORK: Fields = {
  from: RUN_ID,
  atStep: { type: 'whole', meaning: 'a committed step', needed: true },
  patch: SETTINGS,
};
const UNTIL: Fields = { programs: { type: 'whole', meaning: 'where the run rests', min: 1, needed: true } };

const EXAMPLE = { run: 'demo', config: { task: 'circle-packing-square-26', limits: { steps: 20 } } };

const requireNone = (message: string, problems: readonly string[]): void => {
  if (problems.length > 0) refuse(`${message}: ${problems[0]}`);
};

/** Throws a BadRequest unless a run can begin with it. `marked`: the execution's memo says that the run rests. */
export const validateRunInput = (input: RunInput, workflowId: string, marked = false): void => {
  requireNone('evolutionRun', bodyProblems(RUN_INPUT, input, EXAMPLE));
  const { rewind, extend, fork, until, carry, rest } = input;
  requireOneChange(input);
  if (extend) requireMessage('extend', extend);
  if (fork)
    requireNone('evolutionRun: fork', bodyProblems(FORK, fork, { from: 'demo', atStep: 5, patch: { seed: 2 } }));
  if (rewind) requireNone('evolutionRun: rewind', problemsOf('rewind', rewind, { by: UPDATE_ID }));
  if (until) requireNone('evolutionRun: until', bodyProblems(UNTIL, until, { programs: 64 }));
  if (carry) requireInternal('"carry" of evolutionRun', carry);
  if (rest && !marked)
    refuse('evolutionRun: "rest" is internal. To continue an ended run, start it with {"run": "demo"}');
  if (marked && !rest) refuse(`evolutionRun: ${WORKS_MARKED}`);
  if (rest) requireInternal('"rest" of evolutionRun', rest);
  requireId('evolutionRun', `run "${input.run}"`, runWorkflowId(input.run), workflowId);
};

/** Where two of them stand together, nobody can tell which is meant to come first. */
const requireOneChange = (input: RunInput): void => {
  const changes = (['config', 'rewind', 'extend', 'patch', 'fork'] as const).filter((key) => input[key] !== undefined);
  if (changes.length < 2) return;
  refuse(
    `evolutionRun: expected one of config, rewind, extend, patch and fork, got ${changes.join(' and ')}: send the others as updates once the run is open`,
  );
};

/** An execution with the mark takes no messages, and is deleted once it is not the last one any more. */
const WORKS_MARKED = '"EvoAtRest" of the memo is not for people: leave it out';

/** Throws a BadRequest unless a run, not a person, began the step. */
export const requireStepInput = (input: StepInput, workflowId: string): void => {
  requireInternal('evolutionStep', input);
  requireId('evolutionStep', `step ${input.step}`, stepWorkflowId(input.run, input.step), workflowId);
};

/** Throws a BadRequest unless a worker that evaluates began the call. */
export const requireCallInput = (input: EvaluatorCall, workflowId: string): void => {
  requireInternal('evaluatorCall', input);
  const { run, step, epoch, slot, stage, round } = input;
  const expected = callWorkflowId(run, answeredId(programId(run, step, epoch, slot), stage, round));
  requireId('evaluatorCall', `slot ${slot}`, expected, workflowId);
};

/** Throws a BadRequest unless a run, or the training of a judge, began the update. */
export const requireUpdateInput = (input: UpdateInput, workflowId: string): void => {
  requireInternal('policyUpdate', input);
  const id = input.training === undefined ? updateWorkflowId : trainingWorkflowId;
  requireId('policyUpdate', `step ${input.step}`, id(input.run, input.step), workflowId);
};

/** The sweep file itself is checked by the activity that opens the sweep. Throws a BadRequest. */
export const validateSweepInput = (spec: Json, carry: SweepCarry | undefined, marked = false): void => {
  requireNone('sweep', bodyProblems({}, spec, { name: 'demo', base: { limits: { steps: 20 } }, seeds: [1, 2] }, true));
  if (carry !== undefined) requireInternal('the second input of sweep', carry);
  if (marked && carry?.rest === undefined) refuse(`sweep: ${WORKS_MARKED}`);
  if (!marked && carry?.rest !== undefined)
    refuse('sweep: "rest" is internal. To continue an ended sweep, start it with its own settings');
};

const requireId = (message: string, what: string, expected: string, got: string): void => {
  if (got !== expected)
    refuse(`${message}: ${what} expected the workflow id "${expected}", got "${got.slice(0, 200)}"`);
};
