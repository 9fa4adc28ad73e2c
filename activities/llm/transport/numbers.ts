// Every number that an endpoint says is read here. One that cannot be true counts as not said, and is estimated.
import type { Usage } from '../../../evolution/types.ts';

/** A count above this is no count. */
const MOST_TOKENS = 1e9;
/** Templates, tools and hidden reasoning make tokens that the texts do not show. */
const UNSEEN_TOKENS = 100_000;
/** A character is at most four bytes of UTF-8, and a token at least one byte. */
const MOST_TOKENS_PER_CHAR = 4;
const CHARS_PER_TOKEN = 4;

/** A whole number in [0, `most`], rounded down. Null for everything else. */
export const countFrom = (value: unknown, most = MOST_TOKENS): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= most ? Math.floor(value) : null;

/** Tokens of a text of so many characters, where nobody counted them. */
export const estimatedTokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);

/** The most tokens that a text of so many characters, and what cannot be seen with it, can have. */
export const mostTokens = (chars: number, unseen = UNSEEN_TOKENS): number =>
  Math.min(MOST_TOKENS, chars * MOST_TOKENS_PER_CHAR + unseen);

type Exchanged = {
  /** Characters of the request's messages. */
  readonly askedChars: number;
  /** Characters that came, reasoning with them. */
  readonly answeredChars: number;
  /** Tokens that the request allowed, all responses together. */
  readonly allowedTokens: number;
};

/** `estimated`: the endpoint did not say one of the two counts, or said what cannot be. */
type Counted = { readonly usage: Usage; readonly estimated: boolean };

/**
 * Tokens of a call, with the cached and the reasoning ones where the endpoint names them: they are part of those in
 * and out.
 */
export const usageFrom = (said: unknown, { askedChars, answeredChars, allowedTokens }: Exchanged): Counted => {
  const fields = fieldsOf(said);
  const unlessNone = (count: number | null, chars: number): number | null => (count === 0 && chars > 0 ? null : count);
  const inSaid = unlessNone(countFrom(fields['prompt_tokens'], mostTokens(askedChars)), askedChars);
  const outSaid = unlessNone(
    countFrom(fields['completion_tokens'], mostTokens(answeredChars, UNSEEN_TOKENS + 2 * countFrom(allowedTokens)!)),
    answeredChars,
  );
  const usage = { in: inSaid ?? estimatedTokens(askedChars), out: outSaid ?? estimatedTokens(answeredChars) };
  const [cached = null] = cachedSaid(fields).flatMap((value) => countFrom(value, usage.in) ?? []);
  const reasoning = countFrom(fieldsOf(fields['completion_tokens_details'])['reasoning_tokens'], usage.out);
  return {
    usage: { ...usage, ...(cached === null ? {} : { cached }), ...(reasoning === null ? {} : { reasoning }) },
    estimated: inSaid === null || outSaid === null,
  };
};

/**
 * Tokens that were read from a cache, where endpoints say them: OpenAI and most others, Anthropic's shape behind a
 * proxy, DeepSeek, Moonshot. The first count holds, because some say it twice.
 */
const cachedSaid = (fields: Readonly<Record<string, unknown>>): readonly unknown[] => [
  fieldsOf(fields['prompt_tokens_details'])['cached_tokens'],
  fields['cache_read_input_tokens'],
  fields['prompt_cache_hit_tokens'],
  fields['cached_tokens'],
];

export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

type Headers = { get(name: string): string | null };

/** A wait beyond this is no wait that anybody meant. */
const LONGEST_NAMED_MS = 100 * 366 * 86_400_000;

/** Milliseconds that an answer asks to wait: `retry-after-ms`, or Retry-After in seconds or as a date. */
export const waitFrom = (headers: Headers | undefined, nowMs = Date.now()): number | null => {
  const inMs = headers?.get('retry-after-ms')?.trim() ?? '';
  const other = headers?.get('retry-after')?.trim() ?? '';
  const wait = PLAIN.test(inMs)
    ? Number(inMs)
    : PLAIN.test(other)
      ? Number(other) * 1000
      : DATE.test(other)
        ? Date.parse(other) - nowMs
        : NaN;
  return wait <= LONGEST_NAMED_MS ? Math.max(0, Math.round(wait)) : null;
};

const PLAIN = /^\d{1,15}(\.\d{1,9})?$/;
/** A date of HTTP in one of its forms, or of ISO 8601. */
const DATE = /^(?=.{8,40}$)([A-Z][a-z]{2,8},? |\d{4}-\d\d-\d\d)/;
