// What models were worth, summed up over the rows of a run.
import { describe, expect, test } from 'vitest';
import { modelLines, modelShares, worthTitle } from '../../../../page/api/run/models.ts';
import type { Rows } from '../../../../page/api/rows/rows.ts';

/** Row 0 is the initial program, which no model wrote. */
const rows: Rows = {
  lineage: 'l',
  rows: 5,
  total: 5,
  better: 'more',
  names: { owners: ['r'], outcomes: ['valid', 'invalid'], models: ['', 'a', 'b'], features: [] },
  column: {
    model: Uint16Array.of(0, 1, 1, 2, 2),
    outcome: Uint8Array.of(0, 0, 1, 0, 0),
    parent: Int32Array.of(-1, 0, 0, 1, 2),
    flags: Uint8Array.of(16, 16, 0, 16, 16),
    step: Uint32Array.of(0, 1, 1, 2, 2),
    score: Float64Array.of(1, 3, Number.NaN, 2, 5),
    tokensIn: Uint32Array.of(0, 10, 10, 20, 20),
    tokensOut: Uint32Array.of(0, 1, 1, 2, 2),
    costUsd: Float32Array.of(0, 0.5, 0.5, 1, 1),
  },
};

// Of the two that were the best so far in step 2 only the last is a best, as in the plot and the events.
describe('the models of a run', () => {
  test('shares, tokens, cost, valid programs and gain over the parent', () => {
    expect(modelLines(rows, { direction: 'maximise', scoring: 'tolerant' })).toEqual([
      { model: 'a', programs: 2, valid: 1, tokensIn: 20, tokensOut: 2, costUsd: 1, improved: 1, gain: 2, records: 1 },
      { model: 'b', programs: 2, valid: 2, tokensIn: 40, tokensOut: 4, costUsd: 2, improved: 0, gain: 0, records: 1 },
      { model: '', programs: 1, valid: 1, tokensIn: 0, tokensOut: 0, costUsd: 0, improved: 0, gain: 0, records: 1 },
    ]);
  });

  test('one model alone is not said to be worth more or less', () => {
    const lines = modelLines(rows, { direction: 'maximise', scoring: 'tolerant' });
    expect(worthTitle(lines.slice(0, 1))).not.toContain('worth');
    expect(worthTitle(lines.slice(0, 2))).toContain('worth');
  });

  test('where less is better, a lower score is a gain', () => {
    expect(
      modelLines(rows, { direction: 'minimise', scoring: 'tolerant' }).map(({ model, gain }) => [model, gain]),
    ).toEqual([
      ['a', 0],
      ['b', 1],
      ['', 0],
    ]);
  });

  test('where the strict score ranks, the gain is that of strict scores', () => {
    const strict = { ...rows, column: { ...rows.column, strictScore: Float64Array.of(1, 1.5, Number.NaN, 2, 5) } };
    expect(modelLines(strict, { direction: 'maximise', scoring: 'strict' }).map(({ gain }) => gain)).toEqual([
      0.5, 0.5, 0,
    ]);
  });

  test('shares over time are of the named models alone and add up to one', () => {
    const { x, shares } = modelShares(rows, ['a', 'b'], 2);
    expect(x).toEqual([3, 5]);
    expect(shares).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });
});
