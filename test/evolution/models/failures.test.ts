// What a failed request means for the budget.
import { describe, expect, it } from 'vitest';
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
    [521, true],
    [522, true],
    [525, true],
    [524, false],
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
    expect(costNothing({ status: null, codes: ['ERR_SSL_WRONG_VERSION_NUMBER'] })).toBe(true);
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
