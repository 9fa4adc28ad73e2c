// The model client over the `openai` package: any endpoint that speaks /v1/chat/completions.
import type OpenAI from 'openai';
import { APIError } from 'openai';
import { LRUCache } from 'lru-cache';
import { hideCredentials } from '../../../evolution/config/layers.ts';
import { createKeyRing, type KeyRing } from '../transport/key-ring.ts';
import { askModelList } from '../transport/model-list.ts';
import { lasting } from '../transport/model-error.ts';
import { openAi } from '../transport/openai.ts';
import { asModelError } from '../transport/openai-errors.ts';
import { type ChatRequest, type ChatResponse, type ModelClient, ModelError } from '../chat/client.ts';
import { BrokenStream, collect, MIN_IDLE_MS, readCompletion, streamClocks } from './openai-answer.ts';

/**
 * Settings that an endpoint may refuse for a model. Newer OpenAI models take `max_completion_tokens` in place of
 * `max_tokens`; most other servers know only `max_tokens`.
 */
type Setting = 'temperature' | 'top_p' | 'seed' | 'max_tokens' | 'stream_options';

const NAMED: readonly Setting[] = ['temperature', 'top_p', 'seed', 'stream_options'];
/** An error about a value out of range is no reason to leave the setting out. */
const NOT_TAKEN =
  /unsupported|not support|not permitted|not allowed|not available|unknown|unrecogni[sz]ed|unexpected|only the default|does not accept|deprecated|cannot both/i;

/** The sent setting that this error refuses. Null where the error is about something else. */
const refusedSetting = (error: unknown, sent: ReadonlySet<Setting>): Setting | null => {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return null;
  const { message, param } = error;
  if (sent.has('max_tokens') && message.includes('max_completion_tokens')) return 'max_tokens';
  if (!NOT_TAKEN.test(message)) return null;
  const named = NAMED.filter((name) => sent.has(name) && (param === name || new RegExp(`\\b${name}\\b`).test(message)));
  // Of two settings that exclude each other, the temperature stays.
  if (/cannot both/i.test(message) && named.includes('top_p')) return 'top_p';
  return named.find((name) => name === param) ?? named[0] ?? null;
};

const FILTER_CODES = new Set(['content_filter', 'content_policy_violation']);

/** The endpoint refused prompt or answer for its content, which is a response like any other and no fault. */
const isContentFilter = (error: unknown): boolean =>
  error instanceof APIError && error.status === 400 && FILTER_CODES.has(error.code ?? '');

type OpenAiClientOptions = {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly timeoutMs: number;
  /** The default is MIN_IDLE_MS. */
  readonly minIdleMs?: number;
  /** All keys of this process; none of them is in an answer or an error. `apiKey` is added to it. */
  readonly keys?: KeyRing;
};

export const createOpenAiClient = (options: OpenAiClientOptions): ModelClient => new OpenAiClient(options);

class OpenAiClient implements ModelClient {
  readonly #options: Required<OpenAiClientOptions>;
  /** Clients of the package, which are much to make anew for each request. Few sizes of answers are asked for. */
  readonly #apis = new LRUCache<string, OpenAI>({ max: 64 });
  /** Settings that the endpoint does not take, by model. */
  readonly #refused = new Map<string, Set<Setting>>();
  readonly #asked: Parameters<typeof asModelError>[1];

