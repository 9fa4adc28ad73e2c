// A chat completion as it came, read without trust: choices, reasoning apart, usage. Called by openai-client.ts and openai-stream.ts.
import type OpenAI from 'openai';
import type { Usage } from '../../evolution/types.ts';
import { ModelError, type ChatRequest, type ChatResponse, type Choice } from './client.ts';

export const readCompletion = (completion: OpenAI.ChatCompletion, request: ChatRequest): ChatResponse => {
  if (typeof completion !== 'object' || completion === null || !Array.isArray(completion.choices)) {
    throw new ModelError(`expected a chat completion with choices, got ${describe(completion)}`, { status: 200, fatal: false, retryAfterMs: null });
  }
  return {
    choices: completion.choices.slice(0, request.n).map(readChoice),
    usage: readUsage(completion.usage),
    model: completion.model ?? request.model,
  };
};

/** No content is an empty answer; reasoning is an extension of several servers. */
const readChoice = (choice: OpenAI.ChatCompletion.Choice): Choice => {
  const { content, refusal, reasoning } = partsOf(choice?.message);
  return { text: content ?? refusal ?? '', reasoning, finishReason: choice?.finish_reason ?? null };
};

type Parts = { readonly content: string | null; readonly refusal: string | null; readonly reasoning: string | null };

/** Of a message, or of what a stream adds to one. */
export const partsOf = (message: unknown): Parts => {
  const fields = (message ?? {}) as { content?: unknown; refusal?: unknown; reasoning_content?: unknown; reasoning?: unknown };
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return { content: text(fields.content), refusal: text(fields.refusal), reasoning: text(fields.reasoning_content ?? fields.reasoning) };
};

type Details = { readonly cached_tokens?: unknown; readonly reasoning_tokens?: unknown } | null | undefined;

/** Cached and reasoning tokens where the endpoint names them; they are part of those in and out. */
export const readUsage = (usage: unknown): Usage => {
  const fields = (usage ?? {}) as { prompt_tokens?: unknown; completion_tokens?: unknown; prompt_tokens_details?: Details; completion_tokens_details?: Details };
  const cached = fields.prompt_tokens_details?.cached_tokens;
  const reasoning = fields.completion_tokens_details?.reasoning_tokens;
  return {
    in: count(fields.prompt_tokens), out: count(fields.completion_tokens),
    ...(typeof cached === 'number' ? { cached: count(cached) } : {}), ...(typeof reasoning === 'number' ? { reasoning: count(reasoning) } : {}),
  };
};

export const count = (tokens: unknown): number => (typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? Math.floor(tokens) : 0);
export const describe = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 120);
