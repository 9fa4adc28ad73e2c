// What a step may spend while requests are in flight: the laws that budgets rely on.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Allowance, type AllowanceBudget } from '../../../evolution/budget/allowance.ts';

const costs = (tokens: number) => ({ tokens, costUsd: 0 });
const budget = (change: Partial<AllowanceBudget>): AllowanceBudget => ({
  tokens: null,
  costUsd: null,
  perResponse: null,
  ...change,
});

/**
 * Runs a schedule: requests are asked for in order, up to `width` in flight, and settle in an order drawn by `pick`.
 */
const play = (
  allowance: Allowance,
  requests: readonly { readonly count: number; readonly cost: number }[],
  width: number,
  pick: (n: number) => number,
) => {
  const waiting = [...requests];
  const inFlight: { readonly count: number; readonly cost: number }[] = [];
  let spent = 0;
  /** What the law allows: at the last grant, everything settled plus what those in flight cost beyond the estimate. */
  let excess = 0;
  while (waiting.length > 0 || inFlight.length > 0) {
    const [next] = waiting;
    const verdict = next && inFlight.length < width ? allowance.reserve(next.count) : 'wait';
    if (verdict === 'wait') {
      const [settled] = inFlight.splice(pick(inFlight.length), 1);
      if (!settled) throw new Error('stuck: told to wait with nothing in flight');
      allowance.settle(settled.count, costs(settled.cost * settled.count));
      spent += settled.cost * settled.count;
      continue;
    }
    waiting.shift();
    if (verdict === 'denied') continue;
    inFlight.push(next!);
    const estimate = allowance.estimate?.tokens ?? 0;
    excess = inFlight.reduce((sum, { count, cost }) => sum + count * Math.max(0, cost - estimate), 0);
  }
  return { spent, excess };
};

const requestsOf = (cost: fc.Arbitrary<number>) =>
  fc.array(fc.record({ count: fc.integer({ min: 1, max: 8 }), cost }), { minLength: 1, maxLength: 40 });
const picker = fc.infiniteStream(fc.nat()).map(
  (numbers) =>
    (n: number): number =>
      n === 0 ? 0 : (numbers.next().value ?? 0) % n,
);
const width = fc.integer({ min: 1, max: 10 });

