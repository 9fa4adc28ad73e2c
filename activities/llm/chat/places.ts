// Places among the requests in flight of one run (`inFlight`): a stream sends a few more requests than it has places, and
// they wait here, so that the next one leaves as soon as an answer has come.
import type { RunId } from '../../../evolution/types.ts';
import { createPermits, type Permits } from '../../sandbox/host/permits.ts';

type Acquire = (signal: AbortSignal, promptTokens: number) => Promise<() => void>;

/** More runs than a process serves at once. What is forgotten of a run is only how many of its places are taken. */
const REMEMBERED = 256;

export type Places = { readonly of: (run: RunId, inFlight: number) => Permits };

export const createPlaces = (): Places => {
  const known = new Map<RunId, { readonly inFlight: number; readonly permits: Permits }>();
  return {
    of(run, inFlight) {
      const one = known.get(run);
      if (one?.inFlight === inFlight) return one.permits;
      // The settings have another number now. Requests that hold places of before give them back there.
      known.delete(run);
      const permits = createPermits(inFlight);
      known.set(run, { inFlight, permits });
      const [oldest] = known.keys();
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
      return permits;
    },
  };
};

type Placed = {
  readonly permits: Permits;
  readonly programs: number;
  readonly acquire: Acquire | undefined;
};

/** Waits for places of the run first, since the endpoint's are also other runs'. */
export const placedIn =
  ({ permits, programs, acquire }: Placed): Acquire =>
  async (signal, promptTokens) => {
    const leave = await permits.acquire(signal, { count: programs });
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
