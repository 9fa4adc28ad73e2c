// How rewards become advantages and rows of a batch: golden vectors, and the laws that they follow.
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AdvantageKind, advantagesOf } from '../../../evolution/learning/advantages.ts';
import { type Rewarded, rowsOf } from '../../../evolution/learning/rollouts.ts';
import { batchLoss, type Token, tokenLoss } from '../../support/domain/token-loss.ts';

type Golden = {
  readonly settings: {
    readonly clip: { low: number; high: number };
    readonly truncatedIs: { low: number; high: number };
  };
  readonly tokens: readonly { ratio: number; weight: number; advantage: number; loss: number; gradient: number }[];
  readonly advantages: readonly { kind: AdvantageKind; rewards: number[]; advantages: number[] }[];
};
const golden = JSON.parse(
  readFileSync(new URL('../../fixtures/learning/golden.json', import.meta.url), 'utf8'),
) as Golden;
const SETTINGS = { ...golden.settings, icepop: false };

const token = (ratio: number, weight: number, advantage: number): Token => ({
  before: -1,
  logprob: -1 + Math.log(ratio),
  sampler: -1 - Math.log(weight),
  advantage,
});
const rewards = (least: number) =>
  fc.array(
    fc.integer({ min: -1_000, max: 1_000 }).map((value) => value / 8),
    { minLength: least, maxLength: 16 },
  );
const KINDS = ['grpo', 'grpo-nostd', 'entropic'] as const;

describe('golden vectors', () => {
  it.each(golden.tokens)('Learning 1: of a token: %j', ({ ratio, weight, advantage, loss, gradient }) => {
    const came = tokenLoss(token(ratio, weight, advantage), SETTINGS);
    expect(Math.abs(came.loss - loss)).toBeLessThan(1e-12);
    expect(Math.abs(came.gradient - gradient)).toBeLessThan(1e-12);
  });

  it.each(golden.advantages)('Learning 1: of a group: %j', ({ kind, rewards: given, advantages }) => {
    for (const [index, value] of advantagesOf(kind, given).entries())
      expect(Math.abs(value - advantages[index]!)).toBeLessThan(1e-12 * Math.max(1, Math.abs(value)));
  });
});

describe('advantages', () => {
  it('Learning 6: of equal rewards are exactly 0, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 3, max: 64 }),
        (kind, value, n) => {
          expect(
            advantagesOf(
              kind,
              Array.from({ length: n }, () => value),
            ).every((one) => one === 0),
          ).toBe(true);
        },
      ),
    );
  });

  it('Learning 6: of GRPO sum to 0, and those with a standard deviation do not depend on unit and origin', () => {
    fc.assert(
      fc.property(
        rewards(2),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: -100, max: 100 }),
        (given, scale, shift) => {
          for (const kind of ['grpo', 'grpo-nostd'] as const) {
            const sum = advantagesOf(kind, given).reduce((total, value) => total + value, 0);
            expect(Math.abs(sum)).toBeLessThan(1e-9);
          }
          const before = advantagesOf('grpo', given);
          const after = advantagesOf(
            'grpo',
            given.map((value) => value * scale + shift),
          );
          // The floor of the standard deviation, 1e-6, is all that keeps them from being equal.
          for (const [index, value] of before.entries()) expect(after[index]).toBeCloseTo(value, 4);
        },
      ),
    );
  });

  it('Learning 6: of the entropic form do not depend on unit and origin, and order as rewards do', () => {
    fc.assert(
      fc.property(
        rewards(3),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: -100, max: 100 }),
        (given, scale, shift) => {
          const before = advantagesOf('entropic', given);
          const after = advantagesOf(
            'entropic',
            given.map((value) => value * scale + shift),
          );
          for (const [index, value] of before.entries()) {
            expect(Math.abs(after[index]! - value)).toBeLessThan(1e-6 * (1 + Math.abs(value)));
            for (const [other, further] of before.entries())
              if (given[index]! > given[other]!) expect(value).toBeGreaterThanOrEqual(further);
          }
        },
      ),
    );
  });

  it('need a group, and finite rewards', () => {
    expect(() => advantagesOf('grpo', [1])).toThrow(/at least 2 rewards/);
    expect(() => advantagesOf('entropic', [1, 0])).toThrow(/at least 3 rewards/);
    expect(() => advantagesOf('grpo', [1, NaN])).toThrow(/finite rewards, got NaN/);
  });
});

