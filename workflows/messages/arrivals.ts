// What becomes of requests that were asked for together: the activity that asked tells the workflow some at
// a time, so that a place is taken again soon, and a slow answer holds up none of the others.
import { defineSignal } from '@temporalio/workflow';
import type { Came } from '../../activities/interface/step.ts';
import { finite, having, orNull, requireShape, type Shape, text, whole } from './shape.ts';

/** By the name that the workflow gave to each call. A name that it does not know is passed over. */
export type Arrivals = { readonly came: readonly (Came & { readonly call: string })[] };

export const answersCame = defineSignal<[Arrivals]>('answersCame');

const listOf = (expected: string, holds: (value: unknown) => boolean): Shape[string] => ({
  expected: `a list of ${expected}`,
  holds: (value) => Array.isArray(value) && value.every(holds),
  required: true,
});
const numbers = listOf('whole numbers', whole(0).holds);
const COUNT = { ...whole(0), required: true };
const AMOUNT = { ...finite, required: true };
const REQUEST: Shape = { group: COUNT, first: COUNT, count: COUNT };
const FAILED: Shape = { ...REQUEST, afterMs: { ...AMOUNT, required: false } };
const ANSWER: Shape = {
  ...{ ...REQUEST, stored: numbers, missing: numbers, tokens: AMOUNT, costUsd: AMOUNT },
  omitted: { ...numbers, required: false },
};
const ASKED: Shape = { stage: { ...text(100), required: true }, slot: COUNT, round: { ...COUNT, required: false } };
const APPLIED: Shape = {
  ...{ evaluate: numbers, early: COUNT },
  asks: { ...listOf('calls of slots', having(ASKED).holds), required: false },
};
const CAME: Shape = {
  call: { ...text(100), required: true },
  answers: listOf('answers', having(ANSWER).holds),
  applied: orNull(having(APPLIED)),
  failed: listOf('requests', having(FAILED).holds),
};

export const validateArrivals = (body: Arrivals): void =>
  requireShape(
    'answersCame',
    body,
    { came: listOf('what came of calls', having(CAME).holds) },
    '{"came": []}; it is a message of an activity to its workflow',
    'ignored',
  );