  constructor({ minIdleMs = MIN_IDLE_MS, keys = createKeyRing(), ...options }: OpenAiClientOptions) {
    const { baseUrl, apiKey } = options;
    if (apiKey !== null) keys.remember(apiKey);
    this.#options = { ...options, minIdleMs, keys };
    this.#asked = {
      baseUrl,
      keys,
      settings: 'model.name and model.baseUrl, which EVOLVE_MODEL and OPENAI_BASE_URL may give',
    };
  }

  async chat(request: ChatRequest, signal: AbortSignal): Promise<ChatResponse> {
    const { baseUrl } = this.#options;
    const unsent = new Set(this.#refused.get(request.model));
    for (;;) {
      const body = bodyOf(request, unsent);
      const sent = new Set(SETTINGS.filter((name) => name in body));
      try {
        const answer = await (isStreamed(request)
          ? this.#streamed(request, body, signal)
          : this.#whole(request, body, signal));
        // What was left out is left out of later requests only where the endpoint then answered.
        if (unsent.size > 0)
          this.#refused.set(request.model, new Set([...(this.#refused.get(request.model) ?? []), ...unsent]));
        const dropped = RECORDED.filter((name) => unsent.has(name));
        return dropped.length === 0 ? answer : { ...answer, unsent: dropped };
      } catch (error) {
        signal.throwIfAborted();
        if (isContentFilter(error)) return filtered(request);
        if (error instanceof BrokenStream) throw withCame(asModelError(error.cause, this.#asked), error);
        const setting = refusedSetting(error, sent);
        if (setting === null) throw asModelError(error, this.#asked);
        if (request.tokens === true && (setting === 'temperature' || setting === 'top_p'))
          throw lasting(
            `${hideCredentials(baseUrl)} does not take ${setting} for ${request.model}, so nobody knows how it samples, and nothing can be learned from its answers: set model.trainable to false, or ask an endpoint that takes it`,
          );
        unsent.add(setting);
      }
    }
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

  async #whole(request: ChatRequest, body: Body, signal: AbortSignal): Promise<ChatResponse> {
    return readCompletion(
      await this.#apiFor(request, false).chat.completions.create(
        { ...body, stream: false },
        { signal, timeout: request.timeoutMs, headers: headersOf(request) },
      ),
      request,
      this.#options.keys,
    );
  }

  async #streamed(request: ChatRequest, body: Body, signal: AbortSignal): Promise<ChatResponse> {
    const { baseUrl, minIdleMs, keys } = this.#options;
    const clocks = streamClocks(signal, {
      wholeMs: request.timeoutMs,
      idleMs: Math.min(request.timeoutMs, Math.max(minIdleMs, request.timeoutMs / 4)),
      baseUrl: hideCredentials(baseUrl),
    });
    try {
      const { data, response } = await this.#apiFor(request, true)
        .chat.completions.create(
          { ...body, stream: true },
          { signal: clocks.signal, timeout: request.timeoutMs, headers: headersOf(request) },
        )
        .withResponse();
      // Some servers know no streams and send the whole answer at once.
      if (response.headers.get('content-type')?.includes('application/json'))
        return readCompletion(await response.json(), request, keys);
      return await collect(whileOpen(data, clocks.signal), request, keys, clocks.beat);
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

const SETTINGS: readonly Setting[] = ['temperature', 'top_p', 'seed', 'max_tokens', 'stream_options'];
/** The settings whose absence changes the answer. */
const RECORDED: readonly Setting[] = ['temperature', 'top_p', 'seed'];

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;

const bodyOf = (request: ChatRequest, unsent: ReadonlySet<Setting>): Body => {
  const unless = (name: Setting, fields: Partial<Body>): Partial<Body> => (unsent.has(name) ? {} : fields);
  return {
    model: request.model,
    messages: request.messages.map(({ role, content }) => ({ role, content })),
    ...(unsent.has('max_tokens') ? { max_completion_tokens: request.maxTokens } : { max_tokens: request.maxTokens }),
    ...unless('temperature', { temperature: request.temperature }),
    ...unless('top_p', { top_p: request.topP }),
    ...unless('seed', { seed: request.seed }),
    ...(request.n > 1 ? { n: request.n } : {}),
    ...(request.reasoningEffort
      ? { reasoning_effort: request.reasoningEffort as NonNullable<Body['reasoning_effort']> }
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

const headersOf = ({ key }: ChatRequest): Record<string, string> => ({ 'Idempotency-Key': key });

/** The package ends an aborted stream as if it were whole, so the signal is checked here. */
async function* whileOpen<T>(chunks: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  yield* chunks;
  signal.throwIfAborted();
}

/** The answer for which a refusal of the content is taken, once for each response asked for. */
const filtered = ({ n, model }: ChatRequest): ChatResponse => ({
  choices: Array.from({ length: n }, () => ({ text: '', reasoning: null, finishReason: 'content_filter' })),
  usage: { in: 0, out: 0 },
  model,
});
