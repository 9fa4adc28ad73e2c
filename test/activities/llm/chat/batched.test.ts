// Batched requests: which outcomes are reported to which workflow, and when.
import { ApplicationFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGenerateBatch, storingBatched, type BatchDeps } from '../../../../activities/llm/chat/batched.ts';
import type { Generated, ModelActivities, Outcomes } from '../../../../activities/interface/step.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { until } from '../../../support/machine/home.ts';

const stored = (group: number): Generated => ({ stored: [group], missing: [], tokens: 2, costUsd: 0.5 });
const numbers = (length: number): readonly number[] => Array.from({ length }, (_, group) => group);

/** Requests for one response each; the test says when and how each of them ends. */
const asking = (more: Partial<BatchDeps> = {}) => {
  const waiting = new Map<number, { resolve: (made: Generated) => void; reject: (error: unknown) => void }>();
  const reported: (Outcomes & { readonly call: string })[] = [];
  const applied: (readonly number[])[] = [];
  const steps: (readonly [number, boolean])[] = [];
  const { generateBatch } = createGenerateBatch({
    generate: ({ group }) => {
      const { promise, resolve, reject } = Promise.withResolvers<Generated>();
      waiting.set(group, { resolve, reject });
      return promise;
    },
    applyResponses: async ({ step, slots, overlaps }) => {
      applied.push(slots);
      steps.push([step, overlaps === true]);
      return { evaluate: slots.filter((slot) => slot !== 1), asks: [{ stage: 'repair', slot: 0, round: 1 }] };
    },
    report: async (_, outcomes) => void reported.push(...outcomes),
    ...more,
  });
  const env = new MockActivityEnvironment();
  const call = (groups: readonly number[], name = 'a', more: object = {}) =>
    env.run(generateBatch, {
      ...{ run: 'r', step: 1, epoch: 0, version: 1, call: name, responses: 1, inFlight: 16 },
      ...more,
      requests: groups.map((group) => ({ group, first: 0, count: 1 })),
    }) as ReturnType<ModelActivities['generateBatch']>;
  const answer = (...groups: readonly number[]) => {
    for (const group of groups) waiting.get(group)!.resolve(stored(group));
  };
  return { env, reported, applied, steps, waiting, call, answer };
};
const groupsOf = ({ answers }: Outcomes): readonly number[] => answers.map(({ group }) => group);

