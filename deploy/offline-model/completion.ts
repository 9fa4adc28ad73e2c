// Builds the answer to a checked request: one JSON object, or the events of a stream.
import { answers } from './answer.ts';
import { sha256 } from '../host/sha256.ts';
import type { OfflineModelOptions } from './options.ts';
import { type CompletionRequest, MODEL_ID } from './request.ts';

/** Tokens are counted as one for every four characters begun. */
const CHARS_PER_TOKEN = 4;
const CHARS_PER_EVENT = 256;

type Choice = { readonly index: number; readonly text: string | null; readonly finishReason: 'stop' | 'length' };
export type Completion = {
  readonly id: string;
  readonly created: number;
  readonly choices: readonly Choice[];
  readonly usage: Readonly<Record<string, number>>;
};

/** `empty` is the fault that answers without choices. */
export function complete(
  request: CompletionRequest,
  options: OfflineModelOptions,
  created: number,
  empty: boolean,
): Completion {
  const count = empty ? 0 : options.nativeN ? request.n : 1;
  const seeds = Array.from({ length: count }, (_, index) => request.seed + index);
  const choices = answers(request.messages, seeds, options).map(({ text }, index) =>
    cut(index, text, request.maxTokens),
  );
  const promptTokens = tokens(request.promptText);
  const completionTokens = choices.reduce((sum, choice) => sum + tokens(choice.text ?? ''), 0);
  return {
    id: `chatcmpl-${sha256(`${request.promptText} ${request.seed}`).slice(0, 24)}`,
    created,
    choices,
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}

export function tokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

function cut(index: number, text: string | null, maxTokens: number | null): Choice {
  if (text === null || maxTokens === null || tokens(text) <= maxTokens) return { index, text, finishReason: 'stop' };
  return { index, text: text.slice(0, maxTokens * CHARS_PER_TOKEN), finishReason: 'length' };
}

export function completionBody(completion: Completion): string {
  const { id, created, usage } = completion;
  const choices = completion.choices.map(({ index, text, finishReason }) => ({
    index,
    message: { role: 'assistant', content: text, refusal: null },
    logprobs: null,
    finish_reason: finishReason,
  }));
  return JSON.stringify({ id, object: 'chat.completion', created, model: MODEL_ID, choices, usage });
}

/** The server-sent events of a stream, with the closing [DONE]. */
export function completionEvents(completion: Completion, includeUsage: boolean): readonly string[] {
  const { id, created, usage } = completion;
  const event = (fields: object): string =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model: MODEL_ID, ...fields })}\n\n`;
  const chunk = (index: number, delta: object, finishReason: string | null): string =>
    event({
      choices: [{ index, delta, logprobs: null, finish_reason: finishReason }],
      ...(includeUsage ? { usage: null } : {}),
    });
  const events = completion.choices.flatMap(({ index, text, finishReason }) => [
    chunk(index, { role: 'assistant', content: text === null ? null : '' }, null),
    ...pieces(text ?? '').map((piece) => chunk(index, { content: piece }, null)),
    chunk(index, {}, finishReason),
  ]);
  return [...events, ...(includeUsage ? [event({ choices: [], usage })] : []), 'data: [DONE]\n\n'];
}

function pieces(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / CHARS_PER_EVENT) }, (_, at) =>
    text.slice(at * CHARS_PER_EVENT, (at + 1) * CHARS_PER_EVENT),
  );
}
