// How many requests of a stream are under way, and how many of its groups are planned.
import { describe, expect, it } from 'vitest';
import { groupsLeft, mostAsked, plannedAhead, toldAtOnce } from '../../evolution/stream.ts';

describe('what a stream asks for', () => {
  it('is a quarter more than its places, more where answers come fast, and never twice as many', () => {
    expect(mostAsked(32, 1)).toBe(40);
    expect(mostAsked(32, 1, 12)).toBe(56);
    expect(mostAsked(32, 1, 500)).toBe(64);
    // A group is asked for whole.
    expect(mostAsked(8, 16)).toBe(24);
    expect([1, 4, 32].map(toldAtOnce)).toEqual([1, 1, 8]);
  });

  it('is planned before it is wanted: what is asked for, what waits for its step, and what follows next', () => {
    for (const arrivals of [0, 4, 16, 64])
      for (const responses of [1, 2, 8]) {
        const sizes = { batch: 4, responses, inFlight: 32, arrivals };
        const asked = Math.ceil(mostAsked(32, responses, arrivals) / responses);
        expect(plannedAhead(sizes)).toBeGreaterThanOrEqual(asked + 2 * sizes.batch + Math.ceil(asked / 4));
        expect(plannedAhead(sizes)).toBeGreaterThanOrEqual(plannedAhead({ ...sizes, arrivals: 0 }));
      }
  });

  it('ends with whole steps, and where limits say', () => {
    const left = { batch: 4, responses: 2, uncommitted: 6, programs: Infinity, steps: Infinity, closing: false };
    expect(groupsLeft({ ...left, closing: true })).toBe(2);
    expect(groupsLeft({ ...left, programs: 3 })).toBe(2);
    expect(groupsLeft({ ...left, steps: 2 })).toBe(2);
  });
});
