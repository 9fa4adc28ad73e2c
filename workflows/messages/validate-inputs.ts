// The inputs of workflows are checked, because people can type them into the Temporal UI's forms. A wrong input must end
// its workflow: a task that fails is tried again for ever.
import { runWorkflowId, stepWorkflowId, trainingWorkflowId, updateWorkflowId } from '../../evolution/ids.ts';
import type { Json } from '../../evolution/types.ts';
import { requireInternal } from './internal.ts';
import type { RunInput } from './run-input.ts';
import { flag, mapping, refuse, requireObject, requireShape, text, whole } from './shape.ts';
import type { StepInput } from './step-input.ts';
import type { SweepCarry } from './sweep-input.ts';
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
  if (carry) requireInternal('"carry" of evolutionRun', carry);
  if (rest && !marked)
    refuse('evolutionRun: "rest" is internal. To continue an ended run, start it with {"run": "demo"}');
  if (marked && !rest) refuse(`evolutionRun: ${WORKS_MARKED}`);
  if (rest) requireInternal('"rest" of evolutionRun', rest);
  requireId('evolutionRun', `run "${input.run}"`, runWorkflowId(input.run), workflowId);
};

/** An execution with the mark takes no messages, and is deleted once it is not the last one any more. */
const WORKS_MARKED = '"EvoAtRest" of the memo is not for people: leave it out';

/** Where two of them stand together, nobody can tell which is meant to come first. */
const requireOneChange = (input: RunInput): void => {
  const given = (['config', 'rewind', 'extend', 'patch', 'fork'] as const).filter((key) => input[key] !== undefined);
  if (given.length < 2) return;
  refuse(
    `evolutionRun: expected one of config, rewind, extend, patch and fork, got ${given.join(' and ')}: send the others as updates once the run is open`,
  );
};

/** Throws a BadRequest unless a run, not a person, began the step. */
export const requireStepInput = (input: StepInput, workflowId: string): void => {
  requireInternal('evolutionStep', input);
  requireId('evolutionStep', `step ${input.step}`, stepWorkflowId(input.run, input.step), workflowId);
};

/** Throws a BadRequest unless a run, or the training of a judge, began the update. */
export const requireUpdateInput = (input: UpdateInput, workflowId: string): void => {
  requireInternal('policyUpdate', input);
  const id = input.training === undefined ? updateWorkflowId : trainingWorkflowId;
  requireId('policyUpdate', `step ${input.step}`, id(input.run, input.step), workflowId);
};

/** The sweep file itself is checked by the activity that opens the sweep. Throws a BadRequest. */
export const validateSweepInput = (spec: Json, carry: SweepCarry | undefined, marked = false): void => {
  requireObject('sweep', spec, '{"name": "demo", "base": {"limits": {"steps": 20}}, "seeds": [1, 2]}');
  if (carry !== undefined) requireInternal('the second input of sweep', carry);
  if (marked && carry?.rest === undefined) refuse(`sweep: ${WORKS_MARKED}`);
  if (!marked && carry?.rest !== undefined)
    refuse('sweep: "rest" is internal. To continue an ended sweep, start it with its own settings');
};

const requireId = (message: string, what: string, expected: string, got: string): void => {
  if (got !== expected)
    refuse(`${message}: ${what} expected the workflow id "${expected}", got "${got.slice(0, 200)}"`);
};
