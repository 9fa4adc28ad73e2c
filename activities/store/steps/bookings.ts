// Every request to a model is booked before it leaves, so that what was sent counts against the limits of the run even
// where no answer comes. A booking is removed when its answer is stored, because the answer then says what it cost:
// the collection stays small and needs no index. A process that dies between these two writes leaves a booking whose
// answer is there, and readers tell it by the answer's number of sending: nothing is counted twice.
import { addUsage, type Paid, sumUsage } from '../../../evolution/budget/money.ts';
import { sumOf } from '../../../evolution/statistics.ts';
import type { RunId } from '../../../evolution/types.ts';
import { getByIds, type PortableCollection, type Row } from '../documents/collection.ts';
import type { RunDocument, UnansweredSum } from '../documents/documents.ts';
import { paidSoFar } from './paid.ts';
import { type ReadConfig, requireRun } from '../documents/run-documents.ts';
import { mergedSetAside, spentUnderWay } from './set-aside.ts';
import type { BookedStage, BookingDocument, Sent, Unanswered } from '../documents/step-documents.ts';
import type { Collections } from '../documents/stored.ts';

type Bookings = Pick<Collections, 'bookings'>;

/** An embedding has the id of its program, and its bookings are not those of the program's response. */
export const bookingId = (stage: BookedStage, answer: string, sending: number): string =>
  `${answer}${stage === 'embedding' ? ':embedding' : ''}#${String(sending).padStart(4, '0')}`;

export const book = async ({ bookings }: Bookings, booking: BookingDocument): Promise<boolean> =>
  (await bookings.insertAll([booking])).length === 0;

/** So many ids are looked up at once. A booking that was removed leaves a gap, which is never that long. */
const PAGE = 16;

export const bookingsFor = async (
  { bookings }: Bookings,
  stage: BookedStage,
  answer: string,
): Promise<readonly BookingDocument[]> => {
  const all: BookingDocument[] = [];
  for (let first = 1; ; first += PAGE) {
    const ids = Array.from({ length: PAGE }, (_, index) => bookingId(stage, answer, first + index));
    const found = await getByIds(bookings, ids);
    all.push(...ids.flatMap((id) => found.get(id) ?? []));
    if (found.size === 0) return all;
  }
};

export const settleBookings = ({ bookings }: Bookings, ids: readonly string[]): Promise<void> =>
  ids.length === 0 ? Promise.resolve() : bookings.deleteAll(ids);

export const keepBooking = ({ bookings }: Bookings, booking: BookingDocument): Promise<void> =>
  bookings.replaceAll([booking]);

const counts = ({ state, until }: Pick<BookingDocument, 'state' | 'until'>, now: Date): boolean =>
  state === 'unanswered' || until <= now;

/** The sums of `unanswered` alone. Nearly always nothing counts, and then little is read. */
export const owed = async (collections: Collections, run: RunId, now: Date): Promise<UnansweredSum> => {
  const all = await collections.bookings.find({ run }, ['state', 'until']);
  if (!all.some((one) => counts(one, now))) return { requests: 0, tokens: { in: 0, out: 0 }, costUsd: 0 };
  const { requests, tokens, costUsd } = await unanswered(collections, run, now);
  return { requests, tokens, costUsd };
};

/** It reads the bookings of the run by a scan, which is cheap because answered requests are not among them. */
export const unanswered = async (collections: Collections, run: RunId, now: Date): Promise<Unanswered> => {
  const all = await collections.bookings.find({ run });
  const settled = await settledOf(collections, all);
  const open = all.filter(({ _id }) => !settled.has(_id));
  const bookings = open
    .filter((one) => counts(one, now))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || (a._id < b._id ? -1 : 1));
  return {
    requests: bookings.length,
    tokens: sumUsage(bookings.map(({ usage }) => usage)),
    costUsd: sumOf(bookings.map(({ costUsd }) => costUsd)),
    estimated: bookings.filter(({ estimated }) => estimated).length,
    waiting: open.length - bookings.length,
    bookings,
  };
};

/** The bookings whose own answer is stored: their process died before it could remove them. */
const settledOf = async (
  { rollouts, calls, embeddings }: Collections,
  bookings: readonly BookingDocument[],
): Promise<ReadonlySet<string>> => {
  const settled = new Set<string>();
  const look = async (answers: PortableCollection<Row & Sent>, of: readonly BookingDocument[]): Promise<void> => {
    if (of.length === 0) return;
    const found = await getByIds(
      answers,
      of.map(({ answer }) => answer),
    );
    for (const { _id, answer, sending } of of) {
      const there = found.get(answer);
      if (there !== undefined && (there.sending ?? 1) === sending) settled.add(_id);
    }
  };
  await look(
    rollouts,
    bookings.filter(({ stage }) => stage === 'program'),
  );
  await look(
    embeddings,
    bookings.filter(({ stage }) => stage === 'embedding'),
  );
  await look(
    calls,
    bookings.filter(({ stage }) => stage !== 'program' && stage !== 'embedding'),
  );
  return settled;
};

/** The documents with what their runs sent and got no answer for. */
export const withUnanswered = (
  store: { readonly owed: (run: RunId) => Promise<UnansweredSum> },
  documents: readonly RunDocument[],
): Promise<readonly RunDocument[]> =>
  Promise.all(documents.map(async (document) => ({ ...document, unanswered: await store.owed(document.run) })));

export const paidNow = async (
  collections: Collections,
  readConfig: ReadConfig,
  run: RunId,
  now: Date,
): Promise<Paid> => {
  const document = await requireRun(collections, run);
  const underWay = await spentUnderWay(collections, readConfig, document, document.committedStep + 1);
  return paidSoFar(
    { ...document, setAside: mergedSetAside([...document.setAside, ...underWay]) },
    await owed(collections, run, now),
  );
};

/** The unanswered requests by one of their properties, in the order in which they came first. */
export const unansweredBy = <K extends 'stage' | 'model' | 'step'>(
  key: K,
  bookings: readonly BookingDocument[],
): ReadonlyMap<BookingDocument[K], UnansweredSum> => {
  const sums = new Map<BookingDocument[K], UnansweredSum>();
  for (const booking of bookings) {
    const { requests, tokens, costUsd } = sums.get(booking[key]) ?? {
      requests: 0,
      tokens: { in: 0, out: 0 },
      costUsd: 0,
    };
    sums.set(booking[key], {
      requests: requests + 1,
      tokens: addUsage(tokens, booking.usage),
      costUsd: costUsd + booking.costUsd,
    });
  }
  return sums;
};