describe('requests that are asked for together', () => {
  it('are all sent at once; answers are reported some at a time, and the last of them are the result', async () => {
    const { reported, applied, call, answer, waiting } = asking();
    const result = call(numbers(6));
    await until('the requests', 10_000, async () => waiting.size === 6);
    answer(3, 1);
    await until('the first word', 10_000, async () => reported.length === 1);
    expect([groupsOf(reported[0]!), reported[0]!.call, applied]).toEqual([[3, 1], 'a', [[3, 1]]]);
    expect(reported[0]).toMatchObject({ applied: { evaluate: [3] }, failed: [] });
    expect(reported[0]!.answers[0]).toEqual({ group: 3, first: 0, count: 1, ...stored(3) });
    answer(0, 2, 4, 5);
    const came = await result;
    expect([groupsOf(came), reported.length, applied.length]).toEqual([[0, 2, 4, 5], 1, 2]);
    expect(came.applied).toMatchObject({ evaluate: [0, 2, 4, 5], asks: [{ stage: 'repair', slot: 0, round: 1 }] });
  });

  it('one that fails is named, and the others count; so do answers whose edits could not be applied', async () => {
    const applyResponses = async () => Promise.reject(new Error('no database'));
    const { call, answer, waiting } = asking({ applyResponses });
    const result = call([0, 1]);
    await until('the requests', 10_000, async () => waiting.size === 2);
    waiting.get(0)!.reject(new Error('503'));
    answer(1);
    expect(await result).toEqual({
      answers: [{ group: 1, first: 0, count: 1, ...stored(1) }],
      applied: null,
      failed: [{ group: 0, first: 0, count: 1, afterMs: 500 }],
    });
  });

  it('one that fails says when the endpoint may be asked again, and at once where a person has to mend it', async () => {
    const { call, waiting } = asking();
    const result = call([0, 1, 2]);
    await until('the requests', 10_000, async () => waiting.size === 3);
    waiting.get(0)!.reject(ApplicationFailure.create({ message: '429', nextRetryDelay: '7s' }));
    waiting.get(1)!.reject(ApplicationFailure.nonRetryable('401'));
    waiting.get(2)!.reject(ApplicationFailure.create({ message: 'gone', nextRetryDelay: 20_000 }));
    expect((await result).failed.map(({ group, afterMs }) => [group, afterMs])).toEqual([
      [0, 7_000],
      [1, undefined],
      [2, 20_000],
    ]);
  });

  it('of a step are reported some at a time too, with what came of their edits', async () => {
    const { call, answer, waiting, applied, reported } = asking();
    const result = call(numbers(12), 'a', { inFlight: undefined });
    await until('the requests', 10_000, async () => waiting.size === 12);
    answer(...numbers(8));
    await until('a word', 10_000, async () => reported.length === 1);
    expect(reported[0]!.applied!.evaluate).not.toContain(1);
    answer(8, 9, 10, 11);
    expect((await result).applied!.evaluate).toContain(11);
    expect(groupsOf(reported[0]!).length + groupsOf(await result).length).toBe(12);
    expect(applied.flat()).toEqual(numbers(12));
  });

  it('of steps that overlap in one workflow are each applied in the name of their step', async () => {
    const { call, answer, waiting, applied, steps } = asking();
    const both = [
      call([0, 1], 'a', { inFlight: undefined }),
      call([2, 3], 'b', { inFlight: undefined, step: 2, overlaps: true }),
    ];
    await until('the requests', 10_000, async () => waiting.size === 4);
    answer(...numbers(4));
    await Promise.all(both);
    expect([steps, applied]).toEqual([
      [
        [1, false],
        [2, true],
      ],
      [
        [0, 1],
        [2, 3],
      ],
    ]);
  });

  it('a word that cannot be reported is reported again, or is in the result', async () => {
    const reported: Outcomes[] = [];
    let broken = true;
    const { call, answer, waiting } = asking({
      report: async (_, outcomes) => {
        reported.push(...outcomes);
        if (broken) throw new Error('no server');
      },
    });
    const result = call([0, 1, 2]);
    await until('the requests', 10_000, async () => waiting.size === 3);
    answer(0);
    await until('a second word', 10_000, async () => reported.length >= 2);
    expect(new Set(reported.flatMap(groupsOf))).toEqual(new Set([0]));
    answer(1, 2);
    const came = await result;
    expect(groupsOf(came)).toEqual([0, 1, 2]);
    broken = false;
  });

  it('two calls of one workflow are reported in one message, each by its name', async () => {
    const messages: (readonly string[])[] = [];
    const { call, answer, waiting } = asking({
      report: async (_, outcomes) => void messages.push(outcomes.map((one) => one.call)),
    });
    const both = [call([0, 1], 'a'), call([2, 3], 'b')];
    await until('the requests', 10_000, async () => waiting.size === 4);
    answer(0, 2);
    await until('a word', 10_000, async () => messages.length === 1);
    expect(messages).toEqual([['a', 'b']]);
    answer(1, 3);
    expect((await Promise.all(both)).map(groupsOf)).toEqual([[1], [3]]);
  });

  it('the result of a call carries what others have to say, which are then not reported beside it', async () => {
    const { reported, call, answer, waiting } = asking();
    const both = [call([0, 1], 'a'), call([2, 3], 'b')] as const;
    await until('the requests', 10_000, async () => waiting.size === 4);
    answer(0, 1, 2);
    const { others, ...came } = await both[0];
    expect([groupsOf(came), others!.map((one) => [one.call, groupsOf(one)])]).toEqual([[0, 1], [['b', [2]]]]);
    answer(3);
    expect([groupsOf(await both[1]), reported]).toEqual([[3], []]);
  });

  it('answers are stored with those that come at about the same time, and their bookings settled with those reported together', async () => {
    const settled: (readonly string[])[] = [];
    const memory = memoryStore();
    const settleBookings = async (ids: readonly string[]) => void settled.push(ids);
    const { store, settle } = storingBatched({ ...memory, settleBookings });
    const refs = await Promise.all(['one', 'two'].map((text) => store.putTexts([text])));
    expect([...(await memory.getTexts(refs.flat())).values()].sort()).toEqual(['one', 'two']);
    await store.settleBookings(['a']);
    await store.settleBookings(['b']);
    expect(settled).toEqual([]);
    await settle();
    expect(settled).toEqual([['a', 'b']]);
  });

  it('stores an answer at once, or with those that come within 20 ms of the last write', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const began = performance.now();
    const writes: (readonly [text: string, atMs: number])[] = [];
    const { store } = storingBatched({
      ...memoryStore(),
      async putTexts([text = '']) {
        writes.push([text, Math.round(performance.now() - began)]);
        return [];
      },
    });
    for (const [text, afterMs] of [
      ['a', 0],
      ['b', 3],
      ['c', 5],
      ['d', 100],
      ['e', 19],
    ] as const) {
      await vi.advanceTimersByTimeAsync(afterMs);
      void store.putTexts([text]);
    }
    await vi.advanceTimersByTimeAsync(100);
    expect(writes).toEqual([
      ['a', 0],
      ['b', 23],
      ['c', 23],
      ['d', 108],
      ['e', 147],
    ]);
  });

  it('cancelled, the bookings of its requests are settled although nobody is told', async () => {
    const settled: string[] = [];
    const { env, reported, call, waiting } = asking({ settle: async () => void settled.push(`${waiting.size} ended`) });
    const ended = call([0, 1]).catch(String);
    await until('the requests', 10_000, async () => waiting.size === 2);
    env.cancel();
    for (const { reject } of waiting.values()) reject(new Error('cancelled while it waited for its place'));
    await ended;
    await until('the bookings', 10_000, async () => settled.length > 0);
    expect([settled, reported]).toEqual([['2 ended'], []]);
  });

  it('cancelled, it ends as cancelled once its requests have ended', async () => {
    const { env, call, waiting } = asking();
    const result = call([0, 1]);
    await until('the requests', 10_000, async () => waiting.size === 2);
    env.cancel();
    for (const { reject } of waiting.values()) reject(new Error('aborted'));
    await expect(result).rejects.toThrow(/CANCEL/i);
  });
});
