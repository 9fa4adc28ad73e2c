// The `openai` package for one request, over our own way to endpoints.
import OpenAI, { type ClientOptions } from 'openai';
import { endpointFetch, limitsFor, limitsWithTokens } from './endpoint-fetch.ts';
import { isSendable } from './key-ring.ts';
import { lasting } from './model-error.ts';

type Request = {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly timeoutMs: number;
  readonly stream: boolean;
  /** The tokens of all answers together, of which the limits on bytes are made. */
  readonly tokens: number;
  /** Each token comes with its id and its logprob. */
  readonly withIds?: boolean;
};

/** Throws a ModelError where the key is none that can be sent. The package would quote it. */
export const openAi = ({ baseUrl, apiKey, timeoutMs, stream, tokens, withIds = false }: Request): OpenAI => {
  if (apiKey !== null && !isSendable(apiKey))
    throw lasting(
      'its key has characters that cannot be sent: set OPENAI_API_KEY to the key alone and run `evolve retry <run>`',
    );
  return new OpenAI({
    baseURL: baseUrl,
    // A key must be given even where the endpoint wants none, because the package refuses an empty one.
    apiKey: apiKey?.trim() ?? 'none',
    // Other secrets of the environment are for nobody here.
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: timeoutMs,
    // The package would print answers that it cannot read.
    logLevel: 'off',
    fetch: endpointFetch({
      stream,
      ...(withIds ? limitsWithTokens(tokens) : limitsFor(tokens)),
    }) as unknown as NonNullable<ClientOptions['fetch']>,
  });
};
