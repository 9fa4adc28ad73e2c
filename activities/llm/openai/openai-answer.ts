// A chat completion, whole or streamed, read without trust: choices, reasoning apart from the answer, usage; and the
// clocks that a stream runs under.
import type { KeyRing } from '../transport/key-ring.ts';
import { ModelError, passing } from '../transport/model-error.ts';
import type { Usage } from '../../../evolution/types.ts';
import { countFrom, fieldsOf, usageFrom } from '../transport/numbers.ts';
import type { ChatRequest, ChatResponse, Choice, Sampled } from '../chat/client.ts';
import { readSampled } from './sampled-tokens.ts';

/** The keys that may not be in an answer. */
type Keys = Pick<KeyRing, 'answer' | 'error'>;

export const readCompletion = (completion: unknown, request: ChatRequest, keys: Keys): ChatResponse => {
  const { choices, usage, model } = fieldsOf(completion);
  if (!Array.isArray(choices))
    throw incomplete(`expected a chat completion with choices, got ${keys.error(described(completion))}`, {
      usage: saidUsage(usage, request),
      // It is no program, so whatever looks like a key goes, and a thousand characters are enough.
      heard: keys.error(described(completion, MAX_HEARD_CHARS)),
    });
  const written = choices.slice(0, request.n).map(readChoice);
  if (request.tokens === true)
    for (const [index, sampled] of readSampled(fieldsOf(completion), request).entries())
      written[index]!.sampled = sampled;
  return responseOf({ written, usage, model }, request, keys);
};

type Written = {
  text: string;
  refusal: string;
  reasoning: string | null;
  finishReason: string | null;
  sampled?: Sampled;
};

/** An answer without content counts as empty. Reasoning is an extension of several servers. */
const readChoice = (choice: unknown): Written => {
  const { message, finish_reason: finishReason } = fieldsOf(choice);
  const { content, refusal, reasoning } = partsOf(message);
  return { text: content ?? '', refusal: refusal ?? '', reasoning, finishReason: textOf(finishReason) };
};

type Parts = { readonly content: string | null; readonly refusal: string | null; readonly reasoning: string | null };

/** Answer and reasoning of a message, or of what a stream adds to one. */
const partsOf = (message: unknown): Parts => {
  const fields = fieldsOf(message);
  return {
    content: textOf(fields['content']),
    refusal: textOf(fields['refusal']),
    reasoning: textOf(fields['reasoning_content'] ?? fields['reasoning']),
  };
};

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The longest name or reason, in characters. */
const LONGEST_NAME = 200;
const nameOf = (value: unknown, keys: Keys): string | null =>
  typeof value === 'string' && value !== '' ? keys.error(value).slice(0, LONGEST_NAME).toWellFormed() : null;

type Answered = { readonly written: readonly Written[]; readonly usage: unknown; readonly model: unknown };

/** Cleans what was written of keys and of halves of characters, which no database stores, and counts its tokens. */
const responseOf = ({ written, usage: said, model }: Answered, request: ChatRequest, keys: Keys): ChatResponse => {
  const clean = (text: string): string => keys.answer(text.toWellFormed());
  const choices = written.map(({ text, refusal, reasoning, finishReason, sampled }): Choice => {
    const shown = { text: clean(text || refusal), reasoning: reasoning === null ? null : clean(reasoning) };
    // Tokens can be read as text again, so those of a text that held a key are not kept either.
    const isClean =
      shown.text === (text || refusal).toWellFormed() && shown.reasoning === (reasoning?.toWellFormed() ?? null);
    return {
      ...shown,
      finishReason: nameOf(finishReason, keys),
      ...(sampled === undefined ? {} : { sampled: isClean ? sampled : { broken: 'the answer holds a key' } }),
    };
  });
  const { usage, estimated } = usageFrom(said, {
    askedChars: request.messages.reduce((sum, { content }) => sum + content.length, 0),
    answeredChars: choices.reduce((sum, { text, reasoning }) => sum + text.length + (reasoning?.length ?? 0), 0),
    allowedTokens: request.n * request.maxTokens,
  });
  // The name that the request gave is no secret, though it may look like a key, as `hf-llama-3.1-8b-instruct` does.
  const answeredBy = model === request.model ? request.model : (nameOf(model, keys) ?? request.model);
  return { choices, usage, ...(estimated ? { estimated } : {}), model: answeredBy };
};

