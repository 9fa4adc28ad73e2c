import { describe, expect, test } from 'vitest';
import { fromWhereTheyDiffer, sharedBeginning } from '../../../../page/api/program/shared-beginning.ts';

const differ = (...texts: readonly string[]): readonly string[] =>
  texts.map((text) => fromWhereTheyDiffer(text, sharedBeginning(texts)));

describe('what tells changes apart', () => {
  test('is shown without the words with which all of them begin', () => {
    expect(differ('The same program, which changed 0.5 to 0.4.', 'The same program, which changed 0.51 to 2.')).toEqual(
      ['… 0.5 to 0.4.', '… 0.51 to 2.'],
    );
  });

  test('leaves a text that is the beginning of another its last word', () => {
    expect(differ('a b c d e', 'a b c d e f')).toEqual(['… e', '… e f']);
  });

  test('keeps what few words have in common, what stands alone, and what is the same everywhere', () => {
    expect(differ('Larger steps at first', 'Larger steps at last')).toEqual([
      'Larger steps at first',
      'Larger steps at last',
    ]);
    expect(differ('one two three four five')).toEqual(['one two three four five']);
    expect(differ('one two three four five', 'one two three four five')).toEqual([
      'one two three four five',
      'one two three four five',
    ]);
    expect(differ()).toEqual([]);
    expect(fromWhereTheyDiffer('', 20)).toBe('');
    expect(differ('', 'one two three four five')).toEqual(['', 'one two three four five']);
  });
});
