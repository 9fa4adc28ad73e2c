// What makes one text of another: always exactly the other, and little where little is new.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { edited, editOf } from '../../../page/data/edit.ts';

it('makes the one text of the other, whatever they are', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '😀'), maxLength: 30 });
  fc.assert(
    fc.property(text, text, text, (before, now, added) => {
      expect(edited(before, editOf(before, now))).toBe(now);
      const longer = before + added + now;
      expect(edited(before + now, editOf(before + now, longer))).toBe(longer);
      expect(editOf(before + now, longer).text.length).toBeLessThanOrEqual(added.length);
    }),
  );
});

it('is refused for a text that is too short to be the one before', () => {
  expect(() => edited('abc', { first: 2, text: '', last: 2 })).toThrow('at least 4 characters, got 3');
});
