// Turns errors of the `openai` package into ModelErrors, which say whether they may pass and which setting cures them,
// and hold no key.
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { hideCredentials } from '../../../evolution/config/layers.ts';
import { causesOf, rootOf } from '../../../evolution/root-cause.ts';
import type { KeyRing } from './key-ring.ts';
import { ModelError, passing } from './model-error.ts';
import { waitFrom } from './numbers.ts';

/**
 * Statuses that no repetition cures: wrong request, wrong key, no such model. 408, 409, 429 and 5xx are tried again.
 */
const FATAL_STATUS = new Set([400, 401, 403, 404, 405, 413, 422]);

type Asked = {
  readonly baseUrl: string;
  /** The settings that name model and endpoint, for the message about a missing one. */
  readonly settings: string;
  readonly keys: Pick<KeyRing, 'error'>;
};

/** An abort stays what it is. */
export const asModelError = (error: unknown, { baseUrl, settings, keys }: Asked): unknown => {
  const endpoint = hideCredentials(baseUrl);
  const own = causesOf(error).find((cause) => cause instanceof ModelError);
  if (own !== undefined) return placed(own, endpoint, keys);
  if (error instanceof APIUserAbortError) return error;
  const root = keys.error(rootOf(error).message);
  if (error instanceof APIConnectionTimeoutError) return passing(`${endpoint} did not answer in time`);
  if (error instanceof APIConnectionError)
    return new ModelError(`${endpoint} cannot be reached (${root})`, {
      status: null,
      fatal: false,
      retryAfterMs: null,
      codes: codesOf(error),
    });
  if (!(error instanceof APIError)) return passing(`${endpoint} gave an answer that cannot be read (${root})`);
  const status = error.status ?? null;
  return new ModelError(
    `${endpoint} answered ${status ?? 'an error'}: ${keys.error(messageOf(error))}${hint(status, settings)}`,
    {
      status,
      fatal: status !== null && FATAL_STATUS.has(status),
      retryAfterMs: waitFrom(error.headers),
    },
  );
};

/** The package writes the status before what the endpoint said. */
const messageOf = ({ status, message }: APIError): string =>
  message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message;

/** An error from below the package knows neither its endpoint nor the keys. */
const placed = (error: ModelError, endpoint: string, keys: Asked['keys']): ModelError => {
  const { message, status, fatal, retryAfterMs, usage, heard } = error;
  return new ModelError(`${endpoint}: ${keys.error(message)}`, { status, fatal, retryAfterMs, usage, heard });
};

/** Codes of the system and of the HTTP client, which no endpoint can choose. */
const CODE = /^[A-Z][A-Z0-9_]{1,60}$/;

const codesOf = (error: unknown): readonly string[] =>
  causesOf(error).flatMap((cause) => {
    const { code } = cause as { readonly code?: unknown };
    return typeof code === 'string' && CODE.test(code) ? [code] : [];
  });

const hint = (status: number | null, settings: string): string =>
  status === 401 || status === 403
    ? ' (wrong or missing key: set OPENAI_API_KEY and run `evolve retry <run>`)'
    : status === 404
      ? ` (no such model or path: check ${settings})`
      : '';
