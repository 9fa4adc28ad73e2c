// The client for embeddings over the `openai` package: any endpoint that speaks /v1/embeddings.
import OpenAI from 'openai';
import { ModelError } from '../chat/client.ts';
import { patientFetch } from '../chat/endpoint.ts';
import { count, describe } from '../chat/openai-answer.ts';
import { asModelError } from '../chat/openai-client.ts';

export type EmbeddingRequest = {
  /** No text is empty. */
  readonly texts: readonly string[];
  readonly model: string;
  /** Null means the model's own number of dimensions. */
  readonly dimensions: number | null;
  readonly timeoutMs: number;
  /** Sent as Idempotency-Key to providers that honour it. */
  readonly key: string;
};

/**
 * One vector of finite numbers for each text, in the order of the texts and of any length. `tokens` counts the whole
 * request, and is 0 where the endpoint names none.
 */
type EmbeddingResponse = { readonly vectors: readonly (readonly number[])[]; readonly tokens: number };

export interface EmbeddingClient {
  embed(request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingResponse>;
}

const SETTINGS = 'embedding.model and embedding.baseUrl';

/** Errors are ModelErrors. The client never tries again by itself, because that is the engine's decision. */
export const createOpenAiEmbeddingClient = (options: {
  readonly baseUrl: string;
  readonly apiKey: string | null;
}): EmbeddingClient => {
  const api = new OpenAI({
    baseURL: options.baseUrl,
    apiKey: options.apiKey ?? 'none',
    maxRetries: 0,
    ...patientFetch,
  });
  return {
    async embed({ texts, model, dimensions, timeoutMs, key }, signal) {
      try {
        // Without a format, the package asks for base64, which several servers do not know.
        return readAnswer(
          await api.embeddings.create(
            { model, input: [...texts], encoding_format: 'float', ...(dimensions === null ? {} : { dimensions }) },
            { signal, timeout: timeoutMs, headers: { 'Idempotency-Key': key } },
          ),
          texts.length,
        );
      } catch (error) {
        throw asModelError(error, options.baseUrl, SETTINGS);
      }
    },
  };
};

const readAnswer = (answer: OpenAI.CreateEmbeddingResponse, wanted: number): EmbeddingResponse => {
  const data: unknown = answer?.data;
  if (!Array.isArray(data) || data.length !== wanted) {
    throw unreadable(`expected ${wanted} embeddings, got ${Array.isArray(data) ? data.length : describe(answer)}`);
  }
  const vectors = new Array<readonly number[]>(wanted);
  for (const [position, entry] of data.entries()) vectors[placeOf(entry, position)] = vectorOf(entry);
  // An index that comes twice, or one that is too high, leaves a place empty.
  if (vectors.includes(undefined as never))
    throw unreadable(`expected embeddings with indexes 0 to ${wanted - 1}, each once`);
  return { vectors, tokens: count(answer.usage?.prompt_tokens ?? answer.usage?.total_tokens) };
};

/** The index of the embedding. Where the endpoint gives none, embeddings come in the order of the texts. */
const placeOf = (entry: unknown, position: number): number => {
  const index: unknown = (entry as { index?: unknown } | null)?.index;
  return Number.isInteger(index) ? (index as number) : position;
};

const vectorOf = (entry: unknown): readonly number[] => {
  const vector: unknown = (entry as { embedding?: unknown } | null)?.embedding;
  if (Array.isArray(vector) && vector.length > 0 && vector.every((value) => Number.isFinite(value)))
    return vector as number[];
  throw unreadable(`expected an embedding as a list of finite numbers, got ${describe(vector)}`);
};

const unreadable = (message: string): ModelError =>
  new ModelError(message, { status: 200, fatal: false, retryAfterMs: null });
