// Refusals of messages and inputs, in the words that a person reads.
import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { rootOf } from '../../evolution/root-cause.ts';
import { cut } from '../engine/telling.ts';

export const refuse = (message: string): never => {
  throw ApplicationFailure.nonRetryable(message.toWellFormed(), 'BadRequest');
};

const LONGEST_REFUSAL = 4_000;

/** A refusal of an activity fails the update, or the start, with the activity's own words, and changes nothing. */
export const refusable = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (isCancellation(error)) throw error;
    const root = rootOf(error);
    throw ApplicationFailure.nonRetryable(
      cut(root.message, LONGEST_REFUSAL),
      root instanceof ApplicationFailure && root.type ? root.type : 'Failed',
    );
  }
};
