// Scores that are not believed at once: which, and what comes of them.
// Attempts: programs and scores.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import type { Conversation } from '../../../activities/sandbox/contract/types.ts';
import { quarantining } from '../../../activities/sandbox/host/quarantine.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import { suspicion } from '../../../evolution/scoring/quarantine.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { createFakeSandbox } from '../../doubles/fake-sandbox.ts';

const reference = { name: 'best', value: 10, source: 'test', strict: true, best: true };
const rules = {
  direction: 'maximise',
  references: [reference],
  bound: { value: 12, source: 'area' },
  suspectGain: 0.01,
} as const;

describe('suspicion', () => {
  test('a score up to a hundredth beyond the best known is believed, one beyond that is a jump, one beyond the bound is wrong', () => {
    expect(suspicion(rules, 10.1)).toBeNull();
    expect(suspicion(rules, 10.11)?.kind).toBe('jump');
    expect(suspicion(rules, 12)?.kind).toBe('jump');
    expect(suspicion(rules, 12.001)).toEqual({ kind: 'bound', reason: '12.001 passes the proven bound 12 (area)' });
  });
  test('without a bound and a best value nothing is suspicious', () => {
    expect(suspicion({ direction: 'minimise', references: [] }, -1e300)).toBeNull();
  });
  test('minimising is maximising with the signs turned', () => {
    fc.assert(
      fc.property(fc.double({ min: -20, max: 20, noNaN: true }), (score) => {
        const mirrored = {
          direction: 'minimise',
          references: [{ ...reference, value: -10 }],
          bound: { value: -12, source: 'area' },
        } as const;
        expect(suspicion(mirrored, -score)?.kind).toBe(suspicion(rules, score)?.kind);
      }),
    );
  });
});

describe('quarantine', () => {
  const evaluate = async (scores: readonly number[], own: Partial<Task> = {}) => {
    const task = { ...(await loadTask('circle-packing-square-26')), ...rules, ...own };
    const seeds: unknown[] = [];
    let call = 0;
    const evaluator = createEvaluator({
      task,
      sandbox: createFakeSandbox((job) => {
        seeds.push(job.instance['seed']);
        return { solution: {} };
      }),
      scorer: {
        score: async () => ({
          valid: true,
          score: scores[call]!,
          strictScore: scores[call++]!,
          metrics: {},
          reasons: [],
        }),
        judge: async () => {
          throw new Error('unused');
        },
        close: async () => undefined,
      },
      gate: { check: async (sources) => sources.map(() => null), close: async () => undefined },
    });
    const evaluation = await quarantining(evaluator, task).evaluate(
      { key: 'k', run: 'r', code: 'c', seed: 5, acceptSavedOnTimeout: false, scoring: 'tolerant' },
      new AbortController().signal,
    );
    return { evaluation, seeds };
  };
  test('an ordinary score is evaluated once and carries no flag', async () => {
    const { evaluation, seeds } = await evaluate([9]);
    expect(evaluation).toMatchObject({ outcome: 'valid', score: 9 });
    expect(evaluation).not.toHaveProperty('quarantine');
    expect(seeds).toEqual([5]);
  });
  test('a jump that another seed makes too is released, flagged', async () => {
    const { evaluation, seeds } = await evaluate([11, 9, 11.5]);
    expect(evaluation).toMatchObject({
      outcome: 'valid',
      score: 11,
      quarantine: {
        kind: 'jump',
        held: false,
        rawScore: 11,
        again: [
          { seed: 6, score: 9 },
          { seed: 7, score: 11.5 },
        ],
      },
    });
    expect(seeds).toEqual([5, 6, 7]);
  });
  test('a jump that no other seed makes is held: kept with its raw score, never valid', async () => {
    const { evaluation } = await evaluate([11, 9, 10]);
    expect(evaluation).toMatchObject({
      outcome: 'invalid',
      score: null,
      strictScore: null,
      quarantine: { held: true, rawScore: 11 },
    });
    expect(evaluation.reasons[0]).toMatch(/^quarantined: 11 is better than the best value known, 10/);
  });
  describe('of a program that is called', () => {
    const called = async (scores: readonly number[], data?: 'drawn') => {
      const drawn: unknown[] = [];
      const fake = createFakeSandbox(() => ({}));
      let call = 0;
      const task: Task = {
        ...(await loadTask('circle-packing-square-26')),
        ...rules,
        kind: 'function',
        ...(data === undefined ? {} : { data }),
      };
      const evaluator = createEvaluator({
        task,
        sandbox: {
          ...fake,
          converse: async (job, talk, signal) => {
            await talk({} as Conversation, null);
            return fake.run({ ...job, acceptSavedOnTimeout: false }, signal);
          },
        },
        scorer: {
          score: async () => {
            throw new Error('unused');
          },
          judge: async ({ extra }) => {
            drawn.push((extra as { hidden_key: unknown }).hidden_key);
            const score = scores[call++]!;
            return { valid: true, score, strictScore: score, metrics: {}, reasons: [], failure: null };
          },
          close: async () => undefined,
        },
        gate: { check: async (sources) => sources.map(() => null), close: async () => undefined },
      });
      const evaluation = await quarantining(evaluator, task).evaluate(
        { key: 'k', run: 'r', code: 'c', seed: 5, acceptSavedOnTimeout: false, scoring: 'tolerant' },
        new AbortController().signal,
      );
      return { evaluation, drawn };
    };
    test('a jump that other seeds only repeat is held: its data do not change, and may be known by heart', async () => {
      const { evaluation } = await called([11, 11, 11]);
      expect(evaluation).toMatchObject({ outcome: 'invalid', score: null, quarantine: { held: true, rawScore: 11 } });
      expect(evaluation.reasons[0]).toContain('other seeds change nothing, so that it could be known by heart');
    });
    test('one that other seeds make anew is released', async () => {
      expect((await called([11, 11.5, 9])).evaluation).toMatchObject({ outcome: 'valid', quarantine: { held: false } });
    });
    test('where data are drawn, each further look is at other data, and the same score there is believed', async () => {
      const { evaluation, drawn } = await called([11, 11, 11], 'drawn');
      expect(evaluation).toMatchObject({ outcome: 'valid', score: 11, quarantine: { held: false } });
      expect(new Set(drawn).size).toBe(3);
    });
  });
  test('what passes a proven bound is held whatever other seeds give', async () => {
    expect((await evaluate([13, 13, 13])).evaluation).toMatchObject({
      outcome: 'invalid',
      quarantine: { kind: 'bound', held: true },
    });
  });
});
