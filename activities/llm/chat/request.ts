// One request to a model. Programs and stages are asked for alike: by the policy that serves the model, booked before
// it is sent, and by another model of the role where the drawn one is down.
import type { ModelSettings } from '../../../evolution/config/run-config.ts';
import { modelId } from '../../../evolution/models/ensemble.ts';
import type { Message } from '../../../evolution/types.ts';
import type { Answered, Books } from './booked.ts';
import type { Sending } from './booking.ts';
import type { ChatRequest, ChatResponse, ModelClient } from './client.ts';
import type { createFailover } from './failover.ts';
import { placedIn, type RunPlaces } from './places.ts';
import { askAs, type Served } from './policies.ts';
import { promptTokens, withUsage } from './usage.ts';

/**
 * The client of a model, and the name that it is asked by; with `served`, those of the policy as which it answers.
 * `acquire` waits for a place among the requests in flight, and for the endpoint's rate. Left out, there are places
 * without end.
 */
export type ClientFor = (
  model: Pick<ModelSettings, 'kind' | 'baseUrl' | 'name' | 'timeoutSeconds'> & Partial<Pick<ModelSettings, 'rate'>>,
  served?: Pick<Served, 'model' | 'baseUrl'> | null,
) => Promise<{
  readonly client: ModelClient;
  readonly model: string;
  readonly baseUrl?: string;
  readonly acquire?: (signal: AbortSignal, promptTokens: number) => Promise<() => void>;
}>;

type Asking = Parameters<ReturnType<typeof createFailover>>[0];

export type Requested = Pick<Sending, 'run' | 'step' | 'epoch' | 'stage' | 'answer' | 'told'> & {
  readonly messages: readonly Message[];
  readonly n: number;
  readonly seed: number;
  /** The idempotency key where the drawn model is asked. A key stands for one request body. */
  readonly key: string;
  readonly served: Served | null;
  /** In place of the model's own. */
  readonly temperature?: number | undefined;
  /** The places of the run among the requests in flight; left out or null, there are places without end. */
  readonly places?: RunPlaces | null;
  readonly asking: Asking;
};

type Responded = {
  readonly answer: ChatResponse;
  readonly answered: Answered;
  /** The model that answered. */
  readonly settings: ModelSettings;
};

export const createRequest =
  (clientFor: ClientFor, books: Books, withFailover: ReturnType<typeof createFailover>) =>
  (of: Requested): Promise<Responded> =>
    withFailover(of.asking, async (settings) => {
      const { signal } = of.asking;
      const { client, model, acquire, baseUrl } = await clientFor(settings, of.served);
      const request = chatRequest(of, settings, model);
      const prompt = promptTokens(of.messages);
      const own = of.places ?? null;
      const sending: Sending = {
        ...{ run: of.run, step: of.step, epoch: of.epoch, stage: of.stage, answer: of.answer, told: of.told, signal },
        acquire: own === null ? acquire : placedIn({ places: own.places, programs: of.n, acquire }),
        ...(own !== null && { bookedBefore: own.next }),
        to: of.served === null ? settings : { ...settings, baseUrl: baseUrl ?? null },
        ...{ prompt, maxOut: settings.maxTokens * of.n, timeoutMs: request.timeoutMs },
      };
      const { answer, answered } = await books.send(sending, () => askAs(client, request, of.served, signal));
      return { answer: withUsage(oneAtLeast(answer, request), prompt), answered, settings };
    });

const chatRequest = (
  { messages, n, seed, key, served, temperature, asking }: Requested,
  settings: ModelSettings,
  model: string,
): ChatRequest => ({
  ...{ messages, n, seed, model },
  temperature: temperature ?? settings.temperature,
  topP: settings.topP,
  maxTokens: settings.maxTokens,
  timeoutMs: settings.timeoutSeconds * 1000,
  reasoningEffort: settings.reasoningEffort,
  stream: settings.stream,
  ...(served?.learns === true ? { tokens: true } : {}),
  key: settings === asking.drawn ? key : `${key}@${modelId(settings)}`,
});

/** A request for one response that brings no choice is an empty answer, which is a response like any other. */
const oneAtLeast = (answer: ChatResponse, { n }: ChatRequest): ChatResponse =>
  answer.choices.length === 0 && n === 1
    ? { ...answer, choices: [{ text: '', reasoning: null, finishReason: 'no choices' }] }
    : answer;
