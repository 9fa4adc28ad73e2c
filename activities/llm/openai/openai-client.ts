// The model client over the `openai` package: any endpoint that speaks /v1/chat/completions.
import type OpenAI from 'openai';
import { LRUCache } from 'lru-cache';
import { hideCredentials } from '../../../evolution/config/layers.ts';
import { fittingTokens, isAboutContent, refusedSetting, type Setting } from '../../../evolution/models/refusals.ts';
import { causesOf } from '../../../evolution/root-cause.ts';
import { limitsFor } from '../transport/endpoint-fetch.ts';
import { eventsOf } from '../transport/events.ts';
import { createKeyRing, type KeyRing } from '../transport/key-ring.ts';
import { askModelList } from '../transport/model-list.ts';
import { lasting } from '../transport/model-error.ts';
import { openAi } from '../transport/openai.ts';
import { asModelError } from '../transport/openai-errors.ts';
import { Refusal } from '../transport/refusal.ts';
import type { Message } from '../../../evolution/types.ts';
import { type ChatRequest, type ChatResponse, type ModelClient, ModelError } from '../chat/client.ts';
import { PromptRefusals } from './prompt-refusals.ts';
import { BrokenStream, collect, MIN_IDLE_MS, readCompletion, streamClocks } from './openai-answer.ts';

/** A request is changed so many times for an endpoint that refuses it. */
const MOST_CHANGES = 16;

type OpenAiClientOptions = {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly timeoutMs: number;
  /** The default is MIN_IDLE_MS. */
  readonly minIdleMs?: number;
  /** All keys of this process; none of them is in an answer or an error. `apiKey` is added to it. */
  readonly keys?: KeyRing;
  /** Settings that the endpoint does not take, by model. What is found is added. */
  readonly refused?: Map<string, ReadonlySet<Setting>>;
};

export const createOpenAiClient = (options: OpenAiClientOptions): ModelClient => new OpenAiClient(options);

class OpenAiClient implements ModelClient {
  readonly #options: Required<OpenAiClientOptions>;
  /** Clients of the package, which are much to make anew for each request. Few sizes of answers are asked for. */
  readonly #apis = new LRUCache<string, OpenAI>({ max: 64 });
  readonly #asked: Parameters<typeof asModelError>[1];
  readonly #refusals = new PromptRefusals();

  constructor(options: OpenAiClientOptions) {
    const { baseUrl, apiKey, minIdleMs = MIN_IDLE_MS, keys = createKeyRing(), refused = new Map() } = options;
    if (apiKey !== null) keys.remember(apiKey);
    this.#options = { ...options, minIdleMs, keys, refused };
    this.#asked = {
      baseUrl,
      keys,
      settings: 'model.name and model.baseUrl, which EVOLVE_MODEL and OPENAI_BASE_URL may give',
    };
  }

  async chat(request: ChatRequest, signal: AbortSignal): Promise<ChatResponse> {
    const { refused, baseUrl } = this.#options;
    const tooMany = this.#refusals.take(request.model);
    if (tooMany !== null) throw lasting(`${hideCredentials(baseUrl)} ${tooMany}`);
    const known = refused.get(request.model) ?? new Set();
    const unsent = new Set(known);
    let asked = request;
    for (let refusals = 0; ; refusals++) {
      try {
        const answer = await this.#answer(asked, bodyOf(asked, unsent), signal);
        const [first, ...others] = answer.choices.map(({ finishReason }) => finishReason === 'content_filter');
        const isRefused = first === true && !others.includes(false);
        this.#refusals.note(request.model, isRefused ? 'its content filter' : null);
        // What was left out is left out of later requests only where the endpoint then answered.
        if (unsent.size > known.size)
          refused.set(request.model, new Set([...(refused.get(request.model) ?? []), ...unsent]));
        const dropped = RECORDED.filter((name) => unsent.has(name));
        const changed = [...dropped, ...(asked === request ? [] : [`max_tokens above ${asked.maxTokens}`])];
        return changed.length === 0 ? answer : { ...answer, unsent: changed };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof BrokenStream) throw withCame(asModelError(error.cause, this.#asked), error);
        const refusal = causesOf(error).find((cause) => cause instanceof Refusal);
        if (refusal === undefined || refusals === MOST_CHANGES) throw asModelError(error, this.#asked);
        if (isAboutContent(refusal.said)) return this.#filtered(request, refusal);
        const maxTokens = fittingTokens(refusal.said, asked.maxTokens);
        if (maxTokens !== null) asked = { ...asked, maxTokens };
        else unsent.add(this.#leftOut(request, unsent, refusal));
      }
    }
  }

  /** The setting that is to be left out. Throws where the refusal is about something else. */
  #leftOut(request: ChatRequest, unsent: ReadonlySet<Setting>, refusal: Refusal): Setting {
    const sent = new Set(Object.keys(bodyOf(request, unsent)) as Setting[]);
    if (hasSystem(request) && !unsent.has('system')) sent.add('system');
    const setting = refusedSetting(refusal.said, sent);
    if (setting === null) throw asModelError(refusal, this.#asked);
    if (request.tokens === true && (setting === 'temperature' || setting === 'top_p'))
      throw lasting(
        `${hideCredentials(this.#options.baseUrl)} does not take ${setting} for ${request.model}, so nobody knows how it samples, and nothing can be learned from its answers: set model.trainable to false, or ask an endpoint that takes it`,
      );
    return setting;
  }

  /** The endpoint refuses a prompt for its content, which is an answer like any other. */
  #filtered({ n, model }: ChatRequest, refusal: Refusal): ChatResponse {
    this.#refusals.note(model, this.#options.keys.error(refusal.said.words));
    return {
      choices: Array.from({ length: n }, () => ({ text: '', reasoning: null, finishReason: 'content_filter' })),
      usage: { in: 0, out: 0 },
      model,
    };
  }

  async models(): Promise<readonly string[]> {
    const { baseUrl, apiKey, keys } = this.#options;
    try {
      return (await askModelList({ baseUrl, apiKey, timeoutMs: 15_000, keys })).models ?? [];
    } catch (error) {
      throw asModelError(error, this.#asked);
    }
  }

  #apiFor({ n, maxTokens, tokens = false }: ChatRequest, stream: boolean): OpenAI {
    const { baseUrl, apiKey, timeoutMs } = this.#options;
    const key = `${n * maxTokens} ${stream} ${tokens}`;
    const api =
      this.#apis.get(key) ?? openAi({ baseUrl, apiKey, timeoutMs, stream, tokens: n * maxTokens, withIds: tokens });
    this.#apis.set(key, api);
    return api;
  }

  /** Some servers know no streams and send the whole answer at once, and some know nothing else. */
  async #answer(request: ChatRequest, body: Body, signal: AbortSignal): Promise<ChatResponse> {
    const { baseUrl, minIdleMs, keys } = this.#options;
    const { timeoutMs, key } = request;
    const stream = isStreamed(request);
    const clocks = streamClocks(signal, {
      wholeMs: timeoutMs,
      idleMs: Math.min(timeoutMs, Math.max(minIdleMs, timeoutMs / 4)),
      baseUrl: hideCredentials(baseUrl),
    });
    try {
      const response = await this.#apiFor(request, stream)
        .chat.completions.create(
          { ...body, stream },
          { signal: clocks.signal, timeout: timeoutMs, headers: { 'Idempotency-Key': key } },
        )
        .asResponse();
      if (response.headers.get('content-type') === 'application/json')
        return readCompletion(await response.json(), request, keys);
      const { streamBytes, bodyBytes } = limitsFor(request.n * request.maxTokens);
      const events = eventsOf(response.body!, { totalBytes: streamBytes, eventBytes: bodyBytes });
      const answer = await collect(events, request, keys, clocks.beat);
      signal.throwIfAborted();
      return answer;
    } catch (error) {
      const late = clocks.late();
      throw late === null ? error : error instanceof BrokenStream ? new BrokenStream(late, error.came) : late;
    } finally {
      clocks.stop();
    }
  }
}

