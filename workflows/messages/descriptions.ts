// Descriptions of queries, and of messages between workflows and to steps, for the lists and forms of the Temporal UI.
// Verbs describe the messages of people to runs and sweeps (people.ts).

const asking = (tells: string): string => `${tells} It takes no body.`;

/** For signals that workflows send each other. */
export const INTERNAL = 'Internal, between workflows: not for people.';

export const RUN_MESSAGES = {
  status: asking('Says how the run stands: its state, its step, what needs attention, and what was asked of it.'),
} as const;

export const STEP_MESSAGES = {
  retry: 'Lets what needs attention in this step try again now. The body may be left out. Example: {}',
  inStep: asking('Counts what this step has done: responses, programs with edits applied, evaluations.'),
} as const;

export const UPDATE_MESSAGES = {
  retry: 'Lets what needs attention in this update try again now. The body may be left out. Example: {}',
  inUpdate: asking('Says what this update is at: its operation, what is trained, and the result once there is one.'),
} as const;

export const SWEEP_MESSAGES = {
  progress: asking('Says how the sweep stands: its state and how many of its runs wait, live and are done.'),
} as const;
