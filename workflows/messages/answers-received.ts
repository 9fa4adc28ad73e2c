// Requests that go many to an activity (workflows/programs/batched.ts): the activity reports the outcomes some at a time,
// so that a slot is taken again soon, and a slow answer holds up none of the others.
import { defineSignal } from '@temporalio/workflow';
import type { Outcomes } from '../../activities/interface/step.ts';
import type { Internal } from '../engine/form.ts';

/** By the name that the workflow gave to each call. A name that it does not know is passed over. */
export type AnswersReceived = { readonly outcomes: readonly (Outcomes & { readonly call: string })[] };

export const answersReceived = defineSignal<[Internal<AnswersReceived>]>('answersReceived');
