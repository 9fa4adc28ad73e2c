// Model clients by endpoint and key: the offline model of this home, or any OpenAI-compatible endpoint.
import type { ModelClient } from '../activities/llm/chat/client.ts';
import type { GenerateDeps } from '../activities/llm/chat/generate.ts';
import { createOpenAiClient } from '../activities/llm/chat/openai-client.ts';
import { createKeyRing, type KeyRing } from '../activities/llm/transport/key-ring.ts';
import { createPermits } from '../activities/sandbox/host/permits.ts';

/** The name by which the offline model lists itself in /v1/models. */
export const OFFLINE_MODEL_ID = 'offline-gp';

type Environment = {
  readonly home: string;
  readonly offlineModelUrl: string | null;
  /** Address of the trainer's server of this data directory; null or left out where it does not run. */
  readonly trainerUrl?: string | null;
  readonly llmSlots: number;
  /** All keys of this process. Without it those of the home. */
  readonly keys?: KeyRing;
};

/** All models that a process can ask, and all keys that it has. */
export type Models = { readonly clientFor: GenerateDeps['clientFor']; readonly keys: KeyRing };

export const createModels = (environment: Environment, env: NodeJS.ProcessEnv): Models => {
  const keys = createKeyRing({ home: environment.home, env });
  return { keys, clientFor: createClientFor({ ...environment, keys }) };
};

export const createClientFor = (environment: Environment): GenerateDeps['clientFor'] => {
  const permits = createPermits(environment.llmSlots);
  const keys = environment.keys ?? createKeyRing({ home: environment.home });
  const clients = new Map<string, ModelClient>();
  return async (model, served = null) => {
    const baseUrl =
      served !== null
        ? (served.baseUrl ?? environment.trainerUrl ?? null)
        : model.kind === 'offline'
          ? environment.offlineModelUrl
          : model.baseUrl;
    if (baseUrl === null)
      throw new Error(
        served !== null
          ? `the server of policies, which has ${served.model}, is not running: \`evolve up --learn\` starts it`
          : model.kind === 'offline'
            ? 'the offline model is not running: `evolve up` starts it'
            : 'the run names no model endpoint (model.baseUrl)',
      );
    const apiKey = model.kind === 'offline' && served === null ? null : keys.keyOf(baseUrl);
    const key = `${baseUrl} ${apiKey ?? ''}`;
    const client =
      clients.get(key) ?? createOpenAiClient({ baseUrl, apiKey, keys, timeoutMs: model.timeoutSeconds * 1000 });
    clients.set(key, client);
    // At most so many requests are in flight, over all clients. A request waits for its place before it is booked.
    const { acquire } = permits;
    const name = served?.model ?? (model.kind === 'offline' ? OFFLINE_MODEL_ID : model.name);
    return { client, model: name, baseUrl, acquire };
  };
};
