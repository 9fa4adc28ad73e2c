// Model clients by endpoint and key: the offline model of this home, or any OpenAI-compatible endpoint.
import type { ModelClient } from '../../activities/llm/chat/client.ts';
import type { GenerateDeps } from '../../activities/llm/chat/generate.ts';
import { createOpenAiClient } from '../../activities/llm/openai/openai-client.ts';
import { RefusedSettings } from '../../activities/llm/openai/refused-settings.ts';
import { createKeyRing, type KeyRing } from '../../activities/llm/transport/key-ring.ts';
import { Aside } from '../../activities/llm/rates/aside.ts';
import { Rates, ratedClient } from '../../activities/llm/rates/limiter.ts';
import { Permits } from '../../activities/sandbox/host/permits.ts';
import type { RateVerbs } from '../../activities/store/upkeep/rates.ts';

/** The name by which the offline model lists itself in /v1/models. */
export const OFFLINE_MODEL_ID = 'offline-gp';

type Environment = {
  readonly home: string;
  readonly offlineModelUrl: string | null;
  /** Starts one in this process, where none runs elsewhere on this host. */
  readonly startOfflineModel?: () => Promise<string>;
  /** Address of the trainer's server of this data directory; null or left out where it does not run. */
  readonly trainerUrl?: string | null;
  readonly llmSlots: number;
  /** All keys of this process. Without it those of the home. */
  readonly keys?: KeyRing;
  /** Left out, no rate is kept. */
  readonly rates?: Rates;
  /** Hears of requests that wait for a rate or for a slot. */
  readonly aside?: Aside;
  /** The slots of requests in flight. Left out, they are made. */
  readonly permits?: Permits;
};

/** All models that a process can ask, and all keys that it has. */
export type Models = {
  readonly clientFor: GenerateDeps['clientFor'];
  readonly keys: KeyRing;
  /** The requests that wait for a rate, and those that wait for a slot. */
  readonly aside: Aside;
  /** The numbers of free slots and of requests that wait for one. */
  readonly standing: Permits['standing'];
  readonly rates: Rates;
  /** Gives back what this process holds of rates. */
  readonly close: () => Promise<void>;
};

export const createModels = (environment: Environment, env: NodeJS.ProcessEnv, store: RateVerbs): Models => {
  const keys = createKeyRing({ home: environment.home, env });
  const rates = new Rates(store);
  const aside = new Aside();
  const permits = new Permits(environment.llmSlots);
  const clientFor = createClientFor({ ...environment, keys, rates, aside, permits });
  return { keys, clientFor, aside, standing: permits.standing, rates, close: () => rates.close() };
};

export const createClientFor = (environment: Environment): GenerateDeps['clientFor'] => {
  const permits = environment.permits ?? new Permits(environment.llmSlots);
  const keys = environment.keys ?? createKeyRing({ home: environment.home });
  const clients = new Map<string, ModelClient>();
  return async (model, served = null) => {
    const baseUrl =
      served !== null
        ? (served.baseUrl ?? environment.trainerUrl ?? null)
        : model.kind === 'offline'
          ? (environment.offlineModelUrl ?? (await environment.startOfflineModel?.()) ?? null)
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
      clients.get(key) ??
      createOpenAiClient({
        ...{ baseUrl, apiKey, keys, timeoutMs: model.timeoutSeconds * 1000 },
        refused: new RefusedSettings(environment.home, baseUrl),
      });
    clients.set(key, client);
    // At most so many requests are in flight, over all clients. A request waits for its slot before it is booked.
    const acquire = (signal: AbortSignal): Promise<() => void> => {
      const slot = (): Promise<() => void> => permits.acquire(signal);
      return environment.aside?.place(slot) ?? slot();
    };
    const name = served?.model ?? (model.kind === 'offline' ? OFFLINE_MODEL_ID : model.name);
    const rate = served === null ? (model.rate ?? null) : null;
    if (rate === null || environment.rates === undefined) return { client, model: name, baseUrl, acquire };
    const limiter = environment.rates.of(baseUrl);
    return {
      client: ratedClient(client, limiter, rate),
      model: name,
      baseUrl,
      // A request that waits for a rate holds no slot, because others may ask another endpoint meanwhile.
      async acquire(signal, promptTokens) {
        const taken = (): Promise<void> => limiter.take(rate, promptTokens, signal);
        await (environment.aside?.during(taken) ?? taken());
        return acquire(signal);
      },
    };
  };
};
