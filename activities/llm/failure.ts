// A model endpoint's error as the engine takes it: to be tried again, when, or not at all. Called by failover.ts and embed.ts.
import { ApplicationFailure } from '@temporalio/activity';
import type { ModelError } from './client.ts';

export const asFailure = (error: ModelError): ApplicationFailure => ApplicationFailure.create({
  message: error.message, type: error.fatal ? 'ModelRefused' : 'ModelUnavailable', nonRetryable: error.fatal, cause: error,
  ...(error.retryAfterMs === null ? {} : { nextRetryDelay: error.retryAfterMs }),
});
