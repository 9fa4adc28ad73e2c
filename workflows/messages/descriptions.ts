// What each message does, with an example of its body. The Temporal UI shows it beside the forms in which people write
// messages, and its lists of signals, updates and queries.

const described = (does: string, example: object): string => `${does} Example: ${JSON.stringify(example)}`;
const asking = (tells: string): string => `${tells} It takes no body.`;

/** For signals that workflows send each other. */
export const INTERNAL = 'Internal, between workflows: not for people.';

export const RUN_MESSAGES = {
  pause: described(
    'Pauses the run when the present step is done. With "mode": "now" the step is interrupted, and what is finished is kept. The body may be left out.',
    { mode: 'step', reason: 'I look at the results first' },
  ),
  resume: described('Lets a paused run go on. The body may be left out.', {}),
  stop: described(
    'Ends the run when the present step is done, or at once with "mode": "now". Nothing is lost: the run goes on when its workflow is started again. The body may be left out.',
    { mode: 'now', reason: 'the score is good enough' },
  ),
  retry: described(
    'Lets what needs attention try again now. With "resample": true the model is asked afresh for the parked step, which costs again. The body may be left out.',
    { resample: false },
  ),
  extend: described(
    'Sets new limits. With "add": true the numbers are added to the present limits, and null removes a limit.',
    { steps: 20, add: true },
  ),
  setConfig: described(
    'Changes settings, from the next step on. "patch" holds them as a configuration file does. Settings that hold for the life of a run are refused.',
    { patch: { diff: { maxCodeChars: 20_000 } } },
  ),
  addModel: described(
    'Adds a model, to which a part of the requests goes, by its weight. What is left out is as in the first model.',
    { name: 'some-model', weight: 0.5 },
  ),
  removeModel: described('Removes a model. The last one stays.', { name: 'some-model' }),
  steer: described(
    'Puts a hint into the prompts of one island, or of all where none is named; "hint": null removes it. With "program" in the place of "hint" it puts a program into the island, as a candidate of the next step.',
    { hint: 'try a hexagonal start', island: 0 },
  ),
  rewind: described(
    'Does step "toStep" and all later ones again. The old ones are kept, marked as superseded. With "resample": true the model is asked afresh for them, which costs again.',
    { toStep: 5 },
  ),
  status: asking('Says how the run stands: its state, its step, what needs attention, and what was asked of it.'),
} as const;

export const STEP_MESSAGES = {
  retry: described('Lets what needs attention in this step try again now. The body may be left out.', {}),
  inStep: asking('Counts what this step has done: responses, programs with edits applied, evaluations.'),
} as const;

export const UPDATE_MESSAGES = {
  retry: described('Lets what needs attention in this update try again now. The body may be left out.', {}),
  inUpdate: asking('Says what this update is at: its operation, what is trained, and the result once there is one.'),
} as const;

export const SWEEP_MESSAGES = {
  pause: described(
    'Pauses the runs of the sweep that are alive, each when its present step is done or at once with "mode": "now". No further run begins. The body may be left out.',
    { mode: 'step', reason: 'I look at the results first' },
  ),
  resume: described('Lets a paused sweep and its runs go on. The body may be left out.', {}),
  stop: described(
    'Ends the sweep and its runs, each when its present step is done or at once with "mode": "now". The sweep goes on when it is started again. The body may be left out.',
    { mode: 'now', reason: 'one configuration is clearly the best' },
  ),
  progress: asking('Says how the sweep stands: its state and how many of its runs wait, live and are done.'),
} as const;
