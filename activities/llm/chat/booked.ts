// Sends requests to models so that each is on the books: booked before it leaves, settled by its stored answer, and
// kept with an estimate where no answer came that counts. A request that stays without an answer again and again is
// not sent any more until a person says so.
import { ApplicationFailure } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { costUsd, priceOf } from '../../../evolution/budget/money.ts';
import type { Limits } from '../../../evolution/config/run-config.ts';
import { modelId } from '../../../evolution/models/ensemble.ts';
import { costNothing, MAX_UNANSWERED } from '../../../evolution/models/failures.ts';
import type { RunId, Usage } from '../../../evolution/types.ts';
import type { BookingDocument, Sent } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { watchedRequest } from '../../telemetry/requests.ts';
import { estimatedTokens } from '../transport/numbers.ts';
import { ModelError } from './client.ts';
import { type Begun, booked, endpointOf, placed, type Sending, waitsForPerson } from './booking.ts';
import { Silence, SILENT_PLACES } from './silence.ts';

/** The longest text that is kept of an answer that does not count, in characters. */
const MAX_HEARD_CHARS = 100_000;
const LONGEST_REASON = 500;
/** The wait of a request that finds no place at a silent endpoint. */
const NO_PLACE_MS = 15_000;
/** A failure this close to the time-out, without a word from the endpoint, is its time-out. */
const NEARLY = 0.9;
/** Pauses before an answer is stored once more: it is paid for, and the store may be away for a moment only. */
const STORE_AGAIN_MS = [200, 1_000] as const;

/** A request that was answered and is not settled yet. */
export type Answered = {
  readonly sending: Required<Pick<Sent, 'sending'>>['sending'];
  /**
   * Stores the answer and settles the booking. Where it cannot be stored, the booking keeps what it cost, and the error
   * is thrown. Where the answer of another sending was stored before, this one is paid for besides.
   */
  keep<T extends Sent>(cost: Cost, store: () => Promise<readonly T[]>): Promise<readonly T[]>;
  /** The answer came and is of no use, for example because it has no choices. */
  waste(cost: Cost, reason: string): Promise<void>;
};

/** `usage` is null where the endpoint named none. */
type Cost = { readonly usage: Usage | null; readonly text: string };

export type Books = {
  /**
   * Throws what `ask` throws, as a ModelError with the number of sendings that have no answer. After MAX_UNANSWERED of
   * them the error is fatal, and so is every later call until `told` is raised.
   */
  send<T>(sending: Sending, ask: () => Promise<T>): Promise<{ readonly answer: T; readonly answered: Answered }>;
  /** The limit that is used up, where requests without an answer count; null where none is. */
  spent(run: RunId, limits: Limits): Promise<'tokens' | 'costUsd' | null>;
};

/** No request is sent because the limit is used up. */
export const budgetSpent = (limit: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `limits.${limit} is used up, with the requests that were sent and not answered`,
    'BudgetSpent',
  );

export const createBooks = (
  store: Store,
  { silence = new Silence(), now = Date.now }: { readonly silence?: Silence; readonly now?: () => number } = {},
): Books => ({
  async send(sending, ask) {
    const endpoint = endpointOf(sending.to);
    const leave = silence.enter(endpoint);
    if (leave === null) throw noPlace(endpoint);
    try {
      const { begun, release } = await placed(store, sending, now);
      try {
        const { booking, before } = begun ?? (await booked(store, sending, now()));
        const sentAtMs = now();
        try {
          const answer = await watchedRequest(
            { model: modelId(sending.to), stage: sending.stage, answer: sending.answer },
            ask,
          );
          silence.spoke(endpoint);
          return { answer, answered: answeredOf(store, sending, booking) };
        } catch (error) {
          const failed = error instanceof ModelError ? error : null;
          if (failed !== null && (failed.status !== null || failed.heard !== null)) silence.spoke(endpoint);
          else if (failed !== null && now() - sentAtMs >= NEARLY * sending.timeoutMs) silence.timedOut(endpoint);
          throw await unanswered(store, { sending, booking, before, error });
        }
      } finally {
        release?.();
      }
    } finally {
      leave();
    }
  },
  async spent(run, limits) {
    if (limits.tokens === null && limits.costUsd === null) return null;
    // What was answered is the step's own to reckon with (allowance.ts). Only what it cannot see is looked up here.
    if ((await store.owed(run)).requests === 0) return null;
    const paid = await store.paidNow(run);
    return limits.tokens !== null && paid.tokens >= limits.tokens
      ? 'tokens'
      : limits.costUsd !== null && paid.costUsd >= limits.costUsd
        ? 'costUsd'
        : null;
  },
});

