// Embedding clients by endpoint and key: the offline model of this home, or any OpenAI-compatible endpoint.
import { createOpenAiEmbeddingClient, type EmbeddingClient } from '../activities/llm/embeddings/client.ts';
import type { EmbedDeps } from '../activities/llm/embeddings/embed.ts';
import { embeddingEndpoint } from '../activities/llm/embeddings/endpoint.ts';
import { createKeyRing, type KeyRing } from '../activities/llm/transport/key-ring.ts';
import { createPermits } from '../activities/sandbox/host/permits.ts';
import { OFFLINE_MODEL } from '../evolution/config/offline.ts';
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
};

export const createEmbeddingClientFor = (environment: Environment): EmbedDeps['clientFor'] => {
  const permits = createPermits(IN_FLIGHT);
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
    const { model } = config.embedding;
    const acquire = (signal: AbortSignal): Promise<() => void> => permits.acquire(signal);
    return { client, acquire, model: model === OFFLINE_MODEL && kind === 'offline' ? OFFLINE_MODEL_ID : (model ?? '') };
  };
};
