// The interface of a model client: its requests and answers.
import type { Message, Usage } from '../../../evolution/types.ts';

export { asFailure, ModelError } from '../transport/model-error.ts';

export type ChatRequest = {
  readonly messages: readonly Message[];
  /** Responses wanted from this one request. */
  readonly n: number;
  /** Seed of the first choice. Endpoints that honour it use seed + j for choice j. */
  readonly seed: number;
  readonly model: string;
  readonly temperature: number;
  /** It is not sent where it is null. */
  readonly topP: number | null;
  readonly maxTokens: number;
  readonly timeoutMs: number;
  /** Sent as Idempotency-Key to providers that honour it. */
  readonly key: string;
  /** It is not sent where it is null or left out. */
  readonly reasoningEffort?: string | null;
  /** Without it the answer comes as a whole. */
  readonly stream?: boolean;
  /**
   * The token ids and their logprobs are asked for, because a policy is to learn from them. Then nothing of how it is
   * sampled is left to the endpoint, and an endpoint that gives none of them is refused.
   */
  readonly tokens?: boolean;
};

export type Choice = {
  readonly text: string;
  readonly reasoning: string | null;
  readonly finishReason: string | null;
  /** Set where the request asked for tokens. */
  readonly sampled?: Sampled;
};

/** The tokens of one answer as they were sampled; `broken` says why they cannot be used. */
export type Sampled = SampledTokens | { readonly broken: string };

/** `logprobs` are in nats, one for each of `response`, which holds the token that ended the answer, too. */
export type SampledTokens = {
  readonly prompt: Int32Array;
  readonly response: Int32Array;
  readonly logprobs: Float32Array;
};

/** `choices` may be fewer than n, where the endpoint has no native n. Usage is that of the whole call. */
export type ChatResponse = {
  readonly choices: readonly Choice[];
  readonly usage: Usage;
  /** The endpoint said no usage, or one that cannot be, and what it did not say is estimated from the texts' length. */
  readonly estimated?: true;
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
