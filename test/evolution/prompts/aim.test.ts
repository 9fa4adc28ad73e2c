// What a request asks for: the mode by the rank of the program, and the best value known once it is reached.
import { describe, expect, it } from 'vitest';
import { aimWords, reachedBy } from '../../../evolution/prompts/parts/aim.ts';
import type { TaskReference } from '../../../evolution/task/task.ts';

const reference = (value: number): TaskReference => ({ name: 'n', value, source: 's', strict: true, best: true });
const least = { references: [reference(4.165783474580074)], direction: 'minimise' as const };
const goal = { scoreName: 'ratio_sq', direction: 'minimise' } as const;

describe('the best value known', () => {
  it('is reached by the current program, else by the best, up to digits that no prompt shows', () => {
    expect(reachedBy(least, { current: 4.3, best: 4.2 })).toBeNull();
    expect(reachedBy(least, { current: 4.16578347458009, best: 4.16578347458009 })).toMatchObject({
      by: 'current',
      how: 'equals',
    });
    // Where the best program is beyond it, the other's digits are no news.
    expect(reachedBy(least, { current: 4.16578347458009, best: 4.1 })).toMatchObject({ by: 'best', how: 'beats' });
    expect(reachedBy(least, { current: 4.3, best: 4.16 })).toMatchObject({ by: 'best', value: 4.16, how: 'beats' });
    expect(reachedBy({ ...least, references: [] }, { current: 1, best: 1 })).toBeNull();
    const proven = { ...least, bound: { value: 4.165783474580074, source: 'b' } };
    expect(reachedBy(proven, { current: 4.165783474580074, best: null })).toMatchObject({ how: 'final' });
  });

  it('is told with what counts from then on', () => {
    const reached = reachedBy(least, { current: 4.165783474580074, best: null });
    expect(aimWords({ mode: null, reached }, goal, 'valid')).toMatch(
      /The current program equals the best value known, ratio_sq = 4\.165783475\. Only a value below it counts: another basin is needed, not more digits\.$/,
    );
    expect(aimWords({ mode: 'exploit', reached }, goal, 'invalid')).not.toContain('best value known');
  });

  it('of other data is no bar once it is passed, and what nothing can beat is told', () => {
    const drawn = { ...least, data: 'drawn', bound: { value: 4, source: 'b' } } as const;
    expect(reachedBy(drawn, { current: 4.165783474580074, best: null })).toBeNull();
    expect(aimWords({ mode: null, reached: reachedBy(drawn, { current: 4.2, best: 4.1 }) }, goal, 'valid')).toMatch(
      /The best program has ratio_sq = 4\.1 and has passed the best value known, 4\.165783475 on other data\. Nothing can be below 4\.$/,
    );
  });
});

it('a program below others is not told to keep what works, and the initial one is to be replaced', () => {
  const rank = { place: 3, of: 5 };
  expect(aimWords({ mode: 'exploit' }, goal, 'valid')).toContain('Keep what works');
  expect(aimWords({ mode: 'exploit', rank }, goal, 'valid')).toMatch(/number 3 of 5 by score.* beyond the best/);
  for (const mode of ['exploit', 'initial'] as const)
    expect(aimWords({ mode, rank }, goal, 'valid')).not.toContain('Keep what works');
});

it('a score that several programs share is a place to leave, unless more is known of it', () => {
  const words = (reached: Parameters<typeof aimWords>[0]['reached']): string =>
    aimWords({ mode: 'explore', shared: 4, reached }, goal, 'valid');
  expect(words(null)).toMatch(/ 4 programs of this search share its best score to all digits shown: another basin/);
  expect(words(reachedBy(least, { current: 4.165783474580074, best: null }))).not.toContain('share');
});
