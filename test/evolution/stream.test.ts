// How many requests of a stream are under way, and how many of its groups are planned.
import { describe, expect, it } from 'vitest';
import {
  groupsLeft,
  mostHeld,
  plannedAhead,
  stepsInTurn,
  reportedAtOnce,
  toPlan,
} from '../../evolution/schedule/stream.ts';

describe('what a stream asks for', () => {
  it('is an eighth more than its places, more where answers come fast, and at most four times as many', () => {
    const most = (arrivals: number, slow = 0) => mostHeld({ inFlight: 32, responses: 1, arrivals, slow });
    expect([most(0), most(12), most(500)]).toEqual([36, 44, 128]);
    expect([most(12, 0.5), most(500, 1)]).toEqual([38, 32]);
    // A group is asked for whole.
    expect(mostHeld({ inFlight: 8, responses: 16 })).toBe(24);
    expect(mostHeld({ inFlight: 8, responses: 3, slow: 1 })).toBe(10);
    expect([1, 4, 32].map(reportedAtOnce)).toEqual([1, 2, 16]);
  });

  it('is committed some steps at a time: twice as many programs as are in flight, and at least one step', () => {
    const turn = (batch: number, responses: number) => stepsInTurn({ batch, responses, inFlight: 32 });
    expect([turn(16, 1), turn(4, 2), turn(64, 1), turn(32, 16)]).toEqual([4, 8, 1, 1]);
  });

  it('is planned when there is room for it; ahead only as far as answers come meanwhile', () => {
    const sizes = { batch: 16, responses: 1, inFlight: 32 };
    const planned = (arrivals: number, ready: number, held: number, slow = 0) =>
      toPlan({ ...sizes, arrivals, slow }, { ready, open: held, held });
    // At the beginning all at once, and with answers of 20 s one or two at a time, each after the newest commit.
    expect([planned(0, 0, 0), planned(0, 0, 36), planned(1, 0, 36), planned(1, 1, 35), planned(2, 0, 34)]).toEqual([
      36, 0, 1, 0, 2,
    ]);
    // With answers of 0.2 s for the whole time until the next turn.
    expect(planned(96, 0, 128)).toBe(96);
    // Where evaluations are slow, not before there is a place.
    expect([planned(96, 0, 32, 1), planned(96, 0, 30, 1)]).toEqual([0, 2]);
    const pairs = (held: number) => toPlan({ ...sizes, responses: 2, slow: 1 }, { ready: 0, open: 0, held });
    expect([pairs(30), pairs(31), pairs(32)]).toEqual([1, 1, 0]);
  });

  it('is planned before it is wanted: what is asked for, what waits for its step, and what follows next', () => {
    for (const arrivals of [0, 4, 16, 64])
      for (const responses of [1, 2, 8]) {
        const sizes = { batch: 4, responses, inFlight: 32, arrivals };
        const asked = Math.ceil(mostHeld(sizes) / responses);
        expect(plannedAhead(sizes)).toBeGreaterThanOrEqual(asked + 2 * sizes.batch + Math.ceil(asked / 4));
        expect(plannedAhead(sizes)).toBeGreaterThanOrEqual(plannedAhead({ ...sizes, arrivals: 0 }));
        // Where all that is asked for and a turn of finished steps wait, something is still planned.
        const finished = stepsInTurn(sizes) * sizes.batch;
        const room = { ready: 0, held: asked * responses - sizes.batch * responses };
        expect(toPlan(sizes, { ...room, open: asked + finished })).toBeGreaterThanOrEqual(Math.min(sizes.batch, asked));
        expect(toPlan(sizes, { ...room, open: plannedAhead(sizes) })).toBe(0);
      }
  });

  it('ends with whole steps, and where limits say', () => {
    const left = { batch: 4, responses: 2, uncommitted: 6, programs: Infinity, steps: Infinity, closing: false };
    expect(groupsLeft({ ...left, closing: true })).toBe(2);
    expect(groupsLeft({ ...left, programs: 3 })).toBe(2);
    expect(groupsLeft({ ...left, steps: 2 })).toBe(2);
  });
});