/** The error with what the stream had brought before it, because the endpoint has worked on it. */
const withCame = (error: unknown, { came }: BrokenStream): unknown =>
  error instanceof ModelError ? new ModelError(error.message, { ...error, ...came }) : error;

/** The settings whose absence changes the answer. */
const RECORDED: readonly Setting[] = ['temperature', 'top_p', 'seed', 'reasoning_effort', 'system'];

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;

const bodyOf = (request: ChatRequest, unsent: ReadonlySet<Setting>): Body => {
  const unless = (name: Setting, fields: Partial<Body>): Partial<Body> => (unsent.has(name) ? {} : fields);
  return {
    model: request.model,
    messages: unsent.has('system')
      ? withoutSystem(request.messages)
      : request.messages.map(({ role, content }) => ({ role, content })),
    ...(unsent.has('max_tokens') ? { max_completion_tokens: request.maxTokens } : { max_tokens: request.maxTokens }),
    ...unless('temperature', { temperature: request.temperature }),
    ...(request.topP === null ? {} : unless('top_p', { top_p: request.topP })),
    ...unless('seed', { seed: request.seed }),
    ...(request.n > 1 ? unless('n', { n: request.n }) : {}),
    ...(request.reasoningEffort
      ? unless('reasoning_effort', {
          reasoning_effort: request.reasoningEffort as NonNullable<Body['reasoning_effort']>,
        })
      : {}),
    ...(isStreamed(request) ? unless('stream_options', { stream_options: { include_usage: true } }) : {}),
    ...(request.tokens === true ? (TOKENS as Partial<Body>) : {}),
  };
};

/** Token ids come with an answer as a whole only. */
const isStreamed = ({ stream, tokens }: ChatRequest): boolean => stream === true && tokens !== true;

/**
 * Asks for ids and logprobs as vLLM names them (`return_token_ids`) and as SGLang does. Servers may take sampling
 * settings from the model's own folder where a request names none, and the logprobs would not be those of what was
 * sampled: so they are named here, each with the value that changes nothing.
 */
const TOKENS = {
  logprobs: true,
  return_token_ids: true,
  return_prompt_token_ids: true,
  return_meta_info: true,
  top_k: -1,
  min_p: 0,
  repetition_penalty: 1,
};

const hasSystem = ({ messages }: ChatRequest): boolean => messages.some(({ role }) => role === 'system');

/** Templates of some models know no system role: its text begins the first turn of the user. */
const withoutSystem = (messages: ChatRequest['messages']): Message[] => {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const [first, ...rest] = messages.filter(({ role }) => role !== 'system');
  return [{ role: 'user', content: [...system, first?.content ?? ''].join('\n\n') }, ...rest];
};
