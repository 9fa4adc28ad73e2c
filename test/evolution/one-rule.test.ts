// The small rules that many parts share: searches, means, causes, slots, canonical texts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstIndex } from '../../evolution/binary-search.ts';
import { canonicalJson } from '../../evolution/canonical-json.ts';
import { causesOf, rootOf } from '../../evolution/root-cause.ts';
import { groupOf, sampleOf, slotOf, slotsIn, slotsOf } from '../../evolution/schedule/slots.ts';
import { deviationOf, meanOf, medianOf, spreadOf } from '../../evolution/statistics.ts';

test('the first index is where a look at each finds it (law)', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), fc.integer({ min: -1, max: 21 }), (list, wanted) => {
      const sorted = list.toSorted((a, b) => a - b);
      const found = sorted.findIndex((one) => one >= wanted);
      expect(firstIndex(sorted.length, (index) => sorted[index]! >= wanted)).toBe(found < 0 ? sorted.length : found);
    }),
  );
});

test('means, medians and deviations; nothing overflows to no number', () => {
  expect(spreadOf([1, 2, 3, 6])).toEqual({ n: 4, mean: 3, sd: Math.sqrt(14 / 3) });
  expect(spreadOf([])).toEqual({ n: 0, mean: null, sd: null });
  expect(deviationOf([5])).toBeNull();
  expect([medianOf([1, 2, 9]), medianOf([9, 2, 1]), medianOf([1, 2, 4, 9])]).toEqual([2, 2, 3]);
  expect(meanOf([1.7e308, 1.7e308])).toBeCloseTo(1.7e308, -300);
  expect(medianOf([1.7e308, 1.7e308])).toBe(1.7e308);
});

test('the root of an error is what caused all others', () => {
  const root = new TypeError('why');
  const error = new Error('outer', { cause: new Error('middle', { cause: root }) });
  expect(causesOf(error).map(({ message }) => message)).toEqual(['outer', 'middle', 'why']);
  expect(rootOf(error)).toBe(root);
  expect(rootOf('text').message).toBe('text');
  expect(rootOf(new Error('outer', { cause: 'text' })).message).toBe('outer');
});

test('a slot names its group and sample, and a group its slots (law)', () => {
  const few = fc.integer({ min: 1, max: 50 });
  fc.assert(
    fc.property(few, few, (batch, responses) => {
      const groups = Array.from({ length: batch }, (_, group) => slotsOf(group, responses));
      expect(groups.flat()).toEqual(Array.from({ length: slotsIn({ batch, responses }) }, (_, slot) => slot));
      for (const slot of groups.flat())
        expect(slotOf(groupOf(slot, responses), sampleOf(slot, responses), responses)).toBe(slot);
    }),
  );
  expect(slotsOf(2, 4, 1, 2)).toEqual([9, 10]);
});

test('equal values have equal texts', () => {
  expect(canonicalJson({ b: [1, { d: undefined, c: null }], a: new Date(0) })).toBe(
    '{"a":"1970-01-01T00:00:00.000Z","b":[1,{"c":null}]}',
  );
});
