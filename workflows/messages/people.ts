// Registers the messages by which people steer a run or a sweep. Which there are, what they take and when they make sense
// is said by the verbs (evolution/steering); a workflow says what each does.
import { defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import type { Situation } from '../../evolution/steering/base/verb.ts';
import {
  descriptionOf,
  messageName,
  messageProblem,
  messageRefusal,
  messagesTo,
  type VerbName,
  verbOf,
} from '../../evolution/steering/verbs.ts';
import { listenTo } from './listening.ts';
import { type Notes, noteUnknownSignals } from './notes.ts';
import { refuse } from './refusals.ts';

type Of = 'run' | 'sweep';
type Signals = { readonly [message: string]: (body: never) => void | Promise<void> };
type Updates = { readonly [message: string]: (body: never) => Promise<unknown> };

type Steered = {
  readonly of: Of;
  readonly signals: Signals;
  readonly updates?: Updates;
  readonly notes: Notes;
  readonly describe: () => void;
  readonly now: () => Situation;
  /** Resolves when the workflow is open. An update waits for it. */
  readonly opened?: () => Promise<unknown>;
  /** More that is to be checked of a signal. It throws where the body makes no sense. */
  readonly check?: (message: string, body: never) => void;
  /** A hint where other messages go. */
  readonly instead?: string;
};

/** Throws a BadRequest unless the body is right for the message. */
export const requireMessage = (message: string, body: unknown, of: Of = 'run'): void => {
  const problem = messageProblem(message, of, body);
  if (problem !== null) refuse(`${message}: ${problem}`);
};

/** Throws a BadRequest where the message makes no sense now. */
const requireSense = (message: string, of: Of, now: Situation): void => {
  const why = messageRefusal(message, of, now);
  if (why !== null) refuse(why);
};

export const verbsBy = (kind: 'signal' | 'update', of: Of): readonly VerbName[] =>
  messagesTo(of).filter((verb) => verbOf(verb).message!.kind === kind);

export const listenToPeople = (steered: Steered): void => {
  const { of, notes, describe, instead } = steered;
  const [signals, updates] = [verbsBy('signal', of), verbsBy('update', of)];
  const names = { what: `a ${of}`, signals: signals.map(messageName), updates: updates.map(messageName) };
  for (const verb of signals) listenToSignal(steered, verb);
  noteUnknownSignals(notes, { ...names, ...(instead === undefined ? {} : { instead }) }, describe);
  for (const verb of updates) answerUpdate(steered, verb);
};

const listenToSignal = ({ of, signals, notes, describe, now, check }: Steered, verb: VerbName): void => {
  const name = messageName(verb);
  listenTo<unknown>(defineSignal<[unknown]>(name), {
    description: descriptionOf(verb),
    /** A refusal changes no attribute, so that a flood of refusals does not fill the history. */
    answer(refusal) {
      if (refusal === null) return notes.taken();
      notes.refuse(name, refusal);
      describe();
    },
    // The body of a signal may be left out.
    check(body = {}) {
      requireMessage(name, body ?? {}, of);
      check?.(name, (body ?? {}) as never);
      requireSense(name, of, now());
    },
    handle: (body) => signals[name]?.((body ?? {}) as never),
  });
};

const answerUpdate = ({ of, updates = {}, now, opened }: Steered, verb: VerbName): void => {
  const name = messageName(verb);
  setHandler(
    defineUpdate<unknown, [unknown]>(name),
    async (body) => {
      await opened?.();
      requireSense(name, of, now());
      return updates[name]?.(body as never);
    },
    { validator: (body) => requireMessage(name, body, of), description: descriptionOf(verb) },
  );
};
