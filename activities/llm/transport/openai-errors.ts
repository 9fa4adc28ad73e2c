// Turns what stands in the way of an answer into ModelErrors, which say whether it may pass and which setting cures it,
// and hold no key.
import { APIConnectionError, APIConnectionTimeoutError, APIUserAbortError } from 'openai';
import { hideCredentials } from '../../../evolution/config/layers.ts';
import { isAboutLength, isAboutQuota } from '../../../evolution/models/refusals.ts';
import { causesOf, rootOf } from '../../../evolution/root-cause.ts';
import type { KeyRing } from './key-ring.ts';
import { ModelError, passing } from './model-error.ts';
import { Refusal } from './refusal.ts';

/**
 * Statuses that no repetition cures: wrong request, no credit, wrong key, no such model. 408, 409, 429 and 5xx are tried
 * again.
 */
const FATAL_STATUS = new Set([400, 401, 402, 403, 404, 405, 413, 422, 451]);

type Asked = {
  readonly baseUrl: string;
  /** The settings that name model and endpoint, for the message about a missing one. */
  readonly settings: string;
  readonly keys: Pick<KeyRing, 'error'>;
};

/** An abort stays what it is. */
export const asModelError = (error: unknown, { baseUrl, settings, keys }: Asked): unknown => {
  const endpoint = hideCredentials(baseUrl);
  const causes = causesOf(error);
  const own = causes.find((cause) => cause instanceof ModelError);
  if (own !== undefined) return new ModelError(`${endpoint}: ${keys.error(own.message)}`, own);
  const refusal = causes.find((cause) => cause instanceof Refusal);
  if (refusal !== undefined) return refused(refusal, endpoint, settings, keys);
  if (error instanceof APIUserAbortError) return error;
  if (error instanceof APIConnectionTimeoutError) return passing(`${endpoint} did not answer in time`);
  const codes = codesOf(error);
  const known = whyNoEndpoint(error);
  const why = known ?? keys.error(rootOf(error).message);
  if (error instanceof APIConnectionError)
    return new ModelError(`${endpoint} cannot be reached (${why})`, {
      ...{ status: null, fatal: false, retryAfterMs: null, codes },
      unmade: known !== null,
    });
  return passing(`${endpoint} gave an answer that cannot be read (${why})`);
};

const refused = ({ said, inAnswer }: Refusal, endpoint: string, settings: string, keys: Asked['keys']): ModelError => {
  const { status, words, retryAfterMs } = said;
  const isQuota = isAboutQuota(said);
  const hint = isQuota
    ? ' (no credit is left there: top it up and run `evolve retry <run>`)'
    : isAboutLength(said)
      ? ' (prompt and answer do not fit: set a smaller model.maxTokens and run `evolve retry <run>`, or a smaller prompt.maxTokens and `evolve rewind` to plan anew)'
      : hintOf(status, words, settings);
  return new ModelError(`${endpoint} answered ${status}: ${keys.error(words)}${hint}`, {
    ...{ status, retryAfterMs, unmade: inAnswer },
    fatal: isQuota || FATAL_STATUS.has(status),
  });
};

const hintOf = (status: number, words: string, settings: string): string =>
  status === 401 || (status === 403 && /key|token|credential|authent/i.test(words))
    ? ' (wrong or missing key: set OPENAI_API_KEY and run `evolve retry <run>`)'
    : status === 403
      ? ` (the key may not do this: check its permissions and ${settings}, and run \`evolve retry <run>\`)`
      : status === 404
        ? ` (no such model or path: check ${settings})`
        : status === 400 && /HTTP request .*HTTPS (server|port)/i.test(words)
          ? ` (write https:// for http://: check ${settings})`
          : '';

/** What answers there, where it is no endpoint, by the codes of Node and undici. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/^(Z_|ERR__ERROR_FORMAT|ERR_BROTLI)/, 'its answer names a compression that it does not have'],
  [/^HPE_/, 'it does not speak HTTP'],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)|^EPROTO/,
    'it does not speak TLS: write http:// for https://',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/,
    'its certificate is signed by nobody whom this process knows: name the file of its authority in NODE_EXTRA_CA_CERTS, and run `evolve up` in the same shell, which starts the workers anew with it',
  ],
];

/** Codes of the system and of the HTTP client, which no endpoint can choose. */
const CODE = /^[A-Z][A-Z0-9_]{1,60}$/;

/** Null where the codes do not say it. */
export const whyNoEndpoint = (error: unknown): string | null => {
  const codes = codesOf(error);
  return CAUSES.find(([pattern]) => codes.some((code) => pattern.test(code)))?.[1] ?? null;
};

const codesOf = (error: unknown): readonly string[] =>
  causesOf(error).flatMap((cause) => {
    const { code } = cause as { readonly code?: unknown };
    // undici's parser of HTTP gives some of its errors no code.
    if (cause.name === 'HTTPParserError') return ['HPE_INVALID'];
    return typeof code === 'string' && CODE.test(code) ? [code] : [];
  });
