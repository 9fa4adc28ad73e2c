// What a difference shows: every line of both texts once and in order, whatever is folded and however it is laid out.
import { diffLines } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksOf, commonEnds, foldedLines, lengthsOf, linesOf, paired } from '../../../../page/api/program/diff.ts';

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', '', '  c', '}'), { maxLength: 40 }), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended ? '\n' : ''));

const blocks = (before: string, after: string) =>
  blocksOf(lengthsOf(diffLines(before, after).map(({ count, added, removed }) => ({ count, added, removed }))));

describe('a difference', () => {
  it('holds every line of both texts once and in order', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const found = blocks(before, after);
        const lines = foldedLines(found, new Set(found.keys()));
        const [old, now] = [linesOf(before), linesOf(after)];
        expect(lines.flatMap((line) => ('before' in line ? [line.before] : []))).toEqual([...old.keys()]);
        expect(lines.flatMap((line) => ('after' in line ? [line.after] : []))).toEqual([...now.keys()]);
        const pairs = paired(lines).filter((pair) => pair.kind === 'pair');
        expect(pairs.flatMap(({ before: at }) => (at === null ? [] : [at]))).toEqual([...old.keys()]);
        expect(pairs.flatMap(({ after: at }) => (at === null ? [] : [at]))).toEqual([...now.keys()]);
        // What is called equal is equal but for the line feed at the very end.
        for (const line of lines) if (line.kind === 'same') expect(old[line.before]).toBe(now[line.after]);
        const folded = foldedLines(found, new Set());
        const hidden = folded.reduce((sum, line) => sum + (line.kind === 'fold' ? line.count : 0), 0);
        expect(folded.filter(({ kind }) => kind !== 'fold').length + hidden).toBe(lines.length);
      }),
    );
  });

  it('marks what differs within a line', () => {
    expect(commonEnds('x = 1 + y', 'x = 22 + y')).toEqual([4, 4]);
    expect(commonEnds('aaa', 'aa')).toEqual([2, 0]);
    expect(commonEnds('', 'x')).toEqual([0, 0]);
  });
});
