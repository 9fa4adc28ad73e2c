// Why an answer ended before its end, in words. Called where answers are applied.
import type { Outcome } from './types.ts';

/** Why an answer has no edits: it was cut off before it had any, or what the early checks say. */
export const reasonOf = ({ outcome, reason }: { readonly outcome: Outcome | null; readonly reason: string | null }, finishReason: string | null): string | null =>
  (outcome === 'no_diff' ? cutShort(finishReason) ?? reason : reason);

/** Null: it came to its end, as far as the endpoint says. */
export const cutShort = (finishReason: string | null): string | null =>
  (finishReason === 'length' ? 'the answer was cut off at model.maxTokens'
    : finishReason === 'content_filter' ? 'the endpoint\'s content filter withheld the answer' : null);
