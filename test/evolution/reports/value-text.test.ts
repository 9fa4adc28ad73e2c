// Settings as people read them.
import { expect, test } from 'vitest';
import { valueText } from '../../../evolution/reports/value-text.ts';

test.each([
  [[{ island: 2, text: 'try "hexagons"' }], '“try "hexagons"” (island 2)'],
  [
    [
      { island: null, text: 'all' },
      { island: 0, text: 'first' },
    ],
    '“all”; “first” (island 0)',
  ],
  [{ in: 1, out: 2.5 }, 'in 1, out 2.5'],
  [[{ name: 'cpu', bins: [1, 2], scale: { kind: 'log' } }], 'name cpu, bins (1, 2), scale (kind log)'],
  [['score', 'length'], 'score, length'],
  [[], 'none'],
  [{}, 'none'],
  [null, 'none'],
  [undefined, 'none'],
  [false, 'false'],
  ['', ''],
])('%j reads %s', (value, text) => {
  expect(valueText(value)).toBe(text);
});
