// The model client over the `openai` package: any endpoint that speaks /v1/chat/completions.
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { ModelError, type ChatRequest, type ChatResponse, type Choice, type ModelClient } from './client.ts';

/** Statuses that no repetition cures: wrong request, wrong key, no such model. 408, 409, 429 and 5xx are tried again. */
const FATAL_STATUS = new Set([400, 401, 403, 404, 405, 413, 422]);

export const createOpenAiClient = (options: { readonly baseUrl: string; readonly apiKey: string | null; readonly timeoutMs: number }): ModelClient => {
  // Some client must be named even where the endpoint wants no key; the package refuses an empty one.
  const api = new OpenAI({ baseURL: options.baseUrl, apiKey: options.apiKey ?? 'none', maxRetries: 0, timeout: options.timeoutMs });
  // Newer OpenAI models refuse `max_tokens`; most other servers know nothing else. Learned from the first refusal.
  let limitName: 'max_tokens' | 'max_completion_tokens' = 'max_tokens';
  const complete = (request: ChatRequest, signal: AbortSignal): Promise<OpenAI.ChatCompletion> => api.chat.completions.create({
    model: request.model, temperature: request.temperature, top_p: request.topP, [limitName]: request.maxTokens, seed: request.seed,
    ...(request.n > 1 ? { n: request.n } : {}),
    messages: request.messages.map(({ role, content }) => ({ role, content })),
  }, { signal, timeout: request.timeoutMs, headers: { 'Idempotency-Key': request.key } });

  return {
    async chat(request, signal) {
      try {
        return readCompletion(await complete(request, signal), request);
      } catch (error) {
        if (error instanceof APIError && error.status === 400 && limitName === 'max_tokens' && error.message.includes('max_completion_tokens')) {
          limitName = 'max_completion_tokens';
          return this.chat(request, signal);
        }
        throw asModelError(error, options.baseUrl);
      }
    },
    async models() {
      try {
        const page = await api.models.list({ timeout: 15_000 });
        return page.data.map((model) => model.id);
      } catch (error) {
        throw asModelError(error, options.baseUrl);
      }
    },
  };
};

const readCompletion = (completion: OpenAI.ChatCompletion, request: ChatRequest): ChatResponse => {
  if (typeof completion !== 'object' || completion === null || !Array.isArray(completion.choices)) {
    throw new ModelError(`expected a chat completion with choices, got ${describe(completion)}`, { status: 200, fatal: false, retryAfterMs: null });
  }
  return {
    choices: completion.choices.slice(0, request.n).map(readChoice),
    usage: { in: count(completion.usage?.prompt_tokens), out: count(completion.usage?.completion_tokens) },
    model: completion.model ?? request.model,
  };
};

/** A choice as it came: no content is an empty answer, reasoning (an extension of several servers) is kept apart. */
const readChoice = (choice: OpenAI.ChatCompletion.Choice): Choice => {
  const message = (choice?.message ?? {}) as { content?: unknown; refusal?: unknown; reasoning_content?: unknown; reasoning?: unknown };
  const reasoning = message.reasoning_content ?? message.reasoning;
  const text = typeof message.content === 'string' ? message.content : typeof message.refusal === 'string' ? message.refusal : '';
  return { text, reasoning: typeof reasoning === 'string' ? reasoning : null, finishReason: choice?.finish_reason ?? null };
};

export const count = (tokens: unknown): number => (typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? Math.floor(tokens) : 0);
export const describe = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 120);

/** `settings`: those that name model and endpoint, for the one that is not there. */
export const asModelError = (error: unknown, baseUrl: string, settings = 'EVOLVE_MODEL and OPENAI_BASE_URL'): unknown => {
  if (error instanceof ModelError || error instanceof APIUserAbortError) return error;
  if (error instanceof APIConnectionTimeoutError) return new ModelError(`${baseUrl} did not answer in time`, { status: null, fatal: false, retryAfterMs: null, cause: error });
  if (error instanceof APIConnectionError) return new ModelError(`${baseUrl} cannot be reached (${rootMessage(error)})`, { status: null, fatal: false, retryAfterMs: null, cause: error });
  if (error instanceof APIError) {
    const status = error.status ?? null;
    return new ModelError(`${baseUrl} answered ${status ?? 'an error'}: ${error.message}${hint(status, settings)}`, {
      status, fatal: status !== null && FATAL_STATUS.has(status), retryAfterMs: retryAfter(error.headers?.get('retry-after') ?? null), cause: error,
    });
  }
  return new ModelError(`${baseUrl} gave an answer that cannot be read (${rootMessage(error)})`, { status: null, fatal: false, retryAfterMs: null, cause: error });
};

const rootMessage = (error: unknown): string => {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause instanceof Error ? cause.message : String(cause);
};

const hint = (status: number | null, settings: string): string =>
  status === 401 || status === 403 ? ' (wrong or missing key: set OPENAI_API_KEY and run `evolve retry <run>`)'
    : status === 404 ? ` (no such model or path: check ${settings})` : '';

/** Retry-After in seconds or as a date; at most ten minutes. */
const retryAfter = (header: string | null): number | null => {
  if (header === null) return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 600_000) : null;
};
