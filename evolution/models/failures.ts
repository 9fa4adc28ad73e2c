// Failed requests for which certainly no model worked. All others count, because providers bill them.

/** Statuses of 4xx that do not say whether the request was worked on: time-outs and conflicts. */
const WORKED_ON = new Set([408, 409, 499]);
/** Said by overloaded servers, and by proxies that cannot reach the server (521 to 523, 525 and 526: not encrypted). */
const TURNED_AWAY = new Set([503, 521, 522, 523, 525, 526, 529]);
/** Codes of errors before a request could leave: no address, no connection, no trust, no TLS on the other side. */
const NEVER_LEFT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EADDRNOTAVAIL',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ERR_INVALID_URL',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_TLS',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

/** `status` is null without an answer; `codes` are those of the errors beneath, such as ECONNREFUSED. */
type FailedRequest = { readonly status: number | null; readonly codes: readonly string[] };

/** True where the request certainly cost nothing. */
export const costNothing = ({ status, codes }: FailedRequest): boolean =>
  status === null
    ? codes.some((code) => NEVER_LEFT.has(code))
    : TURNED_AWAY.has(status) || (status >= 300 && status < 500 && !WORKED_ON.has(status));

/** The most sendings of a request without an answer that counts; then a person decides. */
export const MAX_UNANSWERED = 5;

/** Milliseconds before the next sending, by the number of those without an answer, the first one included. */
const PAUSES_MS = [500, 2_000, 6_000, 15_000] as const;
/** The same where a server seems to be starting anew: models take minutes to load, and nobody should have to come. */
const STARTING_ANEW_MS = [500, 10_000, 90_000, 480_000] as const;

/** Statuses of a server that failed, and of proxies that lost it. */
const FAILED = new Set([500, 502, 504, 520]);
const CUT = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** True where the server behind a failed request seems to have ended: it will be back by itself. */
export const mayStartAnew = ({ status, codes }: FailedRequest): boolean =>
  status === null ? codes.some((code) => CUT.has(code)) : FAILED.has(status);

/** A request that stays without an answer is paid for each time, so the pauses grow faster than after other failures. */
export const pauseMs = (unanswered: number, startingAnew = false): number => {
  const pauses = startingAnew ? STARTING_ANEW_MS : PAUSES_MS;
  return pauses[Math.min(Math.max(unanswered, 1), pauses.length) - 1]!;
};
