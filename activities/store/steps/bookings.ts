// Every request to a model is booked before it leaves, so that what was sent counts against the limits of the run even
// where no answer comes. A booking is removed when its answer is stored, because the answer then says what it cost:
// the collection stays small and needs no index. A process that dies between these two writes leaves a booking whose
// answer is there, and readers tell it by the answer's number of sending: nothing is counted twice.
import { addUsage, type Paid, sumUsage } from '../../../evolution/budget/money.ts';
import { sumOf } from '../../../evolution/statistics.ts';
import type { RunId } from '../../../evolution/types.ts';
import { getByIds } from '../documents/collection.ts';
import type { RunDocument, UnansweredSum } from '../documents/documents.ts';
import { type ReadConfig, requireRun } from '../documents/run-documents.ts';
import type { BookedStage, BookingDocument, Unanswered } from '../documents/step-documents.ts';
import type { Collections } from '../documents/stored.ts';
import { paidSoFar } from './paid.ts';
import { mergedSetAside, spentUnderWay } from './set-aside.ts';

export interface BookingStore {
  /** Returns false, with nothing changed, where this sending is booked already. */
  book(booking: BookingDocument): Promise<boolean>;
  /** The bookings for one answer, in the order of sending. */
  bookingsFor(stage: BookedStage, answer: string): Promise<readonly BookingDocument[]>;
  /** The request cost nothing, or its answer is stored and says what it cost. */
  settleBookings(ids: readonly string[]): Promise<void>;
  /** The request has no answer that counts, and is paid for as the document says. */
  keepBooking(booking: BookingDocument): Promise<void>;
  /** The requests of the run that got no answer which counts, by a scan of the few bookings that are left. */
  unanswered(run: RunId, now?: Date): Promise<Unanswered>;
  /** The sums of `unanswered` alone. Nearly always nothing counts, and then little is read. */
  owed(run: RunId, now?: Date): Promise<UnansweredSum>;
  /** Everything paid for by now: committed steps, what was set aside or is under way, and unanswered requests. */
  paidNow(run: RunId, now?: Date): Promise<Paid>;
}

/** So many ids are looked up at once. A booking that was removed leaves a gap, which is never that long. */
const PAGE = 16;

const NOTHING: UnansweredSum = { requests: 0, tokens: { in: 0, out: 0 }, costUsd: 0 };

export const bookingStore = (collections: Collections, readConfig: ReadConfig): BookingStore => {
  const { bookings } = collections;
  const owed = async (run: RunId, now = new Date()): Promise<UnansweredSum> => {
    const all = await bookings.find({ run }, ['state', 'until']);
    if (!all.some((one) => counts(one, now))) return NOTHING;
    const { requests, tokens, costUsd } = await unanswered(collections, run, now);
    return { requests, tokens, costUsd };
  };
  return {
    book: async (booking) => (await bookings.insertAll([booking])).length === 0,
    async bookingsFor(stage, answer) {
      const all: BookingDocument[] = [];
      for (let first = 1; ; first += PAGE) {
        const ids = Array.from({ length: PAGE }, (_, index) => bookingId(stage, answer, first + index));
        const page = await getByIds(bookings, ids);
        all.push(...ids.flatMap((id) => page.get(id) ?? []));
        if (page.size === 0) return all;
      }
    },
    settleBookings: (ids) => (ids.length === 0 ? Promise.resolve() : bookings.deleteAll(ids)),
    keepBooking: (booking) => bookings.replaceAll([booking]),
    unanswered: (run, now = new Date()) => unanswered(collections, run, now),
    owed,
    async paidNow(run, now) {
      const document = await requireRun(collections, run);
      const underWay = await spentUnderWay(collections, readConfig, document, document.committedStep + 1);
      const setAside = mergedSetAside([...document.setAside, ...underWay]);
      return paidSoFar({ ...document, setAside }, await owed(run, now));
    },
  };
};

/** An embedding has the id of its program, and its bookings are not those of the program's response. */
export const bookingId = (stage: BookedStage, answer: string, sending: number): string =>
  `${answer}${stage === 'embedding' ? ':embedding' : ''}#${String(sending).padStart(4, '0')}`;

const counts = ({ state, until }: Pick<BookingDocument, 'state' | 'until'>, now: Date): boolean =>
  state === 'unanswered' || until <= now;

const unanswered = async (collections: Collections, run: RunId, now: Date): Promise<Unanswered> => {
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
  const byKind = Map.groupBy(bookings, ({ stage }) => (stage === 'program' || stage === 'embedding' ? stage : 'call'));
  for (const [kind, some] of byKind) {
    const ids = some.map(({ answer }) => answer);
    const answers =
      kind === 'program'
        ? await getByIds(rollouts, ids)
        : kind === 'embedding'
          ? await getByIds(embeddings, ids)
          : await getByIds(calls, ids);
    for (const { _id, answer, sending } of some) {
      const stored = answers.get(answer);
      if (stored !== undefined && (stored.sending ?? 1) === sending) settled.add(_id);
    }
  }
  return settled;
};

/** The documents with what their runs sent and got no answer for. */
export const withUnanswered = (
  store: Pick<BookingStore, 'owed'>,
  documents: readonly RunDocument[],
): Promise<readonly RunDocument[]> =>
  Promise.all(documents.map(async (document) => ({ ...document, unanswered: await store.owed(document.run) })));

/** The unanswered requests by one of their properties, in the order in which they came first. */
export const unansweredBy = <K extends 'stage' | 'model' | 'step'>(
  key: K,
  bookings: readonly BookingDocument[],
): ReadonlyMap<BookingDocument[K], UnansweredSum> => {
  const sums = new Map<BookingDocument[K], UnansweredSum>();
  for (const booking of bookings) {
    const { requests, tokens, costUsd } = sums.get(booking[key]) ?? NOTHING;
    sums.set(booking[key], {
      requests: requests + 1,
      tokens: addUsage(tokens, booking.usage),
      costUsd: costUsd + booking.costUsd,
    });
  }
  return sums;
};
