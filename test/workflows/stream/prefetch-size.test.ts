// The number of requests that a stream keeps queued, by the answers of the last moments.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LATELY_MS } from '../../../evolution/schedule/stream.ts';
import { PrefetchSize } from '../../../workflows/stream/prefetch.ts';

const plan = { first: 1, pending: [], planned: 0, batch: 4, inFlight: 32, last: null, steps: 4, window: 512 };
const START = Date.UTC(2026, 10, 24);
beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

it('counts the answers of the last moments, also after the clock was set back by an hour', () => {
  const size = new PrefetchSize(plan, 1);
  size.arrived(20);
  vi.setSystemTime(START + LATELY_MS - 1);
  size.arrived(10);
  expect(size.arrivals).toBe(30);
  vi.setSystemTime(START + LATELY_MS);
  size.arrived(5);
  expect(size.arrivals).toBe(15);
  vi.setSystemTime(START - 3_600_000);
  size.arrived(3);
  expect([size.arrivals, size.mostHeld(0)]).toEqual([3, 36]);
});
