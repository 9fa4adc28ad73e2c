// Workflows refuse messages between our own parts (form.ts) that people typed, and hear the others.
import type { SignalDefinition } from '@temporalio/workflow';
import { isObject } from '../../evolution/steering/base/check.ts';
import { INTERNAL } from './descriptions.ts';
import { FORM, type Internal } from '../engine/form.ts';
import { listenTo } from './listening.ts';
import { refuse } from './refusals.ts';

export const requireInternal = (message: string, body: unknown): void => {
  if (!isObject(body) || body['form'] !== FORM)
    refuse(`${message} is not for people: it is a message between workflows, which have "form": ${FORM} in it`);
};

/** Listens to a signal of another workflow or of an activity. `refused` hears why one was not taken. */
export const listenInside = <Body>(
  signal: SignalDefinition<[Internal<Body>]>,
  handle: (body: Body) => void,
  refused: (why: string, message: string) => void = () => undefined,
): void =>
  listenTo(signal, {
    description: INTERNAL,
    check: (body) => requireInternal(signal.name, body),
    answer: (why, message) => (why === null ? undefined : refused(why, message)),
    handle,
  });
