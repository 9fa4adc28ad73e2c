// The model client over the `openai` package: any endpoint that speaks /v1/chat/completions.
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { type ChatRequest, type ChatResponse, type ModelClient, ModelError } from './client.ts';
import { patientFetch } from './endpoint.ts';
import { collect, MIN_IDLE_MS, readCompletion, streamClocks } from './openai-answer.ts';
import { rootOf } from '../../../evolution/root-cause.ts';

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

/** Whether the endpoint refused prompt or answer for its content, which is a response like any other and no fault. */
const isContentFilter = (error: unknown): boolean =>
  error instanceof APIError && error.status === 400 && FILTER_CODES.has(String(error.code));

/**
 * Statuses that no repetition cures: wrong request, wrong key, no such model. 408, 409, 429 and 5xx are tried again.
 */
const FATAL_STATUS = new Set([400, 401, 403, 404, 405, 413, 422]);

type OpenAiClientOptions = {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly timeoutMs: number;
  /** The default is MIN_IDLE_MS. */
  readonly minIdleMs?: number;
};

export const createOpenAiClient = ({
  baseUrl,
  apiKey,
  timeoutMs,
  minIdleMs = MIN_IDLE_MS,
}: OpenAiClientOptions): ModelClient => {
  // A key must be given even where the endpoint wants none, because the package refuses an empty one.
  const api = new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none',
    maxRetries: 0,
    timeout: timeoutMs,
    ...patientFetch,
  });
  /** Settings that the endpoint does not take, by model. */
  const refused = new Map<string, Set<Setting>>();

  const whole = async (request: ChatRequest, body: Body, signal: AbortSignal): Promise<ChatResponse> =>
    readCompletion(
      await api.chat.completions.create(
        { ...body, stream: false },
        { signal, timeout: request.timeoutMs, headers: headersOf(request) },
      ),
      request,
    );

  const streamed = async (request: ChatRequest, body: Body, signal: AbortSignal): Promise<ChatResponse> => {
    const clocks = streamClocks(signal, {
      wholeMs: request.timeoutMs,
      idleMs: Math.min(request.timeoutMs, Math.max(minIdleMs, request.timeoutMs / 4)),
      baseUrl,
    });
    try {
      const { data, response } = await api.chat.completions
        .create(
          { ...body, stream: true },
          { signal: clocks.signal, timeout: request.timeoutMs, headers: headersOf(request) },
        )
        .withResponse();
      // Some servers know no streams and send the whole answer at once.
      if (response.headers.get('content-type')?.includes('application/json'))
        return readCompletion((await response.json()) as OpenAI.ChatCompletion, request);
      return await collect(whileOpen(data, clocks.signal), request, clocks.beat);
    } catch (error) {
      throw clocks.late() ?? error;
    } finally {
      clocks.stop();
    }
  };

  return {
    async chat(request, signal) {
      const unsent = new Set(refused.get(request.model));
      for (;;) {
        const body = bodyOf(request, unsent);
        const sent = new Set(SETTINGS.filter((name) => name in body));
        try {
          const answer = await (request.stream === true ? streamed : whole)(request, body, signal);
          // What was left out is left out of later requests only where the endpoint then answered.
          if (unsent.size > 0) refused.set(request.model, new Set([...(refused.get(request.model) ?? []), ...unsent]));
          const dropped = RECORDED.filter((name) => unsent.has(name));
          return dropped.length === 0 ? answer : { ...answer, unsent: dropped };
        } catch (error) {
          signal.throwIfAborted();
          if (isContentFilter(error)) return filtered(request);
          const setting = refusedSetting(error, sent);
          if (setting === null) throw asModelError(error, baseUrl);
          unsent.add(setting);
        }
      }
    },
    async models() {
      try {
        const page = await api.models.list({ timeout: 15_000 });
        return page.data.map((model) => model.id);
      } catch (error) {
        throw asModelError(error, baseUrl);
      }
    },
  };
};

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
    ...(request.stream === true ? unless('stream_options', { stream_options: { include_usage: true } }) : {}),
  };
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

/** `settings` are those that name model and endpoint, for the message about a missing one. */
export const asModelError = (
  error: unknown,
  baseUrl: string,
  settings = 'EVOLVE_MODEL and OPENAI_BASE_URL',
): unknown => {
  if (error instanceof ModelError || error instanceof APIUserAbortError) return error;
  if (error instanceof APIConnectionTimeoutError)
    return new ModelError(`${baseUrl} did not answer in time`, {
      status: null,
      fatal: false,
      retryAfterMs: null,
      cause: error,
    });
  if (error instanceof APIConnectionError)
    return new ModelError(`${baseUrl} cannot be reached (${rootOf(error).message})`, {
      status: null,
      fatal: false,
      retryAfterMs: null,
      cause: error,
    });
  if (error instanceof APIError) {
    const status = error.status ?? null;
    return new ModelError(`${baseUrl} answered ${status ?? 'an error'}: ${error.message}${hint(status, settings)}`, {
      status,
      fatal: status !== null && FATAL_STATUS.has(status),
      retryAfterMs: retryAfter(error.headers?.get('retry-after') ?? null),
      cause: error,
    });
  }
  return new ModelError(`${baseUrl} gave an answer that cannot be read (${rootOf(error).message})`, {
    status: null,
    fatal: false,
    retryAfterMs: null,
    cause: error,
  });
};

const hint = (status: number | null, settings: string): string =>
  status === 401 || status === 403
    ? ' (wrong or missing key: set OPENAI_API_KEY and run `evolve retry <run>`)'
    : status === 404
      ? ` (no such model or path: check ${settings})`
      : '';

/** Retry-After in seconds or as a date; at most ten minutes. */
const retryAfter = (header: string | null): number | null => {
  if (header === null) return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 600_000) : null;
};
