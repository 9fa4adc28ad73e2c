// Settings that an endpoint refuses for a model, learned from its refusals: the request is sent again without them. Called by openai-client.ts.
import { APIError } from 'openai';

/** `max_tokens`: newer OpenAI models take `max_completion_tokens` only; most other servers know nothing else. */
export type Setting = 'temperature' | 'top_p' | 'seed' | 'max_tokens' | 'stream_options';

const NAMED: readonly Setting[] = ['temperature', 'top_p', 'seed', 'stream_options'];
/** That a value is out of range is no reason to leave the setting out. */
const NOT_TAKEN = /unsupported|not support|not permitted|not allowed|not available|unknown|unrecogni[sz]ed|unexpected|only the default|does not accept|deprecated|cannot both/i;

/** The setting, of those sent, that this error refuses; null: it is about something else. */
export const refusedSetting = (error: unknown, sent: ReadonlySet<Setting>): Setting | null => {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return null;
  const { message, param } = error;
  if (sent.has('max_tokens') && message.includes('max_completion_tokens')) return 'max_tokens';
  if (!NOT_TAKEN.test(message)) return null;
  const named = NAMED.filter((name) => sent.has(name) && (param === name || new RegExp(`\\b${name}\\b`).test(message)));
  // Of two that exclude each other the temperature stays.
  if (/cannot both/i.test(message) && named.includes('top_p')) return 'top_p';
  return named.find((name) => name === param) ?? named[0] ?? null;
};

const FILTER_CODES = new Set(['content_filter', 'content_policy_violation']);

/** The endpoint refused prompt or answer for its content: a response like any other, not a fault. */
export const isContentFilter = (error: unknown): boolean => error instanceof APIError && error.status === 400 && FILTER_CODES.has(String(error.code));