describe('the loss', () => {
  it('Learning 3: has no gradient just outside the clip and the full one just inside; a ratio from 1.2 to 1.28 still flows', () => {
    for (const [ratio, advantage, share] of [
      [1.28 - 1e-9, 1, 1],
      [1.28 + 1e-9, 1, 0],
      [0.8 + 1e-9, -1, 1],
      [0.8 - 1e-9, -1, 0],
      [1.25, 1, 1],
      [5, -1, 1],
      [0.1, 1, 1],
    ] as const)
      expect(tokenLoss(token(ratio, 1, advantage), SETTINGS).gradient).toBeCloseTo(-share * ratio * advantage, 12);
  });

  it('Learning 4: is that of servers without importance weights, which are given advantages times the weight', () => {
    const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    fc.assert(
      fc.property(number(0.1, 3), number(0.1, 4), number(-2, 2), (ratio, weight, advantage) => {
        const { gradient } = tokenLoss(token(ratio, weight, advantage), SETTINGS);
        // Tinker's `ppo` on the trainer's own logprobs; the weight is never negative, so it passes through the maximum.
        const scaled = Math.min(weight, SETTINGS.truncatedIs.high) * advantage;
        expect(tokenLoss(token(ratio, 1, scaled), { ...SETTINGS, truncatedIs: null }).gradient).toBeCloseTo(
          gradient,
          9,
        );
        // Its `cispo` on the sampler's logprobs, in the one step where the ratio is 1: -clamp(exp(l - q), 0, 2) A.
        const cispo = -Math.min(weight, 2) * advantage;
        expect(tokenLoss(token(1, weight, advantage), SETTINGS).gradient).toBeCloseTo(cispo, 9);
      }),
    );
  });

  it('Learning 5: is the same in any order of rollouts, and a rollout weighs the same however long it is', () => {
    const rollout = fc.tuple(
      fc.double({ min: 0.5, max: 2, noNaN: true }),
      fc.double({ min: -2, max: 2, noNaN: true }),
      fc.integer({ min: 1, max: 9 }),
    );
    fc.assert(
      fc.property(fc.array(rollout, { minLength: 1, maxLength: 8 }), (given) => {
        const of = (length: (n: number) => number) =>
          given.map(([ratio, advantage, n]) => Array.from({ length: length(n) }, () => token(ratio, 1, advantage)));
        const loss = batchLoss(
          of((n) => n),
          given.length,
          SETTINGS,
        );
        expect(batchLoss(of((n) => n).toReversed(), given.length, SETTINGS)).toBeCloseTo(loss, 9);
        expect(
          batchLoss(
            of(() => 1),
            given.length,
            SETTINGS,
          ),
        ).toBeCloseTo(loss, 9);
      }),
    );
  });
});

describe('the rows of a batch', () => {
  const answer = (group: string, place: number, reward: number, more: Partial<Rewarded> = {}): Rewarded => ({
    id: `${group}:${place}`,
    group,
    place,
    reward,
    truncated: false,
    isWhole: true,
    ...more,
  });
  const settings = { advantage: 'grpo', sendConstant: false } as const;

  it('do not depend on the order in which answers came', () => {
    const given = ['a', 'b', 'c'].flatMap((group, index) =>
      [0, 1, 2].map((n) => answer(group, 3 * index + n, (n * index) % 3)),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(given, { minLength: given.length }), (shuffled) => {
        expect(rowsOf(shuffled, settings)).toEqual(rowsOf(given, settings));
      }),
    );
  });

  it('leave out constant groups and what is not whole, and count them in N; a group needs two', () => {
    const broken = { isWhole: false };
    const given = [
      answer('a', 0, 1),
      answer('a', 1, 0, { truncated: true }),
      answer('a', 2, 5, broken),
      answer('b', 3, 1),
      answer('b', 4, 1),
      answer('b', 5, 0, broken),
      answer('c', 6, 1),
      answer('c', 7, 0, broken),
    ];
    const { rows, ...counts } = rowsOf(given, settings);
    expect(rows.map(({ id, truncated }) => [id, truncated])).toEqual([
      ['a:0', false],
      ['a:1', true],
    ]);
    expect(rows.map(({ advantage }) => advantage)).toEqual([...advantagesOf('grpo', [1, 0])]);
    expect(counts).toEqual({
      total: 8,
      reward: { mean: 9 / 8, max: 5 },
      groups: 2,
      zeroVariance: 1,
      missing: 4,
      truncated: 1,
    });
    const sent = rowsOf(given, { ...settings, sendConstant: true }).rows;
    expect(sent.map(({ id }) => id)).toEqual(['a:0', 'a:1', 'b:3', 'b:4']);
    expect(sent.slice(2).map(({ advantage }) => advantage)).toEqual([0, 0]);
  });
});
