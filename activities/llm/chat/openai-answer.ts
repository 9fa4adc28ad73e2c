// A chat completion, whole or streamed, read without trust: choices, reasoning apart from the answer, usage; and the
// clocks that a stream runs under.
import type OpenAI from 'openai';
import type { Usage } from '../../../evolution/types.ts';
import { type ChatRequest, type ChatResponse, type Choice, ModelError } from './client.ts';

export const readCompletion = (completion: OpenAI.ChatCompletion, request: ChatRequest): ChatResponse => {
  if (typeof completion !== 'object' || completion === null || !Array.isArray(completion.choices)) {
    throw new ModelError(`expected a chat completion with choices, got ${describe(completion)}`, {
      status: 200,
      fatal: false,
      retryAfterMs: null,
    });
  }
  return {
    choices: completion.choices.slice(0, request.n).map(readChoice),
    usage: readUsage(completion.usage),
    model: completion.model ?? request.model,
  };
};

/** An answer without content counts as empty. Reasoning is an extension of several servers. */
const readChoice = (choice: OpenAI.ChatCompletion.Choice): Choice => {
  const { content, refusal, reasoning } = partsOf(choice?.message);
  return { text: content ?? refusal ?? '', reasoning, finishReason: choice?.finish_reason ?? null };
};

type Parts = { readonly content: string | null; readonly refusal: string | null; readonly reasoning: string | null };

/** Answer and reasoning of a message, or of what a stream adds to one. */
const partsOf = (message: unknown): Parts => {
  const fields = (message ?? {}) as {
    content?: unknown;
    refusal?: unknown;
    reasoning_content?: unknown;
    reasoning?: unknown;
  };
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    content: text(fields.content),
    refusal: text(fields.refusal),
    reasoning: text(fields.reasoning_content ?? fields.reasoning),
  };
};

type Details = { readonly cached_tokens?: unknown; readonly reasoning_tokens?: unknown } | null | undefined;

/** Cached and reasoning tokens where the endpoint names them; they are part of those in and out. */
const readUsage = (usage: unknown): Usage => {
  const fields = (usage ?? {}) as {
    prompt_tokens?: unknown;
    completion_tokens?: unknown;
    prompt_tokens_details?: Details;
    completion_tokens_details?: Details;
  };
  const cached = fields.prompt_tokens_details?.cached_tokens;
  const reasoning = fields.completion_tokens_details?.reasoning_tokens;
  return {
    in: count(fields.prompt_tokens),
    out: count(fields.completion_tokens),
    ...(typeof cached === 'number' ? { cached: count(cached) } : {}),
    ...(typeof reasoning === 'number' ? { reasoning: count(reasoning) } : {}),
  };
};

export const count = (tokens: unknown): number =>
  typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? Math.floor(tokens) : 0;
export const describe = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 120);

/** The longest silence within a stream is a quarter of the whole time-out, and at least this. */
export const MIN_IDLE_MS = 60_000;

type Written = { text: string; refusal: string; reasoning: string | null; finishReason: string | null };

/**
 * Puts a streamed answer together: choices by index, usage from the last chunk. Where the stream ends before each
 * answer in it has a reason to end, nothing of it counts, and a ModelError that may pass is thrown.
 */
export const collect = async (
  chunks: AsyncIterable<OpenAI.ChatCompletionChunk>,
  request: ChatRequest,
  onChunk: () => void,
): Promise<ChatResponse> => {
  const written = new Map<number, Written>();
  let usage: Usage | null = null;
  let model: string | null = null;
  for await (const chunk of chunks) {
    onChunk();
    model ??= chunk.model || null;
    if (chunk.usage) usage = readUsage(chunk.usage);
    for (const choice of chunk.choices ?? []) {
      const one = written.get(choice.index ?? 0) ?? { text: '', refusal: '', reasoning: null, finishReason: null };
      const { content, refusal, reasoning } = partsOf(choice.delta);
      one.text += content ?? '';
      one.refusal += refusal ?? '';
      if (reasoning !== null) one.reasoning = (one.reasoning ?? '') + reasoning;
      one.finishReason = choice.finish_reason ?? one.finishReason;
      written.set(choice.index ?? 0, one);
    }
  }
  const answers = [...written].sort(([a], [b]) => a - b).map(([, one]) => one);
  if ((answers.length === 0 && usage === null) || answers.some(({ finishReason }) => finishReason === null)) {
    throw new ModelError('the stream broke off before the answer was whole', {
      status: 200,
      fatal: false,
      retryAfterMs: null,
    });
  }
  return {
    choices: answers
      .slice(0, request.n)
      .map(({ text, refusal, reasoning, finishReason }) => ({ text: text || refusal, reasoning, finishReason })),
    usage: usage ?? { in: 0, out: 0 },
    model: model ?? request.model,
  };
};

type StreamClocks = {
  /** Aborted by the caller's signal, or when a clock runs out. */
  readonly signal: AbortSignal;
  /** Says that something came, and the clock of silence begins again. */
  readonly beat: () => void;
  /** The time-out that ended the stream, or null where none did. */
  readonly late: () => ModelError | null;
  readonly stop: () => void;
};

/**
 * The whole answer may take the time-out. From the first chunk on, the silence between two chunks is bounded as well.
 */
export const streamClocks = (
  caller: AbortSignal,
  { wholeMs, idleMs, baseUrl }: { readonly wholeMs: number; readonly idleMs: number; readonly baseUrl: string },
): StreamClocks => {
  const controller = new AbortController();
  let late: ModelError | null = null;
  const end = (message: string) => (): void => {
    late = new ModelError(message, { status: null, fatal: false, retryAfterMs: null });
    controller.abort(late);
  };
  const whole = setTimeout(end(`${baseUrl} did not finish its answer in time`), wholeMs);
  let idle: NodeJS.Timeout | undefined;
  return {
    signal: AbortSignal.any([caller, controller.signal]),
    beat() {
      clearTimeout(idle);
      idle = setTimeout(end(`${baseUrl} fell silent in the middle of its answer`), idleMs);
    },
    late: () => late,
    stop() {
      clearTimeout(whole);
      clearTimeout(idle);
    },
  };
};