const noPlace = (endpoint: string): ModelError =>
  new ModelError(
    `${endpoint} did not answer in time: it gets ${SILENT_PLACES} requests at once until it answers, and this one waits`,
    { status: null, fatal: false, retryAfterMs: NO_PLACE_MS },
  );

/** Keeps the booking of a request that has no answer that counts. `text` is what came of one. */
const keepUnanswered = async (
  store: Store,
  { to }: Sending,
  booking: BookingDocument,
  { usage: named, text, reason }: Cost & { readonly reason: string },
): Promise<BookingDocument> => {
  const heard = text.slice(0, MAX_HEARD_CHARS);
  const usage = named ?? { in: booking.usage.in, out: Math.min(estimatedTokens(text.length), booking.maxOut) };
  // Its text is worth less than what the request cost, which must be written even where the text cannot.
  const [response = null] = heard === '' ? [] : await store.putTexts([heard]).catch(() => []);
  const kept: BookingDocument = {
    ...booking,
    state: 'unanswered',
    usage,
    costUsd: costUsd(usage, priceOf(to)),
    estimated: named === null,
    reason: reason.slice(0, LONGEST_REASON),
    response,
  };
  // Where this fails too, the booking stays as it is, and counts once its time-out is over.
  await store.keepBooking(kept).catch(() => undefined);
  return kept;
};

type Failure = Begun & { readonly sending: Sending; readonly error: unknown };

/** Settles a request that failed, and gives the error to throw. */
const unanswered = async (store: Store, { sending, booking, before, error }: Failure): Promise<unknown> => {
  const { signal } = sending;
  if (!(error instanceof ModelError)) {
    const reason = signal.aborted ? 'it was cancelled before its answer came' : String(error);
    await keepUnanswered(store, sending, booking, { usage: null, text: '', reason });
    return error;
  }
  const { status, usage, heard, message, unmade, codes } = error;
  // A text that came was worked on, whatever ended it.
  if (usage === null && heard === null && !signal.aborted && (unmade || costNothing({ status, codes }))) {
    await store.settleBookings([booking._id]).catch(() => undefined);
    return error;
  }
  await keepUnanswered(store, sending, booking, { usage, text: heard ?? '', reason: message });
  const count = before + 1;
  if (count - sending.told < MAX_UNANSWERED || signal.aborted)
    return new ModelError(message, { ...error, unanswered: count });
  const all = await store.bookingsFor(sending.stage, sending.answer).catch(() => [booking]);
  return waitsForPerson(
    all.filter(({ by }) => by === booking.by),
    message,
    count,
  );
};

const answeredOf = (store: Store, sending: Sending, booking: BookingDocument): Answered => {
  const waste = async (cost: Cost, reason: string): Promise<void> => {
    await keepUnanswered(store, sending, booking, { ...cost, reason });
  };
  return {
    sending: booking.sending,
    waste,
    async keep(cost, put) {
      for (let attempt = 0; ; attempt++) {
        try {
          const stored = await put();
          if ((stored[0]?.sending ?? 1) === booking.sending)
            // Where the removal fails, readers find the answer and know that it settles the booking.
            await store.settleBookings([booking._id]).catch(() => undefined);
          else await waste(cost, 'another sending was answered before');
          return stored;
        } catch (error) {
          const pause = STORE_AGAIN_MS[attempt];
          if (pause === undefined || sending.signal.aborted) {
            const why = error instanceof Error ? error.message : String(error);
            await waste(cost, `the answer could not be stored: ${why}`);
            throw error;
          }
          await sleep(pause);
        }
      }
    },
  };
};
