// Books requests to models: each is booked before it leaves, once for each sending. In a stream the next
// ones to leave are booked while they wait for their place.
import { Context } from '@temporalio/activity';
import { costUsd, priceOf } from '../../../evolution/budget/money.ts';
import type { ModelSettings } from '../../../evolution/config/run-config.ts';
import { modelId } from '../../../evolution/models/ensemble.ts';
import { MAX_UNANSWERED } from '../../../evolution/models/failures.ts';
import { dollars } from '../../../evolution/reports/number-text.ts';
import type { RunId } from '../../../evolution/types.ts';
import type { Permits } from '../../sandbox/host/permits.ts';
import { bookingId } from '../../store/steps/bookings.ts';
import type { BookedStage, BookingDocument } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { ModelError } from './client.ts';

/** The time for which a request can still be on its way after its time-out, in a process that is slow. */
const SLACK_MS = 60_000;

export type Sending = {
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  readonly stage: BookedStage;
  /** As in BookingDocument. */
  readonly answer: string;
  readonly to: Pick<ModelSettings, 'name' | 'alias' | 'kind' | 'baseUrl' | 'price'>;
  /** Tokens of the prompt by our estimate, and the most that the answer may have. */
  readonly prompt: number;
  readonly maxOut: number;
  readonly timeoutMs: number;
  /** The number of sendings without an answer that a person knows of, and wants to go on all the same. */
  readonly told: number;
  /** Waits for a place among the requests in flight, and for the rate. Left out, there are places without end. */
  readonly acquire?: ((signal: AbortSignal, promptTokens: number) => Promise<() => void>) | undefined;
  /** Requests that are booked while they wait for their place. Left out, each is booked when it has its place. */
  readonly bookedBefore?: Pick<Permits, 'acquire'>;
  readonly signal: AbortSignal;
};

/** The name of an endpoint in a booking: without path, user and query, which may hold keys. */
export const endpointOf = ({ kind, baseUrl }: Sending['to']): string => {
  if (kind === 'offline' || baseUrl === null) return 'offline';
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : 'an endpoint without a valid address';
};

type Placed = {
  /** Null where the request is still to be booked. */
  readonly begun: Begun | null;
  readonly release: (() => void) | undefined;
};

/** Waits for a place, with a booking where the request is one of the next to leave. */
export const placed = async (store: Store, sending: Sending, now: () => number): Promise<Placed> => {
  const { acquire, bookedBefore, signal, prompt } = sending;
  const leave = await bookedBefore?.acquire(signal);
  try {
    const begun = leave === undefined ? null : await booked(store, sending, now());
    let release: (() => void) | undefined;
    try {
      release = await acquire?.(signal, prompt);
      return { begun: begun && (await dated(store, sending, begun, now())), release };
    } catch (error) {
      // It has not left: its place is free for another one, and it costs nothing.
      release?.();
      if (begun !== null) await store.settleBookings([begun.booking._id]).catch(() => undefined);
      throw error;
    }
  } finally {
    leave?.();
  }
};

/** The booking of a request that waited for long says when it left: from its time-out on it counts as paid. */
const dated = async (store: Store, sending: Sending, begun: Begun, nowMs: number): Promise<Begun> => {
  if (nowMs - begun.booking.at.getTime() < SLACK_MS / 2) return begun;
  const { at, until } = bookingOf(sending, begun.booking.sending, nowMs);
  const booking = { ...begun.booking, at, until };
  await store.keepBooking(booking);
  return { ...begun, booking };
};

/** `before` counts the sendings to this model, for this execution of the step, that have no answer. */
export type Begun = { readonly booking: BookingDocument; readonly before: number };

export const booked = async (store: Store, sending: Sending, nowMs: number): Promise<Begun> => {
  const first = bookingOf(sending, 1, nowMs);
  if (await store.book(first)) return { booking: first, before: 0 };
  const earlier = await lostOnes(store, await store.bookingsFor(sending.stage, sending.answer));
  const alike = earlier.filter(
    ({ by, model, endpoint }) => by === first.by && model === first.model && endpoint === first.endpoint,
  );
  if (alike.length - sending.told >= MAX_UNANSWERED) throw waitsForPerson(alike, alike.at(-1)!.reason ?? '');
  for (let number = 1 + Math.max(0, ...earlier.map((one) => one.sending)); ; number++) {
    const booking = bookingOf(sending, number, nowMs);
    if (await store.book(booking)) return { booking, before: alike.length };
  }
};

/**
 * The bookings of an answer that is asked for again; those on their way belong to a process that is gone, or given up.
 */
const lostOnes = async (
  store: Store,
  bookings: readonly BookingDocument[],
): Promise<readonly (BookingDocument & { readonly state: 'unanswered' })[]> => {
  const lost: (BookingDocument & { readonly state: 'unanswered' })[] = [];
  for (const booking of bookings) {
    const { state } = booking;
    const one = {
      ...booking,
      state: 'unanswered' as const,
      reason: booking.reason ?? 'its worker ended before an answer came',
    };
    if (state === 'sent') await store.keepBooking(one);
    lost.push(one);
  }
  return lost;
};

const bookingOf = (
  { run, step, epoch, stage, answer, to, prompt, maxOut, timeoutMs }: Sending,
  sending: number,
  nowMs: number,
): BookingDocument => {
  const usage = { in: prompt, out: 0 };
  return {
    _id: bookingId(stage, answer, sending),
    run,
    step,
    epoch,
    stage,
    answer,
    sending,
    by: Context.current().info.workflowExecution?.runId ?? '',
    model: modelId(to),
    endpoint: endpointOf(to),
    at: new Date(nowMs),
    until: new Date(nowMs + timeoutMs + SLACK_MS),
    state: 'sent',
    usage,
    costUsd: costUsd(usage, priceOf(to)),
    estimated: true,
    maxOut,
    reason: null,
    response: null,
  };
};

export const waitsForPerson = (
  bookings: readonly BookingDocument[],
  last: string,
  count = bookings.length,
): ModelError => {
  const tokens = bookings.reduce((sum, { usage }) => sum + usage.in + usage.out, 0);
  const cost = bookings.reduce((sum, one) => sum + one.costUsd, 0);
  const [{ run, model } = { run: '<run>', model: 'the model' }] = bookings;
  return new ModelError(
    `the same request went to ${model} ${count} times and has no answer, which counts as about ${tokens.toLocaleString('en')} tokens${cost === 0 ? '' : ` (${dollars(cost)})`}; it is not sent again before \`npx evolve retry ${run}\`. The last time: ${last}`,
    { status: null, fatal: true, retryAfterMs: null, unanswered: count },
  );
};