describe('an allowance', () => {
  it('without limits grants everything', () => {
    const allowance = new Allowance(budget({}));
    for (let i = 0; i < 1000; i += 1) expect(allowance.reserve(1000)).toBe('granted');
  });

  it('while nothing is known lets one request through as a probe', () => {
    const allowance = new Allowance(budget({ costUsd: 1 }));
    expect([allowance.reserve(4), allowance.reserve(4)]).toEqual(['granted', 'wait']);
    allowance.settle(4, { tokens: 10, costUsd: 0.4 });
    expect([allowance.reserve(4), allowance.reserve(4), allowance.reserve(2), allowance.reserve(2)]).toEqual([
      'granted',
      'wait',
      'granted',
      'wait',
    ]);
  });

  it('a probe that fails gives way to another', () => {
    const allowance = new Allowance(budget({ tokens: 10 }));
    expect(allowance.reserve(2)).toBe('granted');
    allowance.release(2);
    expect(allowance.reserve(2)).toBe('granted');
  });

  it('denies what does not fit even when nothing is in flight, and everything once nothing is left', () => {
    const allowance = new Allowance(budget({ tokens: 100, perResponse: { tokens: 30, costUsd: 0 } }));
    expect([allowance.reserve(4), allowance.reserve(3), allowance.reserve(1)]).toEqual(['denied', 'granted', 'wait']);
    allowance.settle(3, costs(100));
    expect(allowance.reserve(1)).toBe('denied');
  });

  it('reckons at the higher of the means before and in this step', () => {
    const allowance = new Allowance(budget({ tokens: 100, perResponse: { tokens: 10, costUsd: 2 } }));
    allowance.reserve(1);
    allowance.settle(1, { tokens: 20, costUsd: 1 });
    expect(allowance.estimate).toEqual({ tokens: 20, costUsd: 2 });
  });

  it('both limits count', () => {
    const allowance = new Allowance({ tokens: 1000, costUsd: 1, perResponse: { tokens: 1, costUsd: 0.5 } });
    expect([allowance.reserve(2), allowance.reserve(1)]).toEqual(['granted', 'wait']);
  });

  it('law: the limit is exceeded at most by what the responses in flight at the last grant cost beyond the estimate', () => {
    const cost = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3000 }),
        fc.option(cost),
        requestsOf(cost),
        width,
        picker,
        (tokens, prior, requests, atOnce, pick) => {
          const { spent, excess } = play(
            new Allowance(budget({ tokens, perResponse: prior === null ? null : costs(prior) })),
            requests,
            atOnce,
            pick,
          );
          expect(spent).toBeLessThanOrEqual(tokens + excess + 1e-4);
        },
      ),
    );
  });

  it('law: the limit is kept where no response costs more than the mean so far', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3000 }),
        requestsOf(fc.integer({ min: 0, max: 100 })),
        width,
        picker,
        (tokens, requests, atOnce, pick) => {
          expect(
            play(new Allowance(budget({ tokens, perResponse: costs(100) })), requests, atOnce, pick).spent,
          ).toBeLessThanOrEqual(tokens);
        },
      ),
    );
  });

  it('law: at a constant cost the limit is kept, and less than one request is left unspent', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 0, max: 3000 }),
        fc.boolean(),
        width,
        picker,
        (cost, count, extra, known, atOnce, pick) => {
          const tokens = count * cost + extra;
          const requests = Array.from({ length: Math.ceil(tokens / (count * cost)) + 5 }, () => ({ count, cost }));
          const { spent } = play(
            new Allowance(budget({ tokens, perResponse: known ? costs(cost) : null })),
            requests,
            atOnce,
            pick,
          );
          expect(spent).toBeLessThanOrEqual(tokens);
          expect(tokens - spent).toBeLessThan(count * cost);
        },
      ),
    );
  });

  it('what is to follow a response that has come is reckoned with, at the mean of what followed others', () => {
    const allowance = new Allowance(budget({ tokens: 100, perResponse: costs(20) }));
    expect([allowance.reserve(2), allowance.reserve(3)]).toEqual(['granted', 'granted']);
    allowance.settle(2, costs(20));
    allowance.owe(2);
    // 20 paid, three in flight and two to follow at 20 each.
    expect([allowance.reserve(1)]).toEqual(['wait']);
    allowance.follow(1, costs(2));
    expect([allowance.reserve(0), allowance.reserve(1), allowance.reserve(1)]).toEqual(['granted', 'wait', 'wait']);
    allowance.follow(1, null);
    allowance.settle(2, costs(20));
    expect(allowance.reserve(1)).toBe('granted');
  });

  it('law: the limit is kept where no group costs more with its stages and embeddings than the mean of a response so far', () => {
    const part = fc.integer({ min: 0, max: 33 });
    const groups = fc.array(
      fc.record({
        stages: fc.array(part, { maxLength: 2 }),
        responses: fc.array(fc.record({ own: part, after: fc.option(part) }), { minLength: 1, maxLength: 4 }),
        refused: fc.boolean(),
      }),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), groups, width, picker, (tokens, wanted, atOnce, pick) => {
        const allowance = new Allowance(budget({ tokens, perResponse: costs(100) }));
        let spent = 0;
        const pay = (cost: number): { readonly tokens: number; readonly costUsd: number } => {
          spent += cost;
          return costs(cost);
        };
        /** What is still to happen of each group that was granted, call by call. */
        const going: (() => void)[][] = [];
        const waiting = [...wanted];
        while (waiting.length > 0 || going.length > 0) {
          const [next] = waiting;
          const verdict = next && going.length < atOnce ? allowance.reserve(next.responses.length) : 'wait';
          if (verdict === 'denied') waiting.shift();
          else if (verdict === 'granted') {
            const { stages, responses, refused } = waiting.shift()!;
            going.push([
              ...stages.map((cost) => () => allowance.pay(pay(cost))),
              ...(refused
                ? [() => allowance.release(responses.length)]
                : responses.flatMap(({ own, after }) => [
                    () => {
                      allowance.settle(1, pay(own));
                      allowance.owe(1);
                    },
                    () => allowance.follow(1, after === null ? null : pay(after)),
                  ])),
            ]);
          } else {
            const at = pick(going.length);
            const group = going[at];
            if (group === undefined) throw new Error('stuck: told to wait with nothing in flight');
            group.shift()!();
            if (group.length === 0) going.splice(at, 1);
          }
        }
        expect(spent).toBeLessThanOrEqual(tokens);
      }),
    );
  });
});
