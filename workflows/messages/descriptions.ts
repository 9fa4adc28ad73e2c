// What each message does, with an example of its body. The Temporal UI shows it beside the forms in which people write
// messages, and its lists of signals, updates and queries.
import { descriptionOf } from '../../evolution/steering/verbs.ts';

const asking = (tells: string): string => `${tells} It takes no body.`;

/** For signals that workflows send each other. */
export const INTERNAL = 'Internal, between workflows: not for people.';

/** Of the messages that verbs are, by name. */
const described = <M extends string>(of: 'run' | 'sweep', ...messages: readonly M[]) =>
  Object.fromEntries(messages.map((message) => [message, descriptionOf(message, of)])) as {
    readonly [message in M]: string;
  };

export const RUN_MESSAGES = {
  ...described(
    ...(['run', 'pause', 'resume', 'stop', 'retry', 'extend', 'setConfig', 'addModel', 'removeModel'] as const),
    ...(['steer', 'rewind'] as const),
  ),
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
  ...described('sweep', 'pause', 'resume', 'stop'),
  progress: asking('Says how the sweep stands: its state and how many of its runs wait, live and are done.'),
} as const;
