// What a failed request means for the budget, and how tokens are estimated where no endpoint names them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimatePrompt, estimateTokens } from '../../../evolution/budget/estimate.ts';
import { costNothing, MAX_UNANSWERED, pauseMs } from '../../../evolution/models/failures.ts';

describe('a request that failed', () => {
  it.each([
    [400, true],
    [401, true],
    [404, true],
    [413, true],
    [422, true],
    [429, true],
    [302, true],
    [503, true],
    [529, true],
    [408, false],
    [409, false],
    [499, false],
    [500, false],
    [502, false],
    [504, false],
    [200, false],
  ])('with status %d costs nothing for certain: %s', (status, free) => {
    expect(costNothing({ status, codes: ['ECONNRESET'] })).toBe(free);
  });

  it('without a status costs nothing only where it cannot have left', () => {
    expect(costNothing({ status: null, codes: [] })).toBe(false);
    expect(costNothing({ status: null, codes: ['ECONNRESET'] })).toBe(false);
    expect(costNothing({ status: null, codes: ['ETIMEDOUT', 'ECONNREFUSED'] })).toBe(true);
    // An answer that came says that the request left, whatever failed then.
    expect(costNothing({ status: 200, codes: ['ECONNREFUSED'] })).toBe(false);
  });

  it('is sent again after pauses that grow and stay below a minute', () => {
    const pauses = Array.from({ length: MAX_UNANSWERED + 3 }, (_, index) => pauseMs(index));
    expect([...pauses].sort((a, b) => a - b)).toEqual(pauses);
    expect(pauses[0]).toBeGreaterThan(0);
    expect(pauses.at(-1)).toBeLessThan(60_000);
  });
});

describe('the estimate of tokens', () => {
  it('is a quarter of the bytes of UTF-8, rounded up, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(estimateTokens(text)).toBe(Math.ceil(Buffer.byteLength(text, 'utf8') / 4));
      }),
    );
    expect([estimateTokens(''), estimateTokens('a'), estimateTokens('日本語')]).toEqual([0, 1, 3]);
  });

  it('of a prompt counts every message, an empty one too', () => {
    expect(estimatePrompt([])).toBe(0);
    expect(estimatePrompt([{ content: '' }, { content: 'abcde' }])).toBe(4 + 4 + 2);
  });
});
