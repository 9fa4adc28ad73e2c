// What a model client takes and gives, whatever implements it, and a model endpoint's error as the engine takes it.
import { ApplicationFailure } from '@temporalio/activity';
import type { Message, Usage } from '../../../evolution/types.ts';

export type ChatRequest = {
  readonly messages: readonly Message[];
  /** Responses wanted from this one request. */
  readonly n: number;
  /** Seed of the first choice. Endpoints that honour it use seed + j for choice j. */
  readonly seed: number;
  readonly model: string;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  readonly timeoutMs: number;
  /** Sent as Idempotency-Key to providers that honour it. */
  readonly key: string;
  /** It is not sent where it is null or left out. */
  readonly reasoningEffort?: string | null;
  /** Without it the answer comes as a whole. */
  readonly stream?: boolean;
};

export type Choice = { readonly text: string; readonly reasoning: string | null; readonly finishReason: string | null };

/** `choices` may be fewer than n, where the endpoint has no native n. Usage is that of the whole call. */
export type ChatResponse = {
  readonly choices: readonly Choice[];
  readonly usage: Usage;
  readonly model: string;
  /**
   * Settings that the endpoint refuses for this model (`temperature`, `top_p`, `seed`), so that it was asked without
   * them.
   */
  readonly unsent?: readonly string[];
};

export interface ModelClient {
  chat(request: ChatRequest, signal: AbortSignal): Promise<ChatResponse>;
  /** Ids of the models the endpoint offers. */
  models(): Promise<readonly string[]>;
}

/**
 * `retryAfterMs` is set when the endpoint named a time. `fatal` means that retrying cannot help until somebody changes
 * something.
 */
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

/** Makes a failure that says whether the engine tries again, and when. */
export const asFailure = (error: ModelError): ApplicationFailure =>
  ApplicationFailure.create({
    message: error.message,
    type: error.fatal ? 'ModelRefused' : 'ModelUnavailable',
    nonRetryable: error.fatal,
    cause: error,
    ...(error.retryAfterMs === null ? {} : { nextRetryDelay: error.retryAfterMs }),
  });
