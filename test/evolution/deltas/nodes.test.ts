// Nodes: fallback for a missing delta, labels, disclosure, rendering, feedback (DeltaEvolve 6, 7,
// 12).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeDelta, repairedDelta } from '../../../evolution/deltas/complete.ts';
import { changeLabel, type CompleteDelta, deltaOf } from '../../../evolution/deltas/delta.ts';
import { feedbackOf, hideScores, maskedFeedback, showFeedback } from '../../../evolution/deltas/feedback.ts';
import { disclosureOf, historyPlaces } from '../../../evolution/deltas/history.ts';
import { parseDelta } from '../../../evolution/deltas/parse.ts';
import { renderNode } from '../../../evolution/deltas/render.ts';
import { deltas, PLAN, SUMMARY } from '../../support/models/deltas-answers.ts';

const full: CompleteDelta = { summary: SUMMARY, plan: PLAN, status: 'full' };
const size = { blocks: 2, addedLines: 5, deletedLines: 3 };

describe('a missing delta', () => {
  it('DeltaEvolve 6: a valid program without delta may be elite, and renders by fallback', () => {
    const { delta } = parseDelta('<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE');
    const node = completeDelta({ delta, parentDelta: full, ...size });
    expect(node).toEqual({
      status: 'missing',
      plan: [],
      summary: { from: SUMMARY.to, to: 'unlabelled change, 2 blocks, +5/-3 lines' },
    });
    const candidate = { origin: 'p', root: false, valid: true, status: node.status };
    const choice = { elites: [candidate], diverse: [], k: 3, m: 2, parent: 'q', eliteExcludesParent: false };
    expect(historyPlaces({ ...choice, missingDelta: 'fallback' })).toEqual([{ role: 'top', node: candidate }]);
    expect(historyPlaces({ ...choice, missingDelta: 'skip' })).toEqual([]);
    expect(renderNode({ time: 27, label: 'improved', delta: node, level: 'L2' })).toBe(
      `[iter: 027 | improved]\nFROM: ${SUMMARY.to}\nTO: unlabelled change, 2 blocks, +5/-3 lines`,
    );
  });

  it('a summary is built from the plan where there is one; of the initial program the strategy is not known', () => {
    const planOnly = completeDelta({ delta: deltaOf(null, [...PLAN, PLAN[0]!]), parentDelta: null, ...size });
    expect(planOnly).toEqual({
      status: 'plan_only',
      plan: [...PLAN, PLAN[0]],
      summary: { from: 'initial program', to: 'Starting points, Step size' },
    });
    expect(
      completeDelta({ delta: deltaOf(null, [{ ...PLAN[0]!, component: '' }]), parentDelta: null, ...size, blocks: 1 })
        .summary.to,
    ).toBe('unlabelled change, 1 block, +5/-3 lines');
  });

  it('changes nothing that the model gave, and always gives a summary (law)', () => {
    fc.assert(
      fc.property(deltas, (delta) => {
        const node = completeDelta({ delta, parentDelta: null, ...size });
        expect(node).toMatchObject({
          plan: delta.plan,
          status: delta.status,
          ...(delta.summary === null ? {} : { summary: delta.summary }),
        });
        expect(node.summary.to).not.toBe('');
      }),
    );
  });

  it('a repair fills what is missing and nothing else', () => {
    const other = { from: 'other', to: 'other' };
    expect(repairedDelta(deltaOf(SUMMARY, []), deltaOf(other, PLAN))).toEqual(full);
    expect(repairedDelta(deltaOf(null, []), deltaOf(other, []))).toEqual(deltaOf(other, []));
    expect(repairedDelta(full, deltaOf(other, []))).toEqual(full);
  });
});

describe('a label', () => {
  it.each([
    [2, 1, 'improved'],
    [1, 2, 'degraded'],
    [1, 1, 'unchanged'],
    [-1, -2, 'improved'],
    [0, -0, 'unchanged'],
    [0.02052785923753658, 0.02052785923753663, 'unchanged'],
    [8.9999981804, 8.9999980346, 'improved'],
    [null, 1, 'failed'],
    [null, null, 'failed'],
    [1, null, 'improved'],
    [-5, null, 'improved'],
  ] as const)('DeltaEvolve 12: child %s, parent %s: %s', (fit, parentFit, label) => {
    expect(changeLabel({ fit, parentFit })).toBe(label);
  });
});

