// The diversity of a program's text: the formula, against the plainest computation of it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diversity, shapeOf } from '../../../evolution/measures/diversity.ts';

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc
    .array(fc.constantFrom('a', 'b', 'é', '\n', '\r\n', '😀', '😁', '\ud83d', '\uffff', 'x = 1\n', '中'), {
      maxLength: 20,
    })
    .map((parts) => parts.join('')),
);

const plainly = (a: string, b: string): number => {
  const newlines = (code: string): number => code.split('\n').length - 1;
  const onlyIn = (one: string, other: string): number =>
    [...new Set(one)].filter((character) => ![...other].includes(character)).length;
  return (
    0.1 * Math.abs([...a].length - [...b].length) +
    10 * Math.abs(newlines(a) - newlines(b)) +
    0.5 * (onlyIn(a, b) + onlyIn(b, a))
  );
};

describe('diversity', () => {
  it('knows of a text its characters, its newlines and which characters it holds', () => {
    expect(shapeOf('')).toEqual({ length: 0, lines: 0, characters: '' });
    expect(shapeOf('ba\nb\n')).toEqual({ length: 5, lines: 2, characters: '\nab' });
    expect(shapeOf('😀\uffffz😀')).toEqual({ length: 4, lines: 0, characters: 'z\uffff😀' });
  });

  it('adds a tenth a character, ten a newline and a half a character of one text only', () => {
    const of = (a: string, b: string): number => diversity(shapeOf(a), [shapeOf(b)]);
    expect(of('aaaa', 'a')).toBeCloseTo(0.3);
    expect(of('a\na', 'aaa')).toBeCloseTo(10.5);
    expect(of('abc', 'cde')).toBeCloseTo(2);
    expect(of('x = 1\n', 'x = 1\n')).toBe(0);
  });

  it('is the mean over the references, and 0 without any (law)', () => {
    expect(diversity(shapeOf('x = 1'), [])).toBe(0);
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 5 }), (code, references) => {
        const mean = references.reduce((sum, reference) => sum + plainly(code, reference), 0) / references.length;
        expect(diversity(shapeOf(code), references.map(shapeOf))).toBeCloseTo(mean, 9);
      }),
    );
  });

  it('is symmetric, and stays itself when the shape was stored as JSON', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(diversity(shapeOf(a), [shapeOf(b)])).toBe(diversity(shapeOf(b), [shapeOf(a)]));
        expect(JSON.parse(JSON.stringify(shapeOf(a)))).toEqual(shapeOf(a));
      }),
    );
  });
});
