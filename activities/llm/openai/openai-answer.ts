// A chat completion, whole or streamed, read without trust: choices, reasoning apart from the answer, usage; and the
// clocks that a stream runs under.
import { endingOf } from '../../../evolution/models/endings.ts';
import type { Usage } from '../../../evolution/types.ts';
import { DONE } from '../transport/events.ts';
import type { KeyRing } from '../transport/key-ring.ts';
import { ModelError, passing, unmade } from '../transport/model-error.ts';
import { countFrom, fieldsOf, usageFrom } from '../transport/numbers.ts';
import { errorIn, Refusal, saidIn } from '../transport/refusal.ts';
import type { ChatRequest, ChatResponse, Choice, Sampled } from '../chat/client.ts';
import { joined, partsOf, textOf } from './message.ts';
import { readSampled } from './sampled-tokens.ts';

/** The keys that may not be in an answer. */
type Keys = Pick<KeyRing, 'answer' | 'error'>;

export const readCompletion = (completion: unknown, request: ChatRequest, keys: Keys): ChatResponse => {
  const fields = fieldsOf(completion);
  const { choices, usage, model } = fields;
  const said = saidUsage(usage, request);
  if (!Array.isArray(choices))
    throw incomplete(`expected a chat completion with choices, got ${keys.error(described(completion))}`, {
      usage: said,
      // It is no program, so whatever looks like a key goes, and a thousand characters are enough.
      heard: keys.error(described(completion, MAX_HEARD_CHARS)),
    });
  const all = choices.slice(0, request.n).map(fieldsOf);
  const ended = all.map((choice) => ({ choice, written: readChoice(choice) }));
  const kept = ended.filter(({ written }) => !hasFailed(written));
  if (kept.length === 0 && all.length > 0) {
    const heard = heardOf(
      ended.map(({ written }) => written),
      keys,
    );
    const error = errorIn(completion);
    throw error === null
      ? gaveUp({ usage: said, heard })
      : new BrokenStream(refusalOf(error, heard === null), { usage: said, heard });
  }
  const written = kept.map((one) => one.written);
  if (request.tokens === true)
    for (const [index, sampled] of readSampled(
      { ...fields, choices: kept.map(({ choice }) => choice) },
      request,
    ).entries())
      written[index]!.sampled = sampled;
  return responseOf({ written, usage, model }, request, keys);
};

type Written = {
  text: string;
  refusal: string;
  reasoning: string | null;
  calledTool: boolean;
  finishReason: string | null;
  sampled?: Sampled;
};

const nothing = (): Written => ({ text: '', refusal: '', reasoning: null, calledTool: false, finishReason: null });

/** Adds what a choice of an answer, or of an event, holds. */
const add = (to: Written, choice: Readonly<Record<string, unknown>>): Written => {
  const { content, refusal, reasoning, calledTool } = partsOf(choice);
  // Some streams end with the whole message after its pieces.
  const isWhole = choice['message'] !== undefined && to.text !== '' && content?.startsWith(to.text) === true;
  to.text = isWhole ? content! : to.text + (content ?? '');
  to.refusal += refusal ?? '';
  to.reasoning = joined(to.reasoning, reasoning);
  to.calledTool ||= calledTool;
  // Some servers write an empty reason into each event.
  to.finishReason = textOf(choice['finish_reason']) || to.finishReason;
  return to;
};

const readChoice = (choice: Readonly<Record<string, unknown>>): Written => add(nothing(), choice);

const ending = ({ finishReason, text, refusal, reasoning, calledTool }: Written): string | null =>
  endingOf(finishReason, { text: text || refusal, reasoning, calledTool });

const hasFailed = (written: Written): boolean => ending(written) === 'failed';

const refusalOf = (error: unknown, inAnswer: boolean): Refusal =>
  new Refusal(saidIn(200, JSON.stringify(error), null), inAnswer);

const gaveUp = (came: Came): ModelError => incomplete('the endpoint gave its answer up before it was whole', came);

/** The longest name or reason, in characters. */
const LONGEST_NAME = 200;
const nameOf = (value: unknown, keys: Keys): string | null =>
  typeof value === 'string' && value !== '' ? keys.error(value).slice(0, LONGEST_NAME).toWellFormed() : null;

type Answered = { readonly written: readonly Written[]; readonly usage: unknown; readonly model: unknown };

