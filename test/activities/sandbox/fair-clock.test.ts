// The wall clock of a program: what else the machine does is not counted against it, and sleeping gains nothing. All
// time is said, none passes.
import { describe, expect, test } from 'vitest';
import {
  fairClock,
  MOST_STRETCH,
  MOST_STRETCH_UNREAD,
  shareNow,
} from '../../../activities/sandbox/contract/fair-clock.ts';

const LIMIT = 60_000;
type Run = {
  readonly share: number;
  readonly cpu: (elapsedMs: number) => number | null;
  readonly waiting?: (elapsedMs: number) => boolean;
};

/** Seconds until it is over, looked at every second. */
const secondsOf = ({ share, cpu, waiting = () => false }: Run): number => {
  const isOver = fairClock(LIMIT);
  for (let seconds = 1; ; seconds += 1) {
    const elapsedMs = 1000 * seconds;
    if (isOver({ elapsedMs, share, waiting: waiting(elapsedMs), cpuMs: () => cpu(elapsedMs) })) return seconds;
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

test('there is an end on the busiest machine', () => {
  expect(secondsOf({ share: 0.001, cpu: (elapsed) => 0.001 * elapsed })).toBe(60 * MOST_STRETCH);
});

test('the share of this machine is one', () => {
  expect(shareNow()).toBeGreaterThan(0);
  expect(shareNow()).toBeLessThanOrEqual(1);
});
