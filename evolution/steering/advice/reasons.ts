// The reason of a parked phase in words for people. It is stored as `activity: Type: message` (workflows/engine/park.ts).

/** By the type of the failure. */
const BY_TYPE: { readonly [type: string]: string } = {
  ModelUnavailable: 'The model does not answer',
  ModelRefused: 'The model refuses what it is asked',
  Unanswered: 'The model does not answer',
  PolicyNotServed: 'The policy is not served',
  SandboxUnavailable: 'Programs cannot be run',
  NoValidStart: 'The initial program is not valid',
  NoTrainer: 'No trainer takes the update of the policy',
  ConfigError: 'The settings cannot be used',
};

/** By the activity that failed, where the type says nothing. */
const BY_ACTIVITY: { readonly [activity: string]: string } = {
  generate: 'The model cannot be asked',
  ask: 'The model cannot be asked',
  evaluate: 'Programs cannot be evaluated',
};

export type Reason = {
  /** Null where the failure has no type. */
  readonly type: string | null;
  /** `The model does not answer: http://… answered 500`, without a full stop. */
  readonly text: string;
};

/** Buttons and commands stand beside the reason. */
const RETRIED = /; it is not sent again before `[^`]*`/;

/** A message in other words than those of an activity stays as it is. */
export const reasonOf = (attention: string): Reason => {
  const [, activity, type = null, message] = /^(?:([a-z]\w*): )?(?:([A-Z]\w+|timeout): )?(.*)$/s.exec(
    attention.trim(),
  )!;
  const what =
    (type === null ? undefined : BY_TYPE[type]) ??
    (activity === undefined ? null : (BY_ACTIVITY[activity] ?? `The activity ${activity} fails`));
  const told = `${type === 'timeout' ? 'no answer in time: ' : ''}${message!.replace(RETRIED, '').replace(/\.+$/, '')}`;
  return { type, text: what === null ? told : `${what}: ${told}` };
};

/** A reason that another model, or another address of it, may mend. */
export const isOfModel = ({ type }: Reason): boolean =>
  type === 'ModelUnavailable' || type === 'ModelRefused' || type === 'Unanswered';
