// What a model client takes and gives; implemented over the `openai` package (openai-client.ts).
import { ApplicationFailure } from '@temporalio/activity';
import type { Message, Usage } from '../../../evolution/types.ts';

export type ChatRequest = {
  readonly messages: readonly Message[];
  /** Responses wanted from this one request. */
  readonly n: number;
  /** Seed of the first choice; choice j is asked for as seed + j by endpoints that honour it. */
  readonly seed: number;
  readonly model: string;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  readonly timeoutMs: number;
  /** Sent as Idempotency-Key to providers that honour it. */
  readonly key: string;
  /** Left out or null: not sent. */
  readonly reasoningEffort?: string | null;
  /** Left out: the answer comes whole. */
  readonly stream?: boolean;
};

export type Choice = { readonly text: string; readonly reasoning: string | null; readonly finishReason: string | null };

/** `choices` may be fewer than n: the endpoint has no native n. Usage is that of the whole call. */
export type ChatResponse = {
  readonly choices: readonly Choice[];
  readonly usage: Usage;
  readonly model: string;
  /** Settings that the endpoint refuses for this model (`temperature`, `top_p`, `seed`): it was asked without them. */
  readonly unsent?: readonly string[];
};

export interface ModelClient {
  chat(request: ChatRequest, signal: AbortSignal): Promise<ChatResponse>;
  /** Ids of the models the endpoint offers. */
  models(): Promise<readonly string[]>;
}

/** `retryAfterMs` when the endpoint named one. `fatal`: retrying cannot help until somebody changes something. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly status: number | null;
  readonly fatal: boolean;
  readonly retryAfterMs: number | null;
  constructor(
    message: string,
    detail: { status: number | null; fatal: boolean; retryAfterMs: number | null; cause?: unknown },
  ) {
    super(message, { cause: detail.cause });
    this.status = detail.status;
    this.fatal = detail.fatal;
    this.retryAfterMs = detail.retryAfterMs;
  }
}

// A model endpoint's error as the engine takes it: to be tried again, when, or not at all.
export const asFailure = (error: ModelError): ApplicationFailure =>
  ApplicationFailure.create({
    message: error.message,
    type: error.fatal ? 'ModelRefused' : 'ModelUnavailable',
    nonRetryable: error.fatal,
    cause: error,
    ...(error.retryAfterMs === null ? {} : { nextRetryDelay: error.retryAfterMs }),
  });
