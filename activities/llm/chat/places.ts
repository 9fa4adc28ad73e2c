// Places among the requests in flight of one run (`inFlight`): a stream sends a few more requests than it has places,
// and they wait here, so that the next one leaves as soon as an answer has come.
import type { RunId } from '../../../evolution/types.ts';
import { Permits } from '../../sandbox/host/permits.ts';

type Acquire = (signal: AbortSignal, promptTokens: number) => Promise<() => void>;

/** More runs than a process serves at once. What is forgotten of a run is only how many of its places are taken. */
const REMEMBERED = 256;

/** `places` are taken by requests in flight, `next` by those that are booked and leave as soon as a place is free. */
export type RunPlaces = { readonly places: Permits; readonly next: Pick<Permits, 'acquire'> };

/**
 * A booking takes a few milliseconds, in which no place must stay empty. Where a process dies, the bookings of so many
 * requests that had not left may count as sent.
 */
const NEXT_SHARE = 1 / 2;
/**
 * Requests that come within this time are booked together, as long as no place is empty: a statement costs as much as
 * ten bookings.
 */
const BOOK_MS = 60;

export class Places {
  readonly #runs = new Map<RunId, { readonly inFlight: number; readonly of: RunPlaces }>();

  of(run: RunId, inFlight: number): RunPlaces {
    const own = this.#runs.get(run);
    if (own?.inFlight === inFlight) return own.of;
    // The settings have another number now. Requests that hold places of before give them back there.
    this.#runs.delete(run);
    const places = new Permits(inFlight);
    const of = { places, next: booking(new Permits(Math.ceil(NEXT_SHARE * inFlight)), places) };
    this.#runs.set(run, { inFlight, of });
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > REMEMBERED && oldest !== undefined) this.#runs.delete(oldest);
    return of;
  }
}

/** Waits for the end of the time that the first of those that wait has begun. */
const pacing = (ms: number): (() => Promise<void>) => {
  let over: Promise<void> | null = null;
  return () =>
    (over ??= new Promise((resolve) => {
      setTimeout(() => {
        over = null;
        resolve();
      }, ms);
    }));
};

/** The first after a quiet time waits for nothing; those that follow go together, at most once in that time. */
export const spacing = (ms: number): (() => Promise<void>) => {
  const paced = pacing(ms);
  let until = 0;
  return async () => {
    if (performance.now() >= until) {
      until = performance.now() + ms;
      return;
    }
    await paced();
    until = performance.now() + ms;
  };
};

/** Permits of requests that are to be booked, of which those that have no place to leave for wait for each other. */
const booking = (permits: Permits, places: Permits): Pick<Permits, 'acquire'> => {
  const paced = pacing(BOOK_MS);
  return {
    async acquire(signal, wanted) {
      const leave = await permits.acquire(signal, wanted);
      if (places.standing().free === 0) await paced();
      return leave;
    },
  };
};

type Placed = {
  readonly places: Permits;
  readonly programs: number;
  readonly acquire: Acquire | undefined;
};

/** Waits for places of the run first, since the endpoint's are also other runs'. */
export const placedIn =
  ({ places, programs, acquire }: Placed): Acquire =>
  async (signal, promptTokens) => {
    const leave = await places.acquire(signal, { count: programs });
    try {
      const release = await acquire?.(signal, promptTokens);
      return () => {
        release?.();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  };
