// The wall clock of a program: what else the machine does is not counted against it, and sleeping gains nothing. All
// time is said, none passes.
import { describe, expect, test, vi } from 'vitest';
import {
  fairClock,
  MOST_STRETCH,
  MOST_STRETCH_UNREAD,
  shareNow,
  startFairTimer,
} from '../../../activities/sandbox/contract/fair-clock.ts';

const LIMIT = 60_000;
type Run = {
  readonly share: number;
  readonly cpu: (elapsedMs: number) => number | null;
  readonly waiting?: (elapsedMs: number) => boolean;
  readonly awake?: (elapsedMs: number) => boolean | null;
  readonly ends?: 'over' | 'starved';
};

/** Seconds until it is over, looked at every second. */
const secondsOf = ({ share, cpu, waiting = () => false, awake = () => null, ends = 'over' }: Run): number => {
  const look = fairClock(LIMIT);
  for (let seconds = 1; ; seconds += 1) {
    const elapsedMs = 1000 * seconds;
    const seen = { waiting: waiting(elapsedMs), awake: awake(elapsedMs) };
    const why = look({ elapsedMs, share, ...seen, cpuMs: () => cpu(elapsedMs) });
    if (why === null) continue;
    expect(why).toBe(ends);
    return seconds;
  }
};

describe('on a quiet machine it is a wall clock', () => {
  for (const [who, used] of Object.entries({
    'a sleeper': 0,
    'half awake': 0.5,
    'a busy program': 1,
    'many processes': 2,
  }))
    test(who, () => {
      expect(secondsOf({ share: 1, cpu: (elapsed) => used * elapsed })).toBe(60);
    });
  test('where the CPU is not known', () => {
    expect(secondsOf({ share: 1, cpu: () => null })).toBe(60);
  });
});

describe('at a load of 20 on two cores', () => {
  const share = 0.1;
  test('a program that needs 10 s of CPU gets them, whatever the wall says', () => {
    expect(secondsOf({ share, cpu: (elapsed) => share * elapsed })).toBe(600);
  });
  test('so does one that gets somewhat less than its share', () => {
    expect(secondsOf({ share, cpu: (elapsed) => 0.6 * share * elapsed })).toBe(600);
  });
  test('a sleeper ends at the limit, and so does one that was awake for a while only, soon after', () => {
    expect(secondsOf({ share, cpu: () => 0 })).toBe(60);
    expect(secondsOf({ share, cpu: (elapsed) => 0.02 * elapsed })).toBe(60);
    expect(secondsOf({ share, cpu: (elapsed) => Math.min(4_000, share * elapsed) })).toBe(81);
  });
  test('processes without end, each within its own limit, end when they have had the time together', () => {
    expect(secondsOf({ share, cpu: (elapsed) => 1.5 * elapsed })).toBe(60);
  });
  test('a program that waits for its evaluator half of the time is awake all the same', () => {
    expect(
      secondsOf({ share, cpu: (elapsed) => 0.4 * share * elapsed, waiting: (elapsed) => elapsed % 2_000 === 0 }),
    ).toBe(600);
  });
  test('where the CPU is not known the share stands for it, for a little while: processes without end would make the machine busy themselves', () => {
    expect(secondsOf({ share: 0.5, cpu: () => null })).toBe(120);
    expect(secondsOf({ share, cpu: () => null })).toBe(60 * MOST_STRETCH_UNREAD);
  });
});

describe('where it is seen whether a program waits for a core', () => {
  const starved = (elapsed: number): number => 0.12 * elapsed;
  test('one that gets far less than the number of processes leads to expect is given its time', () => {
    expect(secondsOf({ share: 0.5, cpu: starved })).toBe(60);
    expect(secondsOf({ share: 0.5, cpu: starved, awake: () => true })).toBe(500);
    expect(secondsOf({ share: 1, cpu: starved, awake: (elapsed) => elapsed % 4_000 > 0 })).toBe(500);
  });
  test('a sleeper gains nothing, nor does one that is awake now and then', () => {
    expect(secondsOf({ share: 1, cpu: () => 0, awake: () => false })).toBe(60);
    expect(secondsOf({ share: 1, cpu: (elapsed) => 0.3 * elapsed, awake: (elapsed) => elapsed % 3_000 === 0 })).toBe(
      60,
    );
  });
  test('between two calls nobody looks', () => {
    const turn = (elapsed: number): boolean => elapsed % 2_000 === 0;
    expect(secondsOf({ share: 1, cpu: starved, waiting: turn, awake: (elapsed) => !turn(elapsed) })).toBe(500);
  });
  test('what never gets the CPU is no fault of the program', () => {
    expect(secondsOf({ share: 1, cpu: (elapsed) => 0.001 * elapsed, awake: () => true, ends: 'starved' })).toBe(
      60 * MOST_STRETCH,
    );
  });
});

test('there is an end on the busiest machine', () => {
  expect(secondsOf({ share: 0.001, cpu: (elapsed) => 0.001 * elapsed })).toBe(60 * MOST_STRETCH);
});

test.each([
  ['a container that is paused', 'frozen', 'frozen', 1_000],
  ['a program that a signal stopped', 'stopped', 'stopped', 4_000],
] as const)('%s says nothing about the program', async (_, awake, why, atMost) => {
  vi.useFakeTimers();
  try {
    const over = vi.fn<(why: string) => void>();
    startFairTimer({ limitMs: 10_000, cpuMs: () => 0, awake: () => awake, over });
    await vi.advanceTimersByTimeAsync(atMost);
    expect(over.mock.calls).toEqual([[why]]);
  } finally {
    vi.useRealTimers();
  }
});

test('the share of this machine is one', () => {
  expect(shareNow()).toBeGreaterThan(0);
  expect(shareNow()).toBeLessThanOrEqual(1);
});
