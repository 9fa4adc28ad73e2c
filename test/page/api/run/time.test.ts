// Where the time of a step went: every moment counts once, whatever overlaps.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Activity, covered, partsOf, workLines, workOf } from '../../../../page/api/run/time.ts';

const activity = (name: string, scheduledMs: number, startedMs: number | null, endedMs: number | null): Activity => ({
  ...{ name, queue: 'q', scheduledMs, startedMs, endedMs, attempt: 1, failed: false },
});
const NAMES = ['planStep', 'generate', 'evaluate', 'applyResponses', 'commitStep', 'somethingNew'];

describe('the parts of a step', () => {
  test('tell model and container that overlap, waits and gaps apart', () => {
    const parts = partsOf(
      [
        activity('planStep', 0, 10, 20),
        activity('generate', 20, 20, 60),
        activity('evaluate', 40, 50, 90),
        activity('commitStep', 95, 95, 100),
      ],
      { from: 0, to: 100 },
    );
    expect(Object.fromEntries(parts.map(({ name, ms }) => [name, ms]))).toEqual({
      'waiting in a queue': 10,
      plan: 10,
      model: 30,
      'model and container at once': 10,
      container: 30,
      'between activities': 5,
      commit: 5,
    });
  });

  test('add up to the whole, whatever is under way, unfinished or outside', () => {
    const one = fc
      .tuple(fc.constantFrom(...NAMES), fc.nat(200), fc.nat(80), fc.nat(80), fc.integer({ min: 0, max: 2 }))
      .map(([name, scheduled, wait, work, state]) =>
        activity(name, scheduled, state === 0 ? null : scheduled + wait, state === 2 ? scheduled + wait + work : null),
      );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), fc.integer({ min: 1, max: 250 }), (activities, to) => {
        const parts = partsOf(activities, { from: 0, to });
        expect(parts.reduce((sum, { ms }) => sum + ms, 0)).toBe(to);
        for (const { ms } of parts) expect(ms).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 200 },
    );
  });
});

test('spans that overlap are covered once', () => {
  expect(
    covered([
      { from: 5, to: 10 },
      { from: 0, to: 6 },
      { from: 8, to: 9 },
      { from: 20, to: 21 },
    ]),
  ).toBe(11);
  expect(covered([])).toBe(0);
});

test('a line for each kind of work says how long it worked and waited', () => {
  const lines = workLines(
    [activity('generate', 0, 5, 20), activity('ask', 0, 10, 30), activity('evaluate', 30, null, null)],
    40,
  );
  expect(lines).toMatchObject([
    { work: 'container', activities: 1, coveredMs: 0, sumMs: 0, waitedMs: 10 },
    { work: 'model', activities: 2, coveredMs: 25, sumMs: 35, waitedMs: 15 },
  ]);
});

test('an activity of a later version is not lost', () => {
  expect(workOf('somethingNew')).toBe('other');
});
