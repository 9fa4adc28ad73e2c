// The client for embeddings over the `openai` package: any endpoint that speaks /v1/embeddings.
import { createKeyRing, type KeyRing } from '../transport/key-ring.ts';
import { ModelError, passing } from '../transport/model-error.ts';
import { countFrom, fieldsOf, mostTokens } from '../transport/numbers.ts';
import { asModelError } from '../transport/openai-errors.ts';
import { openAi } from '../transport/openai.ts';

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
 * One vector of finite numbers for each text, in the order of the texts, all of one length. `tokens` counts the whole
 * request, and is 0 where the endpoint names no number that can be.
 */
type EmbeddingResponse = { readonly vectors: readonly (readonly number[])[]; readonly tokens: number };

export interface EmbeddingClient {
  embed(request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingResponse>;
}

const SETTINGS = 'embedding.model and embedding.baseUrl';
/** Numbers of a vector, and the tokens of an answer for which as many bytes are read. */
const MOST_DIMENSIONS = 16_384;
const TOKENS_PER_TEXT = 2 * MOST_DIMENSIONS;

/** Errors are ModelErrors. The client never tries again by itself, because that is the engine's decision. */
export const createOpenAiEmbeddingClient = ({
  baseUrl,
  apiKey,
  keys = createKeyRing(),
}: {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** All keys of this process; none of them is in an error. `apiKey` is added to it. */
  readonly keys?: KeyRing;
}): EmbeddingClient => {
  if (apiKey !== null) keys.remember(apiKey);
  return {
    async embed({ texts, model, dimensions, timeoutMs, key }, signal) {
      try {
        const api = openAi({ baseUrl, apiKey, timeoutMs, stream: false, tokens: texts.length * TOKENS_PER_TEXT });
        // Without a format, the package asks for base64, which several servers do not know.
        return readAnswer(
          await api.embeddings.create(
            { model, input: [...texts], encoding_format: 'float', ...(dimensions === null ? {} : { dimensions }) },
            { signal, timeout: timeoutMs, headers: { 'Idempotency-Key': key } },
          ),
          texts,
        );
      } catch (error) {
        throw ofText(asModelError(error, { baseUrl, settings: SETTINGS, keys }));
      }
    },
  };
};

/** A server whose model makes no number of a text fails at it each time, as if it refused the text. */
const ofText = (error: unknown): unknown =>
  error instanceof ModelError && error.status === 500 && /\bNaN\b/.test(error.message)
    ? new ModelError(error.message, { ...error, status: 422 })
    : error;

const readAnswer = (answer: unknown, texts: readonly string[]): EmbeddingResponse => {
  const { data, usage } = fieldsOf(answer);
  const wanted = texts.length;
  if (!Array.isArray(data) || data.length !== wanted)
    throw unreadable(`expected ${wanted} embeddings, got ${Array.isArray(data) ? data.length : kindOf(data)}`);
  const vectors = new Map(data.map((entry: unknown, position) => [placeOf(entry, position), vectorOf(entry)] as const));
  const ordered = texts.map((_, place) => vectors.get(place));
  // An index that comes twice, or one that is too high, leaves a place empty.
  if (!ordered.every((vector) => vector !== undefined))
    throw unreadable(`expected embeddings with indexes 0 to ${wanted - 1}, each once`);
  const lengths = [...new Set(ordered.map(({ length }) => length))];
  if (lengths.length > 1)
    throw unreadable(`expected embeddings of one length, got ${lengths.join(' and ').slice(0, 60)}`);
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  const { prompt_tokens: asked, total_tokens: total } = fieldsOf(usage);
  const most = mostTokens(chars);
  return { vectors: ordered, tokens: countFrom(asked, most) ?? countFrom(total, most) ?? 0 };
};

/** The index of the embedding. Where the endpoint gives none, embeddings come in the order of the texts. */
const placeOf = (entry: unknown, position: number): number => {
  const { index } = fieldsOf(entry);
  return Number.isInteger(index) ? (index as number) : position;
};

const vectorOf = (entry: unknown): readonly number[] => {
  const { embedding } = fieldsOf(entry);
  const vector = typeof embedding === 'string' ? floatsIn(embedding) : embedding;
  if (
    Array.isArray(vector) &&
    vector.length > 0 &&
    vector.length <= MOST_DIMENSIONS &&
    vector.every((value) => Number.isFinite(value))
  )
    return vector as number[];
  throw unreadable(
    `expected an embedding as a list of at most ${MOST_DIMENSIONS} finite numbers, got ${kindOf(vector)}`,
  );
};

/** Some servers answer in base64 whatever is asked for: the floats of four bytes each. */
const floatsIn = (text: string): unknown => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length % 4 === 0 && bytes.toString('base64') === text
    ? Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at))
    : text;
};

/** The kind of a value, in words that repeat nothing of it. */
const kindOf = (value: unknown): string =>
  Array.isArray(value) ? `a list of ${value.length}` : value === null ? 'null' : typeof value;

const unreadable = (message: string): ModelError => passing(message, 200);
