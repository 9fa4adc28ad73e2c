// An endpoint's failure as the engine takes it: whether asking again can help, when, and in words that hold no key.
import { ApplicationFailure } from '@temporalio/activity';
import { mayStartAnew, pauseMs } from '../../../evolution/models/failures.ts';
import type { Usage } from '../../../evolution/types.ts';

/**
 * `retryAfterMs` is set when the endpoint named a time. `fatal` means that retrying cannot help until somebody changes
 * something. There is no `cause`: the errors of libraries hold the headers of the request, with the key in them, and
 * what is thrown here is written into the history. The message is what `KeyRing.error` leaves.
 */
type ModelErrorDetail = {
  readonly status: number | null;
  readonly fatal: boolean;
  readonly retryAfterMs: number | null;
  /** Codes of the errors beneath, such as ECONNREFUSED: they say whether the request can have left. */
  readonly codes?: readonly string[];
  /** The tokens that the endpoint named all the same, and its text without keys. */
  readonly usage?: Usage | null;
  readonly heard?: string | null;
  /** The sendings of this request that are paid for without an answer, this one included. */
  readonly unanswered?: number;
  /** No model can have made what came, so nothing is paid. */
  readonly unmade?: boolean;
};

export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly status: number | null;
  readonly fatal: boolean;
  readonly retryAfterMs: number | null;
  readonly codes: readonly string[];
  readonly usage: Usage | null;
  readonly heard: string | null;
  readonly unanswered: number;
  readonly unmade: boolean;
  constructor(message: string, detail: ModelErrorDetail) {
    super(message);
    this.status = detail.status;
    this.fatal = detail.fatal;
    this.retryAfterMs = detail.retryAfterMs;
    this.codes = detail.codes ?? [];
    this.usage = detail.usage ?? null;
    this.heard = detail.heard ?? null;
    this.unanswered = detail.unanswered ?? 0;
    this.unmade = detail.unmade ?? false;
  }
}

/** A fault that may pass. `status` is null where no answer came. */
export const passing = (message: string, status: number | null = null): ModelError =>
  new ModelError(message, { status, fatal: false, retryAfterMs: null });

/** A fault that may pass, of which no model knows: the page of a gateway, an empty body. */
export const unmade = (message: string, status: number | null = null): ModelError =>
  new ModelError(message, { status, fatal: false, retryAfterMs: null, unmade: true });

/** A fault that stays until somebody changes something. */
export const lasting = (message: string, status: number | null = null): ModelError =>
  new ModelError(message, { status, fatal: true, retryAfterMs: null });

/** Whoever is told to wait for longer than this is not waited for: a person decides. */
export const LONGEST_WAIT_MS = 600_000;

export const isLongWait = ({ retryAfterMs }: ModelError): boolean =>
  retryAfterMs !== null && retryAfterMs > LONGEST_WAIT_MS;

/** The message, and where the endpoint named a long wait its length and its end. */
export const saidBy = (error: ModelError, nowMs = Date.now()): string =>
  isLongWait(error) ? `${error.message}; ${waitText(error.retryAfterMs!, nowMs)}` : error.message;

const waitText = (waitMs: number, nowMs: number): string => {
  const minutes = Math.round(waitMs / 60_000);
  const length =
    minutes < 120
      ? `${minutes} minutes`
      : minutes < 48 * 60
        ? `${Math.round(minutes / 60)} hours`
        : `${Math.round(minutes / 1440)} days`;
  const end = `${new Date(nowMs + waitMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `it asks for a wait of ${length}, until ${end}, which is too long to be waited for: a person decides`;
};

/**
 * Makes a failure that says whether the engine tries again, and when. `Unanswered` is the type of a request that is not
 * sent again before a person says so; its detail is the number of sendings.
 */
export const asFailure = (error: ModelError): ApplicationFailure => {
  const { unanswered, fatal } = error;
  const wait = error.retryAfterMs ?? (unanswered > 0 ? pauseMs(unanswered, mayStartAnew(error)) : null);
  return ApplicationFailure.create({
    message: saidBy(error),
    type: fatal ? (unanswered > 0 ? 'Unanswered' : 'ModelRefused') : 'ModelUnavailable',
    nonRetryable: fatal || isLongWait(error),
    details: [unanswered],
    ...(wait === null || isLongWait(error) ? {} : { nextRetryDelay: wait }),
  });
};