/** The longest part of an answer that is kept where the answer does not count, in characters. */
const MAX_HEARD_CHARS = 100_000;

/** An answer that is not whole: the model has worked on it, and its tokens count. */
type Came = { readonly usage: Usage | null; readonly heard: string | null };

const incomplete = (message: string, came: Came): ModelError =>
  new ModelError(message, { status: 200, fatal: false, retryAfterMs: null, ...came });

const heardOf = (written: readonly Written[], keys: Keys): string | null =>
  keys
    .answer(
      written
        .map(({ text, refusal, reasoning }) => `${reasoning ?? ''}${text}${refusal}`)
        .join('\n')
        .toWellFormed(),
    )
    .slice(0, MAX_HEARD_CHARS) || null;

/** A stream ended by an error, which is its cause. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
  readonly came: Came;
  constructor(cause: unknown, came: Came) {
    super('the stream broke off', { cause });
    this.came = came;
  }
}

async function* untilBroken(chunks: AsyncIterable<unknown>, came: () => Came): AsyncGenerator<unknown> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await source.next().catch((error: unknown) => {
        throw new BrokenStream(error, came());
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await source.return?.();
  }
}

/** The tokens that the endpoint named; null where it named none that can be. */
const saidUsage = (said: unknown, request: ChatRequest): Usage | null => {
  const { usage, estimated } = usageFrom(said, {
    askedChars: request.messages.reduce((sum, { content }) => sum + content.length, 0),
    answeredChars: 0,
    allowedTokens: request.n * request.maxTokens,
  });
  return estimated ? null : usage;
};

const described = (value: unknown, most = 120): string => {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, most);
  } catch {
    return 'something that cannot be shown';
  }
};

/** The longest silence within a stream is a quarter of the whole time-out, and at least this. */
export const MIN_IDLE_MS = 60_000;

/** A stream has no more answers than this, whatever numbers it gives them. */
const MAX_ANSWERS = 1_000;

/**
 * Puts a streamed answer together: choices by index, usage from the last chunk. Where the stream ends before each
 * answer in it has a reason to end, nothing of it counts, and a ModelError that may pass is thrown.
 */
export const collect = async (
  chunks: AsyncIterable<unknown>,
  request: ChatRequest,
  keys: Keys,
  onChunk: () => void,
): Promise<ChatResponse> => {
  const written = new Map<number, Written>();
  let usage: unknown = null;
  let model: unknown = null;
  const came = (): Came => ({ usage: saidUsage(usage, request), heard: heardOf([...written.values()], keys) });
  for await (const chunk of untilBroken(chunks, came)) {
    onChunk();
    const fields = fieldsOf(chunk);
    model ??= fields['model'] || null;
    usage = fields['usage'] ?? usage;
    for (const choice of Array.isArray(fields['choices']) ? (fields['choices'] as readonly unknown[]) : []) {
      const { index: said, delta, finish_reason: finishReason } = fieldsOf(choice);
      const index = countFrom(said) ?? 0;
      const one = written.get(index) ?? { text: '', refusal: '', reasoning: null, finishReason: null };
      if (!written.has(index) && written.size === MAX_ANSWERS)
        throw passing(`its stream has more than ${MAX_ANSWERS} answers`, 200);
      const { content, refusal, reasoning } = partsOf(delta);
      one.text += content ?? '';
      one.refusal += refusal ?? '';
      if (reasoning !== null) one.reasoning = (one.reasoning ?? '') + reasoning;
      one.finishReason = textOf(finishReason) ?? one.finishReason;
      written.set(index, one);
    }
  }
  const answers = [...written].sort(([a], [b]) => a - b).map(([, one]) => one);
  if ((answers.length === 0 && usage === null) || answers.some(({ finishReason }) => finishReason === null))
    throw incomplete('the stream broke off before the answer was whole', came());
  return responseOf({ written: answers.slice(0, request.n), usage, model }, request, keys);
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
    late = passing(message);
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
