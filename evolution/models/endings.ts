// The reasons that endpoints give for the end of an answer, and what each means. The sources are in docs/shapes.md.

/** A reason as it is stored: one of these, or the endpoint's own word where nobody knows it. */
const MEANINGS: Readonly<Record<'stop' | 'length' | 'content_filter' | 'tool_calls' | 'failed', readonly string[]>> = {
  stop: ['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence', 'complete', 'completed', 'end', 'end_id', 'done'],
  length: [
    ...['length', 'max_tokens', 'max_output_tokens', 'max_new_tokens', 'max_length', 'model_length', 'token_limit'],
    ...['model_context_window_exceeded', 'max_len', 'max_context', 'incomplete'],
  ],
  content_filter: [
    ...['content_filter', 'content_filtered', 'safety', 'recitation', 'blocklist', 'prohibited_content', 'spii'],
    ...['image_safety', 'image_recitation', 'image_prohibited_content', 'image_other', 'no_image', 'language', 'other'],
    ...['refusal', 'sensitive', 'guardrail_intervened', 'model_armor', 'error_toxic', 'blocked'],
  ],
  tool_calls: [
    ...['tool_calls', 'tool_call', 'tool_use', 'function_call', 'malformed_function_call', 'unexpected_tool_call'],
    ...['too_many_tool_calls', 'malformed_tool_use', 'pause_turn'],
  ],
  failed: [
    ...['error', 'failed', 'abort', 'aborted', 'cancelled', 'canceled', 'timeout', 'network_error', 'internal_error'],
    ...['insufficient_system_resource', 'error_limit', 'malformed_response', 'malformed_model_output', 'unspecified'],
    ...['timed_out', 'time_limit', 'user_cancel'],
  ],
};

const MEANING = new Map(Object.entries(MEANINGS).flatMap(([meaning, words]) => words.map((word) => [word, meaning])));

/** Gateways write a reason with hyphens, in capital letters, or with the name of its type before it. */
const plain = (reason: string): string =>
  reason
    .toLowerCase()
    .replace(/^(finish_?)?reason[._]/, '')
    .replaceAll(/[\s-]/g, '_');

type Came = {
  readonly text: string;
  readonly reasoning: string | null;
  /** The message has calls of tools, which no request offers. */
  readonly calledTool: boolean;
};

/**
 * The end of an answer. `failed`: the endpoint gave it up, and it counts as one that broke off. `reasoning`: it thought
 * and wrote nothing. A reason that nobody knows, and null where none was given, stay as they are.
 */
export const endingOf = (reason: string | null, { text, reasoning, calledTool }: Came): string | null => {
  const meaning = MEANING.get(plain(reason ?? '')) ?? null;
  if (meaning === 'failed' || meaning === 'length' || meaning === 'content_filter') return meaning;
  if (text.trim() !== '') return meaning === null ? reason : 'stop';
  if (calledTool || meaning === 'tool_calls') return 'tool_calls';
  return (reasoning ?? '').trim() === '' ? (meaning ?? reason) : 'reasoning';
};

const WORDS: Readonly<Record<string, string>> = {
  length: 'the answer was cut off at the largest number of tokens that an answer may have',
  content_filter: "the endpoint's content filter withheld the answer",
  tool_calls: 'the model called a tool, which nobody offered, in place of an answer',
  'no choices': 'the endpoint answered without any choice, as gateways do for a prompt that a model declines',
  reasoning: 'only reasoning came, and no answer after it: raise model.maxTokens, or lower model.reasoningEffort',
};

/** Why an answer ended too soon, in words; null where it came to its end, as far as the endpoint says. */
export const cutShort = (finishReason: string | null): string | null => WORDS[finishReason ?? ''] ?? null;

/** None was given, or it stands in a list. */
export const isKnownEnding = (finishReason: string | null): boolean =>
  finishReason === null || finishReason in WORDS || MEANING.has(plain(finishReason));