describe('disclosure', () => {
  const level = (
    time: number,
    t: number,
    window: number,
    change: { mode?: 'window' | 'l2-selected'; hasPlan?: boolean } = {},
  ) => disclosureOf({ mode: 'window', hasPlan: true, t, window, time, ...change });

  it('DeltaEvolve 7: Time = t - w gives L1, t - w + 1 gives L2; w = 0 all L1, w > t all L2', () => {
    expect([level(80, 100, 20), level(81, 100, 20)]).toEqual(['L1', 'L2']);
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(1000), (t, older) => {
        const time = Math.max(0, t - 1 - older);
        expect(level(time, t, 0)).toBe('L1');
        expect(level(time, t, t + 1)).toBe('L2');
      }),
    );
  });

  it('with l2-selected shows all that is there, and a node without a plan its summary', () => {
    expect(level(1, 100, 20, { mode: 'l2-selected' })).toBe('L2');
    expect(level(99, 100, 20, { hasPlan: false })).toBe('L1');
    expect(level(99, 100, 20, { hasPlan: false, mode: 'l2-selected' })).toBe('L1');
  });
});

describe('a node as text', () => {
  it('bears label and attempt number in the form of its level, entries numbered from 1, empty fields left out', () => {
    expect(
      renderNode({
        time: 38,
        label: 'degraded',
        delta: { ...full, plan: [PLAN[0]!, { ...PLAN[1]!, component: '', hypothesis: '' }] },
        level: 'L2',
      }),
    ).toBe(
      [
        '[iter:038:degraded]',
        '[Modification 1]',
        'COMPONENT: Starting points',
        'OLD_LOGIC: 10 uniform points',
        'NEW_LOGIC: 40 points of a Latin hypercube',
        'HYPOTHESIS: Coverage of the box',
        '[Modification 2]',
        'OLD_LOGIC: 0.1 of the span',
        'NEW_LOGIC: 0.2 of the span, halved after 5 failures',
      ].join('\n'),
    );
    expect(
      renderNode({ time: 1234, label: 'failed', delta: { ...full, summary: { from: '', to: 'b' } }, level: 'L1' }),
    ).toBe('[iter: 1234 | failed]\nTO: b');
  });
});

describe('feedback', () => {
  it('is compact JSON of scores and error text on one line, without measured times', () => {
    const evaluated = {
      scoreName: 'mean',
      outcome: 'valid' as const,
      score: 1 / 3,
      metrics: { case_a: 0.5, strict: true, runtime_s: 1.7 },
      reasons: [],
    };
    expect(showFeedback(feedbackOf(evaluated))).toBe('{"mean":0.3333333333,"case_a":0.5,"strict":true}');
    const failed = feedbackOf({
      ...evaluated,
      outcome: 'invalid',
      score: null,
      metrics: {},
      reasons: ['overlap:\n"1"', 'x\u2028y'],
    });
    expect(showFeedback(failed)).toBe('{"error":"overlap:\\n\\"1\\"; x\\u2028y"}');
    expect(feedbackOf({ ...evaluated, outcome: 'no_solution', score: null, metrics: {}, reasons: [] }).error).toBe(
      'no_solution',
    );
  });

  it('has at most 2000 characters and shows where it was cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1900, maxLength: 2400 }), (error) => {
        const shown = showFeedback({ values: { a: 1 }, error });
        expect(shown.length).toBeLessThanOrEqual(2000);
        expect(shown).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(shown.isWellFormed()).toBe(true);
        const whole = shown.endsWith('"}') && !shown.endsWith('[cut]');
        expect(whole ? JSON.parse(shown) : 'cut').toEqual(whole ? { a: 1, error: error.toWellFormed() } : 'cut');
      }),
      { numRuns: 50 },
    );
    expect(showFeedback({ values: {}, error: 'x'.repeat(1988) })).toHaveLength(2000);
    expect(showFeedback({ values: {}, error: 'x'.repeat(1989) })).toMatch(/x\.\.\. \[cut\]$/);
  });

  it('masked, holds no number of its own and no score in its words', () => {
    const scores = new Set([2.6359831, 592]);
    expect(
      maskedFeedback(
        {
          values: { sum: 2.6359831, ok: true, note: 'was 2.636' },
          error: 'line 12: 2.6359 of -2.6359831, 592 points (0.592e3), case_592, 26',
        },
        scores,
      ),
    ).toEqual({
      values: { ok: true, note: 'was [hidden]' },
      error: 'line 12: [hidden] of [hidden], [hidden] points ([hidden]), case_592, 26',
    });
    expect(hideScores('2.6 and 2.64 and 2.7', scores)).toBe('2.6 and [hidden] and 2.7');
  });
});
