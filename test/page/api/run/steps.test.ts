// Lines over time: thinning keeps what it keeps whatever the order of reading, sums lose nothing, and rates and windows
// add up.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bestLine,
  Curve,
  distances,
  outcomeWindows,
  placeOf,
  recentRate,
  type StepPoint,
  type StepRecord,
  throughput,
} from '../../../../page/api/run/steps.ts';

const point = (step: number, beside: Partial<StepPoint> = {}): StepPoint => ({
  step,
  programs: 16 * step,
  valid: 10 * step,
  failures: { invalid: 4 * step, duplicate: 2 * step },
  tokens: 1000 * step,
  costUsd: 0.5 * step,
  atMs: 60_000 * step,
  pausedMs: 0,
  seconds: 60 * step,
  alive: 20,
  migrations: 0,
  ...beside,
});
const points = (count: number): readonly StepPoint[] => Array.from({ length: count }, (_, step) => point(step));
const record = (step: number, ranking: number): StepRecord => ({
  ...{ step, programs: 16 * step, tokens: 1000 * step, costUsd: 0.5 * step, atMs: 60_000 * step, seconds: 60 * step },
  ...{ program: `r:${step}`, score: ranking, strict: null, ranking },
});

describe('a curve', () => {
  test('has its first and its last point, in order, and never more than twice what it may keep', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 2, max: 40 }), (count, most) => {
        const curve = new Curve(most);
        for (const one of points(count)) curve.add(one);
        const kept = curve.points().map(({ step }) => step);
        expect(kept[0]).toBe(0);
        expect(kept.at(-1)).toBe(count - 1);
        expect(kept.length).toBeLessThanOrEqual(most + 1);
        expect(kept).toEqual([...new Set(kept)].sort((a, b) => a - b));
      }),
      { numRuns: 60 },
    );
  });
});

describe('best so far', () => {
  test('holds each record until the next, and tells which program made it', () => {
    const line = bestLine({ points: points(6), records: [record(1, 1), record(4, 2)] }, 'programs');
    expect(line.x).toEqual([0, 16, 32, 48, 64, 80]);
    expect(line.best).toEqual([null, 1, 1, 1, 2, 2]);
    expect(line.improved).toEqual([null, 1, null, null, 2, null]);
    expect(line.record).toEqual([-1, 0, 0, 0, 1, 1]);
  });

  test('an axis on which nothing is counted has one place, with the newest record', () => {
    const free = [0, 1, 2].map((step) => point(step, { costUsd: 0 }));
    const line = bestLine(
      {
        points: free,
        records: [
          { ...record(1, 1), costUsd: 0 },
          { ...record(2, 3), costUsd: 0 },
        ],
      },
      'costUsd',
    );
    expect(line.x).toEqual([0]);
    expect(line.best).toEqual([3]);
  });

  test('distances have a logarithm, at the goal too', () => {
    expect(distances([null, 1, 2], 2)).toEqual([null, 1, 0.1]);
    expect(distances([2], 2)[0]).toBeGreaterThan(0);
  });

  test('a step lies where the step before it ended', () => {
    expect(placeOf(points(4), 3, 'tokens')).toBe(2000);
    expect(placeOf(points(4), 0, 'tokens')).toBe(0);
  });
});

test('windows of outcomes add up to all programs, however many there are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 300 }), fc.integer({ min: 1, max: 80 }), (count, most) => {
      const windows = outcomeWindows(points(count), most);
      expect(windows.length).toBeLessThanOrEqual(most);
      expect(windows.reduce((sum, { total }) => sum + total, 0)).toBe(16 * (count - 1));
      expect(windows.at(-1)!.toStep).toBe(count - 1);
      for (const { counts, total } of windows)
        expect(counts['valid']! + counts['invalid']! + counts['duplicate']!).toBe(total);
    }),
    { numRuns: 40 },
  );
});

const own = (all: readonly StepPoint[]) => ({ points: all, firstOwn: 0 });

describe('the rate', () => {
  test('is that of the last ten minutes, or ten steps where these are longer', () => {
    expect(recentRate(own(points(100)), null)).toMatchObject({ programs: 960, steps: 60, overSeconds: 600 });
    const slow = Array.from({ length: 30 }, (_, step) => point(step, { atMs: 600_000 * step }));
    expect(recentRate(own(slow), null)!.overSeconds).toBe(6000);
  });

  test('sinks where nothing has come for longer than two steps, and not before', () => {
    const all = points(100);
    const end = all.at(-1)!.atMs;
    expect(recentRate(own(all), { atMs: end + 60_000, pausedMs: 0 })).toEqual(recentRate(own(all), null));
    expect(recentRate(own(all), { atMs: end + 3_600_000, pausedMs: 0 })!.programs).toBeLessThan(200);
  });

  test('cannot be told of fewer than two steps', () => {
    expect(recentRate(own(points(1)), null)).toBeNull();
    expect(recentRate(own([]), { atMs: 5, pausedMs: 0 })).toBeNull();
  });

  test('is the same whether the run was paused or not, between two steps and after the last one', () => {
    const rested = points(100).map((one) => ({
      ...one,
      ...(one.step < 95 ? {} : { atMs: one.atMs + 7_200_000, pausedMs: 7_200_000 }),
    }));
    const [plain, now] = [recentRate(own(points(100)), null), rested.at(-1)!.atMs + 3_660_000];
    expect(recentRate(own(rested), null)).toEqual(plain);
    expect(recentRate(own(rested), { atMs: now, pausedMs: 7_200_000 + 3_600_000 })).toEqual(plain);
    expect(new Set(throughput(rested, 30).programs)).toEqual(new Set([960]));
  });

  test('of a fork counts no step of the run that it was forked off', () => {
    const forked = points(20).map((one) => ({ ...one, atMs: one.atMs + (one.step < 17 ? 0 : 86_400_000) }));
    expect(recentRate({ points: forked, firstOwn: 17 }, null)!.programs).toBe(960);
    expect(recentRate({ points: forked, firstOwn: 19 }, null)).toBeNull();
  });

  test('throughput of a steady run is the same everywhere', () => {
    const { x, programs } = throughput(points(61), 30);
    expect(x.at(-1)).toBe(960);
    expect(new Set(programs)).toEqual(new Set([960]));
  });
});
