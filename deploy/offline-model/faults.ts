// Decides which fault a request meets. The k-th arrival of the same request always meets the same one, whatever else
// arrives between, so a client that retries gets through and a run with faults can be repeated.
import { sha256 } from '../host/sha256.ts';
import { randomFrom } from './mutate/random.ts';
import type { OfflineModelOptions } from './options.ts';

export type Fault = 'none' | '429' | '500' | 'cut' | 'malformed' | 'empty';
export type FaultDraw = { readonly fault: Fault; readonly latencyMs: number };

const REMEMBERED_REQUESTS = 4096;
const NO_FAULT: FaultDraw = { fault: 'none', latencyMs: 0 };

export function createFaultDraw(options: OfflineModelOptions): (body: string) => FaultDraw {
  const arrivals = new Map<string, number>();
  const shares: readonly (readonly [Fault, number])[] = [
    ['429', options.rate429],
    ['500', options.rate500],
    ['cut', options.rateCut],
    ['malformed', options.rateMalformed],
    ['empty', options.rateEmpty / 4],
  ];
  const quiet = options.latencyMs + options.latencyJitterMs === 0 && shares.every(([, share]) => share === 0);
  return (body) => {
    if (quiet) return NO_FAULT;
    const key = sha256(body);
    const arrival = (arrivals.get(key) ?? 0) + 1;
    arrivals.delete(key);
    arrivals.set(key, arrival);
    for (const oldest of arrivals.keys()) {
      if (arrivals.size <= REMEMBERED_REQUESTS) break;
      arrivals.delete(oldest);
    }
    const random = randomFrom(key, arrival, 'transport fault', options.faultSeed);
    const fault = shares.find(([, share]) => random.chance(share))?.[0] ?? 'none';
    return { fault, latencyMs: options.latencyMs + options.latencyJitterMs * random.next() };
  };
}
