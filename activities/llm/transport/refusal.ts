// What an endpoint says in place of an answer, read in every form that servers and gateways have: its status, its
// words, the codes and the parameters that it names, and when to ask again.
import type { Refused } from '../../../evolution/models/refusals.ts';
import { fieldsOf } from './numbers.ts';

/** Its message is constant, because the `openai` package takes an error that speaks of time for a time-out. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly said: Refused;
  /** It came under a status of success: no model can have worked on the request. */
  readonly inAnswer: boolean;
  constructor(said: Refused, inAnswer: boolean) {
    super('the endpoint refused');
    this.said = said;
    this.inAnswer = inAnswer;
  }
}

const MESSAGES = new Set(['message', 'detail', 'msg', 'error', 'error_msg', 'error_description', 'faultstring', 'raw']);
const CODES = new Set(['code', 'type', 'status', 'error_code', 'status_code', 'http_status_code', 'reason', 'reasons']);
const PARAMS = new Set(['param', 'parameter', 'field', 'loc']);
/** Counts of llama.cpp that stand beside its words. */
const COUNTS = new Set(['n_prompt_tokens', 'n_ctx']);
/** What a server repeats of the request says nothing about it. */
const ECHOES = new Set(['input', 'request', 'body', 'ctx', 'messages']);
const MAX_DEPTH = 8;
const MAX_TEXTS = 100;
const MOST_WORDS = 3;

class Reader {
  readonly messages: string[] = [];
  readonly codes: string[] = [];
  readonly params: string[] = [];
  readonly delays: string[] = [];

  read(value: unknown, key: string, depth = 0): void {
    if (depth > MAX_DEPTH || this.messages.length + this.codes.length > MAX_TEXTS) return;
    if (Array.isArray(value)) {
      for (const one of value.slice(0, MAX_TEXTS)) this.read(one, key, depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, one] of Object.entries(value)) if (!ECHOES.has(name)) this.read(one, name, depth + 1);
    } else if (typeof value === 'string' || typeof value === 'number') this.#take(String(value), key, depth);
  }

  #take(text: string, key: string, depth: number): void {
    const nested = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
    if (nested !== undefined) this.read(nested, key, depth + 1);
    else if (text.trim() === '') return;
    else if (MESSAGES.has(key)) this.messages.push(text.trim());
    else if (CODES.has(key)) this.codes.push(text);
    else if (COUNTS.has(key)) this.codes.push(`${key} ${text}`);
    else if (PARAMS.has(key)) this.params.push(text);
    else if (/^retry_?(after|delay)$/i.test(key)) this.delays.push(text);
  }
}

/** The parsed JSON; undefined for a text that is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const WORDLESS = 'nothing that says why';

/** `status` is that of HTTP; in an answer of success, the body's own counts. */
export const saidIn = (status: number, text: string, headerWaitMs: number | null): Refused => {
  const value = parsed(text);
  const reader = new Reader();
  reader.read(value, 'error');
  const { messages, codes, params, delays } = reader;
  const distinct = messages.filter(
    (one, at) => !messages.some((other, index) => index !== at && other.includes(one) && (other !== one || index < at)),
  );
  const words =
    value === undefined
      ? pageOr(text)
      : distinct.slice(0, MOST_WORDS).join('; ') || codes.join(', ') || JSON.stringify(value).slice(0, MOST_CHARS);
  return {
    status: status < 300 ? statusIn(codes, words) : status,
    words: words || WORDLESS,
    codes,
    params,
    retryAfterMs: headerWaitMs ?? delays.map(delayMs).find((ms) => ms !== null) ?? null,
  };
};

const MOST_CHARS = 500;

/** A page of a gateway says what it is in its title. */
export const pageOr = (text: string): string => {
  const title = /<title[^>]*>([^<]{1,200})<\/title>/i.exec(text)?.[1];
  return title !== undefined
    ? `a page with the title "${title.trim()}"`
    : /^\s*<(!doctype|html)/i.test(text)
      ? 'a page'
      : text.trim().slice(0, MOST_CHARS);
};

/** Seconds, as `34s` or as a number. */
const delayMs = (text: string): number | null => {
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s?$/.exec(text.trim())?.[1];
  return seconds === undefined ? null : Math.round(Number(seconds) * 1000);
};

const NAMED_STATUS: readonly (readonly [RegExp, number])[] = [
  [/insufficient_?quota|billing|insufficient.{0,10}(credit|balance|funds)/i, 402],
  [/rate.?limit|too.?many|throttl|resource.?exhausted/i, 429],
  [/overload|unavailable|capacity|try again/i, 503],
  [/api.?key|unauthori|authenticat/i, 401],
  [/permission|forbidden/i, 403],
  [/not.?found|no such model|does not exist/i, 404],
  [/invalid|validation|bad.?request|unsupported/i, 400],
];

/** The status of an error that came under a status of success. */
const statusIn = (codes: readonly string[], words: string): number =>
  codes.map(Number).find((code) => Number.isInteger(code) && code >= 400 && code <= 599) ??
  NAMED_STATUS.find(([pattern]) => pattern.test([...codes, words].join(' ')))?.[1] ??
  500;

/** The error in a body or an event of success, or in its choices; null where there is none, or a choice came all the same. */
export const errorIn = (value: unknown): unknown => {
  const { error, object, choices } = fieldsOf(value);
  const all = Array.isArray(choices) ? choices.map(fieldsOf) : [];
  const said = [error, ...all.map((choice) => choice['error'])].find((one) => one !== null && one !== false && one);
  if (said !== undefined && all.every((choice) => choice['finish_reason'] === 'error')) return said;
  return object === 'error' ? value : null;
};
