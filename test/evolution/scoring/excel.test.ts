// The human best as a goal (AlphaResearch Eq. 4, Table 4; AlphaResearch 10 and 12).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportRow } from '../../../evolution/reports/task-report.ts';
import { beatsHuman, excelOf } from '../../../evolution/scoring/human-best.ts';
import { meanOf } from '../../../evolution/statistics.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { reportedRun } from '../../support/domain/reported-run.ts';

const PUBLISHED = [
  { direction: 'maximise', human: 2.634, best: 2.636 },
  { direction: 'maximise', human: 2.936, best: 2.939 },
  { direction: 'minimise', human: 12.89, best: 12.92 },
  { direction: 'minimise', human: 1.458, best: 1.546 },
  { direction: 'maximise', human: 0.6736, best: 0.6735 },
  { direction: 'minimise', human: 0.755, best: 0.756 },
  { direction: 'minimise', human: 32, best: 32 },
  { direction: 'maximise', human: 1.04, best: 1.04 },
] as const;

/** As a row of `evolve report` has it. */
const reported = ({ human, best, direction }: (typeof PUBLISHED)[number]): number =>
  reportRow(reportedRun({ method: 'alpharesearch', best }), {
    direction,
    scoreName: 'score',
    references: [{ label: 'human', value: human, strict: false, human: true }] as unknown as Task['references'],
  }).excel!;

describe('the human best', () => {
  it('AlphaResearch 10: stop follows the first strict excess over human best; equality continues; minimisation too', () => {
    const stopAt = (results: readonly number[], goal: Parameters<typeof beatsHuman>[1]) =>
      results.findIndex((best) => beatsHuman(best, goal));
    expect(stopAt([0, 2.63, 2.634, 2.6340001, 3], { human: 2.634, direction: 'maximise' })).toBe(3);
    expect(stopAt([35, 1.46, 1.458, 1.4579], { human: 1.458, direction: 'minimise' })).toBe(3);
    expect(beatsHuman(null, { human: -5, direction: 'maximise' })).toBe(false);
  });
  it('AlphaResearch 12: Table 4 gives mean excel -0.780 % (±0.001), wins 2/8', () => {
    const each = PUBLISHED.map(reported);
    expect(Math.abs(100 * meanOf(each)! + 0.78)).toBeLessThan(0.001);
    expect(each.filter((excel) => excel > 0)).toHaveLength(2);
    expect(each.map((excel) => (100 * excel).toFixed(3))).toEqual(
      '0.076 0.102 -0.233 -6.036 -0.015 -0.132 0.000 0.000'.split(' '),
    );
  });
  it('is signed by the outcome, whatever the direction and the sign of the value (law)', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true }).filter((x) => Math.abs(x) > 1e-6);
    fc.assert(
      fc.property(value, value, fc.constantFrom('maximise' as const, 'minimise' as const), (human, best, direction) => {
        expect(excelOf({ human, best, direction }) > 0).toBe(beatsHuman(best, { human, direction }));
      }),
    );
  });
  it('needs a human best other than 0', () => {
    expect(() => excelOf({ human: 0, best: 1, direction: 'maximise' })).toThrow(/other than 0/);
  });
});
