// What a model client takes and gives, whatever implements it, and a model endpoint's error as the engine takes it.
import { ApplicationFailure } from '@temporalio/activity';
import { pauseMs } from '../../../evolution/models/failures.ts';
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
  /** The endpoint named no usage that can be true, so `usage` is our estimate. */
  readonly estimated?: true;
};

export interface ModelClient {
  chat(request: ChatRequest, signal: AbortSignal): Promise<ChatResponse>;
  /** Ids of the models the endpoint offers. */
  models(): Promise<readonly string[]>;
}

/**
 * `retryAfterMs` is set when the endpoint named a time. `fatal` means that retrying cannot help until somebody changes
 * something. `usage` and `heard` are what came all the same: the tokens that the endpoint named, and the text of its
 * answer. `unanswered` counts the sendings of this request that are paid for without an answer, this one included.
 */
type ModelErrorDetail = {
  readonly status: number | null;
  readonly fatal: boolean;
  readonly retryAfterMs: number | null;
  readonly cause?: unknown;
  readonly usage?: Usage | null;
  readonly heard?: string | null;
  readonly unanswered?: number;
};

export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly status: number | null;
  readonly fatal: boolean;
  readonly retryAfterMs: number | null;
  readonly usage: Usage | null;
  readonly heard: string | null;
  readonly unanswered: number;
  constructor(message: string, detail: ModelErrorDetail) {
    super(message, { cause: detail.cause });
    this.status = detail.status;
    this.fatal = detail.fatal;
    this.retryAfterMs = detail.retryAfterMs;
    this.usage = detail.usage ?? null;
    this.heard = detail.heard ?? null;
    this.unanswered = detail.unanswered ?? 0;
  }
}

/**
 * Makes a failure that says whether the engine tries again, and when. `Unanswered` is the type of a request that is not
 * sent again before a person says so; its detail is the number of sendings.
 */
export const asFailure = (error: ModelError): ApplicationFailure => {
  const { unanswered, fatal } = error;
  const wait = error.retryAfterMs ?? (unanswered > 0 ? pauseMs(unanswered) : null);
  return ApplicationFailure.create({
    message: error.message,
    type: fatal ? (unanswered > 0 ? 'Unanswered' : 'ModelRefused') : 'ModelUnavailable',
    nonRetryable: fatal,
    details: [unanswered],
    cause: error,
    ...(wait === null ? {} : { nextRetryDelay: wait }),
  });
};
