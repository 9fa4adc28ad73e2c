// Which policy a step samples with, how policies are named, and what ideas and judgements are worth.
import { describe, expect, it } from 'vitest';
import { parsePolicyName, policyFor, policyId } from '../../../evolution/learning/policies.ts';
import { type Carried, ideaReward, judgeReward } from '../../../evolution/learning/rewards.ts';

describe('policies', () => {
  it('have names that say run and version', () => {
    expect(policyId('first', 7, '0123456789abcdef')).toBe('first-v0007-01234567');
    expect(parsePolicyName('first@12')).toEqual({ run: 'first', version: 12 });
    for (const wrong of ['first', 'first@', 'first@01', 'First@1', '@1', 'a@b@1', 'first@latest'])
      expect(parsePolicyName(wrong)).toBeNull();
  });

  it('serve the step after the one that they were trained on, or with a lag the next one', () => {
    const chain = [
      { step: 0, kind: 'start' },
      { step: 0, kind: 'supervised' },
      { step: 1, kind: 'policy' },
      { step: 3, kind: 'policy' },
    ] as const;
    const [, warm, first, third] = chain;
    expect([0, 1, 2, 3, 4, 5].map((step) => policyFor(step, 0, chain))).toEqual([
      null,
      warm,
      first,
      first,
      third,
      third,
    ]);
    expect([0, 1, 2, 3, 4, 5].map((step) => policyFor(step, 1, chain))).toEqual([
      null,
      warm,
      warm,
      first,
      first,
      third,
    ]);
  });

  it('that began late serve from the next step on', () => {
    const chain = [{ step: 5, kind: 'start' }] as const;
    expect(policyFor(5, 0, chain)).toBeNull();
    expect(policyFor(6, 1, chain)).toBe(chain[0]);
  });
});

describe('what is not a program is worth what came of it', () => {
  const carried = (more: Partial<Carried>): Carried => ({
    outcome: 'valid',
    reward: 1,
    isBetter: true,
    would: 'pass',
    ...more,
  });

  it('an idea the mean of its programs, and a rejected one the code of that', () => {
    expect(ideaReward([carried({ reward: 1 }), carried({ reward: -0.4 })])).toBeCloseTo(0.3, 12);
    expect(ideaReward([carried({ outcome: 'rejected', reward: -0.4, would: 'rejected' })])).toBe(-0.4);
    expect(ideaReward([carried({ outcome: 'rm_failed', reward: -0.4 })])).toBeNull();
  });

  it.each([
    [1, [carried({}), carried({ isBetter: false })]],
    [0, [carried({ isBetter: false })]],
    // A gate in the shadow: what it would have stopped was carried out.
    [1, [carried({ would: 'rejected', isBetter: false })]],
    [0, [carried({ would: 'rejected' })]],
    [-0.4, [carried({ outcome: 'unparsed', would: 'unparsed' })]],
    [null, [carried({ outcome: 'rejected', would: 'rejected' })]],
    [null, [carried({ would: null })]],
    [null, []],
  ])('a judgement %j', (reward, programs) => {
    expect(judgeReward(programs)).toBe(reward);
  });
});
