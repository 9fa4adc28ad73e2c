// Embedding clients by endpoint and key: the offline model of this home, or any OpenAI-compatible endpoint.
import { createOpenAiEmbeddingClient, type EmbeddingClient } from '../../activities/llm/embeddings/client.ts';
import type { EmbedDeps } from '../../activities/llm/embeddings/embed.ts';
import { embeddingEndpoint } from '../../activities/llm/embeddings/endpoint.ts';
import type { Limiter, Rate } from '../../activities/llm/rates/limiter.ts';
import { isLongWait, ModelError } from '../../activities/llm/transport/model-error.ts';
import { estimatedTokens } from '../../activities/llm/transport/numbers.ts';
import { createKeyRing, type KeyRing } from '../../activities/llm/transport/key-ring.ts';
import { Permits } from '../../activities/sandbox/host/permits.ts';
import { OFFLINE_MODEL } from '../../evolution/config/offline.ts';
import { OFFLINE_MODEL_ID } from './model-clients.ts';

/** Requests in flight. They do not count among those for responses: they are short, and must not wait for long ones. */
const IN_FLIGHT = 8;

type Environment = {
  readonly home: string;
  readonly offlineModelUrl: string | null;
  /** Starts one in this process, where none runs elsewhere on this host. */
  readonly startOfflineModel?: () => Promise<string>;
  /** All keys of this process. Without it those of the home. */
  readonly keys?: KeyRing;
  /** Left out, no rate is kept. */
  readonly rates?: { of(endpoint: string): Pick<Limiter, 'take' | 'settle' | 'pause'> };
};

export const createEmbeddingClientFor = (environment: Environment): EmbedDeps['clientFor'] => {
  const permits = new Permits(IN_FLIGHT);
  const keys = environment.keys ?? createKeyRing({ home: environment.home });
  const clients = new Map<string, EmbeddingClient>();
  return async (config) => {
    const { kind, baseUrl: named } = embeddingEndpoint(config);
    const baseUrl =
      kind === 'offline' ? (environment.offlineModelUrl ?? (await environment.startOfflineModel?.()) ?? null) : named;
    if (baseUrl === null)
      throw new Error(
        kind === 'offline'
          ? 'the offline model is not running: `evolve up` starts it'
          : 'the run names no endpoint for embeddings (embedding.baseUrl, model.baseUrl)',
      );
    const apiKey = kind === 'offline' ? null : keys.keyOf(baseUrl);
    const key = `${baseUrl} ${apiKey ?? ''}`;
    const client = clients.get(key) ?? createOpenAiEmbeddingClient({ baseUrl, apiKey, keys });
    clients.set(key, client);
    const { model: name, rate = null } = config.embedding;
    const model = name === OFFLINE_MODEL && kind === 'offline' ? OFFLINE_MODEL_ID : (name ?? '');
    const slot = (signal: AbortSignal): Promise<() => void> => permits.acquire(signal);
    if (rate === null || environment.rates === undefined) return { client, acquire: slot, model };
    const limiter = environment.rates.of(baseUrl);
    return {
      client: ratedEmbeddings(client, limiter, rate),
      model,
      // A request that waits for a rate holds no slot, because others may ask another endpoint meanwhile.
      async acquire(signal, promptTokens) {
        await limiter.take(rate, promptTokens, signal);
        return slot(signal);
      },
    };
  };
};

/** The client, each of whose requests has been taken before. An embedding has no answer of its own to count. */
const ratedEmbeddings = (
  client: EmbeddingClient,
  limiter: Pick<Limiter, 'settle' | 'pause'>,
  rate: Rate,
): EmbeddingClient => ({
  async embed(request, signal) {
    const prompt = estimatedTokens(request.texts.reduce((sum, { length }) => sum + length, 0));
    try {
      return await client.embed(request, signal);
    } catch (error) {
      if (error instanceof ModelError && error.retryAfterMs !== null && !isLongWait(error))
        limiter.pause(error.retryAfterMs);
      throw error;
    } finally {
      limiter.settle(rate, prompt, null);
    }
  },
});
