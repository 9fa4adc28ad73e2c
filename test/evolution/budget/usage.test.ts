// Sums of tokens and their cost: what was never counted stays uncounted; cached tokens have a price of their own.
import { describe, expect, it } from 'vitest';
import { costUsd, largerUsage, sumUsage, usageSince } from '../../../evolution/budget/money.ts';
import { cutShort } from '../../../evolution/models/endings.ts';
import { weightNotes } from '../../../evolution/models/ensemble.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

describe('usage', () => {
  it('absent stays absent, and one that names it is enough', () => {
    expect(
      sumUsage([
        { in: 1, out: 2 },
        { in: 3, out: 4 },
      ]),
    ).toEqual({ in: 4, out: 6 });
    expect(
      sumUsage([
        { in: 1, out: 2, cached: 1 },
        { in: 3, out: 4, reasoning: 2 },
        { in: 1, out: 1, cached: 1 },
      ]),
    ).toEqual({ in: 5, out: 7, cached: 2, reasoning: 2 });
    expect(usageSince({ in: 5, out: 7, cached: 2 }, { in: 1, out: 2 })).toEqual({ in: 4, out: 5, cached: 2 });
    expect(largerUsage({ in: 5, out: 1 }, { in: 1, out: 7, reasoning: 2 })).toEqual({ in: 5, out: 7, reasoning: 2 });
  });

  it('costs cached tokens at their own price, or like others where none is set', () => {
    expect(costUsd({ in: 100, out: 10, cached: 40 }, { in: 1, out: 10, cached: 0.25 })).toBeCloseTo(
      (60 + 40 * 0.25 + 100) / 1e6,
      15,
    );
    expect(costUsd({ in: 100, out: 10, cached: 40, reasoning: 5 }, { in: 1, out: 10 })).toBeCloseTo(200 / 1e6, 15);
  });
});

const configOf = (settings: object) => configFrom(settings);
const weighted = (first: number | undefined, second: number | undefined, more: object = {}) =>
  configOf({
    model: { name: 'a', baseUrl: 'http://a/v1', ...(first === undefined ? {} : { weight: first }) },
    models: [{ name: 'b', ...(second === undefined ? {} : { weight: second }) }],
    ...more,
  });

describe('weights', () => {
  it('that nobody set, or that sum to 1, need no word', () => {
    expect(weightNotes(weighted(undefined, undefined))).toEqual([]);
    expect(weightNotes(weighted(0.6, 0.4))).toEqual([]);
  });

  it('that do not sum to 1 are normalised, and that is said once', () => {
    expect(weightNotes(weighted(3, 1))).toEqual([
      'models (exploit, explore, meta, idea, repair): the weights sum to 4, not 1; taken as a 75 %, b 25 %',
    ]);
    expect(weightNotes(weighted(3, 1, { modelChoice: 'bandit' }))[1]).toContain('bandit');
  });

  it('below 0 are errors', () => {
    expect(() => weighted(-1, 1)).toThrow(/model\.weight: expected a number above 0/);
  });
});

describe('an answer that was cut short', () => {
  it('says so', () => {
    expect([cutShort('length'), cutShort('stop'), cutShort(null)]).toEqual([
      'the answer was cut off at the largest number of tokens that an answer may have',
      null,
      null,
    ]);
    expect(cutShort('content_filter')).toContain('content filter');
  });
});