/** Cleans what was written of keys and of halves of characters, which no database stores, and counts its tokens. */
const responseOf = ({ written, usage: said, model }: Answered, request: ChatRequest, keys: Keys): ChatResponse => {
  const clean = (text: string): string => keys.answer(text.toWellFormed());
  const choices = written.map((one): Choice => {
    const { text, refusal, reasoning, sampled } = one;
    const shown = { text: clean(text || refusal), reasoning: reasoning === null ? null : clean(reasoning) };
    // Tokens can be read as text again, so those of a text that held a key are not kept either.
    const isClean =
      shown.text === (text || refusal).toWellFormed() && shown.reasoning === (reasoning?.toWellFormed() ?? null);
    return {
      ...shown,
      finishReason: nameOf(ending(one), keys),
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

/** An answer ended by an error, which is its cause. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
  readonly came: Came;
  constructor(cause: unknown, came: Came) {
    super('the stream broke off', { cause });
    this.came = came;
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
 * Puts a streamed answer together: choices by index, usage from the last event. It is whole where the stream says so, or
 * where each answer has a reason to end; what else breaks off counts for nothing, and an error that may pass is thrown.
 * `onEvent` is told whether anything is still to come.
 */
export const collect = async (
  events: AsyncIterable<unknown>,
  request: ChatRequest,
  keys: Keys,
  onEvent: (isOver: boolean) => void,
): Promise<ChatResponse> => {
  const answer = new Streamed(request, keys);
  const source = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await source.next().catch((error: unknown) => answer.brokenBy(error));
      if (next === null || next.done === true) return answer.response();
      answer.add(next.value);
      onEvent(answer.isOver);
    }
  } finally {
    await source.return?.();
  }
};

class Streamed {
  readonly #request: ChatRequest;
  readonly #keys: Keys;
  readonly #written = new Map<number, Written>();
  #usage: unknown = null;
  #model: unknown = null;
  #isDone = false;

  constructor(request: ChatRequest, keys: Keys) {
    this.#request = request;
    this.#keys = keys;
  }

  get #answers(): readonly Written[] {
    return [...this.#written].sort(([a], [b]) => a - b).map(([, one]) => one);
  }

  get #hasText(): boolean {
    return (
      this.#usage !== null ||
      this.#answers.some(({ text, refusal, reasoning }) => (text || refusal || reasoning || '') !== '')
    );
  }

  get #isWhole(): boolean {
    return (
      this.#isDone ||
      (this.#written.size >= this.#request.n && this.#answers.every(({ finishReason }) => finishReason !== null))
    );
  }

  /** Some connections stay open after the last word. */
  get isOver(): boolean {
    return this.#isDone || (this.#isWhole && this.#usage !== null);
  }

  get #came(): Came {
    return { usage: saidUsage(this.#usage, this.#request), heard: heardOf(this.#answers, this.#keys) };
  }

  /** Null where all had come before. Else it throws what came, too. */
  brokenBy(error: unknown): null {
    return this.#isWhole ? null : this.#breakOff(error);
  }

  #breakOff(error: unknown): never {
    throw this.#hasText ? new BrokenStream(error, this.#came) : error;
  }

  add(event: unknown): void {
    if (event === DONE) this.#isDone = true;
    if (this.#isDone) return;
    const error = errorIn(event);
    if (error !== null) this.#breakOff(refusalOf(error, !this.#hasText));
    const { model, usage, choices } = fieldsOf(event);
    this.#model ??= model || null;
    this.#usage = usage ?? this.#usage;
    for (const choice of Array.isArray(choices) ? choices.map(fieldsOf) : []) {
      const index = countFrom(choice['index']) ?? 0;
      if (!this.#written.has(index) && this.#written.size === MAX_ANSWERS)
        throw passing(`its stream has more than ${MAX_ANSWERS} answers`, 200);
      this.#written.set(index, add(this.#written.get(index) ?? nothing(), choice));
    }
  }

  response(): ChatResponse {
    const answers = this.#answers;
    const open = answers.filter(({ finishReason }) => finishReason === null);
    if (answers.length === 0 && this.#usage === null) throw unmade('its stream held no answer', 200);
    const isCut = !this.#isDone && open.length > 0;
    if (isCut || (open.length === answers.length && !this.#hasText))
      throw incomplete('the stream broke off before the answer was whole', this.#came);
    const kept = answers.filter((one) => !hasFailed(one));
    if (kept.length === 0 && answers.length > 0) throw gaveUp(this.#came);
    const whole = { written: kept.slice(0, this.#request.n), usage: this.#usage, model: this.#model };
    return responseOf(whole, this.#request, this.#keys);
  }
}

/** An answer that is over is waited for so long, so that its connection can be used again. */
const OVER_MS = 250;

type StreamClocks = {
  /** Aborted by the caller's signal, or when a clock runs out. */
  readonly signal: AbortSignal;
  /** Says that something came, and the clock of silence begins again; a short one where the answer is over. */
  readonly beat: (isOver: boolean) => void;
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
  let idle: NodeJS.Timeout | undefined;
  const whole = setTimeout(
    () => end(`${baseUrl} did not ${idle === undefined ? 'answer' : 'finish its answer'} in time`)(),
    wholeMs,
  );
  return {
    signal: AbortSignal.any([caller, controller.signal]),
    beat(isOver) {
      clearTimeout(idle);
      idle = setTimeout(end(`${baseUrl} fell silent in the middle of its answer`), isOver ? OVER_MS : idleMs);
    },
    late: () => late,
    stop() {
      clearTimeout(whole);
      clearTimeout(idle);
    },
  };
};
