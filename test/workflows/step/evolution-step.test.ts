// How a step conducts its activities: what waits for what, what parks and goes on, what a limit leaves out.
import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { createGenerateBatch } from '../../../activities/llm/chat/batched.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import { conductorWorld, GPU_QUEUE, refusal, retried } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';
import { internal } from '../../../workflows/engine/form.ts';

const world = conductorWorld();
const withoutLimits = { tokens: null, costUsd: null, perResponse: null };
const root = (error: unknown): string => {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause instanceof Error ? cause.message : String(cause);
};

describe('a step', () => {
  it('a slow response holds up nobody but the commit', async () => {
    const cast = world.cast('slow', { groups: 3, responses: 1, perRequest: 1 });
    const release = cast.hold('generate', ({ group }) => group === 1);
    const handle = await world.step(cast);
    await cast.asked('evaluate', ({ slots }) => slots.includes(2));
    await until('both others to be evaluated', 60_000, async () => cast.slots('evaluate').length === 2);
    expect(cast.slots('applyResponses')).toEqual([0, 2]);
    expect(cast.of('commitStep')).toEqual([]);
    expect(await handle.query('inStep')).toMatchObject({ total: 3, responses: 2, applied: 2, toEvaluate: 2 });
    release();
    expect(await handle.result()).toMatchObject({ step: 1 });
    expect(cast.slots('evaluate')).toEqual([0, 1, 2]);
    expect(cast.of('commitStep').map(({ asked }) => asked)).toMatchObject([{ step: 1, injected: 0, omitted: [] }]);
  });

  it('what comes while a batch is under way travels together in the next one', async () => {
    const cast = world.cast('gathered', { groups: 6, responses: 1, perRequest: 1 });
    const release = cast.hold('applyResponses', () => cast.of('applyResponses').length <= 2);
    const handle = await world.step(cast);
    await until(
      'all responses',
      60_000,
      async () => (await handle.query<{ responses: number }>('inStep')).responses === 6,
    );
    release();
    await handle.result();
    const batches = cast.of('applyResponses').map(({ asked }) => asked.slots.length);
    expect(batches.reduce((a, b) => a + b, 0)).toBe(6);
    expect(batches.length).toBeLessThanOrEqual(3);
  });

  it('many requests leave few to an activity; what fails waits as it was told, and goes on by itself', async () => {
    const held = Promise.withResolvers<void>();
    const failedAt = new Map<number, number>();
    const waited: number[] = [];
    const { generateBatch } = createGenerateBatch({
      generate: async ({ group, first, count }) => {
        if (group === 2) {
          failedAt.set(group, performance.now());
          throw retried('slow down', 1_000);
        }
        if (group === 5) await held.promise;
        return { stored: range(2 * group + first, count), missing: [], tokens: count, costUsd: 0 };
      },
      applyResponses: async () => Promise.reject(new Error('a step applies its edits itself')),
      report: ({ workflowId, runId }, outcomes) =>
        world.client.workflow.getHandle(workflowId, runId).signal('answersReceived', internal({ outcomes })),
    });
    const cast = world.cast('together', { groups: 20, responses: 2, perRequest: 2, batched: true }, {
      generateBatch,
      generate: ({ group, first, count }: { group: number; first: number; count: number }) => {
        waited.push(performance.now() - failedAt.get(group)!);
        return { stored: range(2 * group + first, count), missing: [], tokens: count, costUsd: 0 };
      },
    } as never);
    const handle = await world.step(cast);
    await until('all others to be evaluated', 60_000, async () => cast.slots('evaluate').length === 38);
    expect(cast.of('commitStep')).toEqual([]);
    held.resolve();
    await handle.result();
    expect(cast.slots('evaluate')).toEqual(range(0, 40));
    expect(cast.slots('applyResponses')).toEqual(range(0, 40));
    expect(
      cast
        .of('generateBatch')
        .map(({ asked }) => (asked['requests'] as unknown[]).length)
        .sort(),
    ).toEqual([4, 8, 8]);
    expect(cast.of('generate').map(({ asked }) => asked.group)).toEqual([2]);
    expect(waited[0]).toBeGreaterThanOrEqual(990);
  });

  it('a task that needs a kind of host is evaluated on the queue of such hosts, and nowhere else', async () => {
    const queuesOf = async (run: string, plan: { readonly queue?: string }): Promise<readonly string[]> => {
      const cast = world.cast(run, { groups: 1, responses: 1, perRequest: 1, ...plan });
      const handle = await world.step(cast);
      await handle.result();
      const { events } = JSON.parse(await world.history(handle)) as { readonly events: readonly any[] };
      return events
        .map(({ activityTaskScheduledEventAttributes: of }) => of)
        .filter((of) => of?.activityType.name === 'evaluate')
        .map((of) => of.taskQueue.name);
    };
    expect(await queuesOf('on-gpu', { queue: GPU_QUEUE })).toEqual([GPU_QUEUE]);
    expect(await queuesOf('anywhere', {})).toEqual(['evolve-eval']);
  });

  it('an endpoint without n is asked for the responses that it left out, one by one', async () => {
    const cast = world.cast(
      'missing',
      { groups: 1, responses: 3, perRequest: 3 },
      {
        generate: ({ first, count }) =>
          count === 3
            ? { stored: [0], missing: [1, 2], tokens: 1, costUsd: 0 }
            : { stored: [first], missing: [], tokens: 1, costUsd: 0 },
      },
    );
    await (await world.step(cast)).result();
    const asked = cast.of('generate').map(({ asked: { first, count } }) => `${count} from ${first}`);
    expect(asked.sort()).toEqual(['1 from 1', '1 from 2', '3 from 0']);
    expect(cast.slots('evaluate')).toEqual([0, 1, 2]);
  });

  it.each(['planStep', 'generate', 'applyResponses', 'embed', 'evaluate', 'commitStep'] as const)(
    '%s parks where it fails for good, and goes on when a person says so; nothing else waits',
    async (activity) => {
      let broken = true;
      const run = `parked-${activity.toLowerCase()}`;
      const cast = world.cast(run, { groups: 2, responses: 1, perRequest: 1, embeds: true });
      const played = cast.play.bind(cast);
      cast.play = async (name, asked) => {
        const answer = await played(name, asked);
        if (name === activity && broken && (name !== 'generate' || asked.group === 0)) throw refusal(`no ${activity}`);
        return answer;
      };
      const handle = await world.step(cast);
      const attention = async () => (await handle.describe()).searchAttributes.EvoNeedsAttention?.[0];
      await until('to be parked', 60_000, async () => (await attention()) === true);
      if (activity === 'generate') await cast.asked('evaluate', ({ slots }) => slots.includes(1));
      broken = false;
      await handle.signal('retry', {});
      await handle.result();
      expect(await attention()).toBe(false);
      expect(new Set(cast.slots('evaluate'))).toEqual(new Set([0, 1]));
    },
  );

  it.each(['generate', 'ask', 'embed'] as const)(
    '%s that stayed without an answer too often waits for a person alone, and is told what the person knows',
    async (activity) => {
      const cast = world.cast(`unanswered-${activity}`, {
        ...{ groups: 1, responses: 1, perRequest: 1, embeds: true },
        preludes: [{ group: 0, stage: 'idea' }],
      });
      const played = cast.play.bind(cast);
      cast.play = async (name, asked) => {
        const answer = await played(name, asked);
        const limit = 5 + Number(asked['told'] ?? 0);
        if (name === activity && limit < 15)
          throw ApplicationFailure.create({
            type: 'Unanswered',
            nonRetryable: true,
            details: [limit],
            message: 'no word',
          });
        return answer;
      };
      const handle = await world.step(cast);
      const attention = async () => (await handle.describe()).searchAttributes.EvoNeedsAttention?.[0];
      for (const times of [1, 2]) {
        await cast.asked(activity, () => true, times);
        // A retry that comes before the phase is parked again counts for nothing, and the word of the first time may still stand.
        await until('to be asked again', 60_000, async () => {
          if ((await attention()) === true) await handle.signal('retry', {});
          return cast.of(activity).length > times;
        });
      }
      await handle.result();
      expect(cast.of(activity).map(({ asked }) => asked['told'])).toEqual([undefined, 5, 10]);
      // There was no timer after which the request would have been sent again by itself.
      expect(await world.history(handle)).not.toContain('TIMER_STARTED');
    },
  );

  it('leaves out what a limit does not hold any more, because requests without an answer count', async () => {
    const cast = world.cast(
      'spent',
      {
        ...{ groups: 3, responses: 2, perRequest: 2 },
        preludes: [{ group: 2, stage: 'idea' }],
      },
      {
        generate: ({ group }) =>
          group === 0
            ? { stored: [0], missing: [], omitted: [1], tokens: 1, costUsd: 0 }
            : { stored: [], missing: [], omitted: [2, 3], tokens: 0, costUsd: 0 },
        ask: () => {
          throw refusal('limits.tokens is used up', 'BudgetSpent');
        },
      },
    );
    await (await world.step(cast)).result();
    expect(cast.slots('evaluate')).toEqual([0]);
    expect(cast.of('advance')).toEqual([]);
    expect(cast.of('commitStep')[0]!.asked).toMatchObject({ omitted: [1, 2, 3, 4, 5] });
  });

  it('embeds before it evaluates; near-duplicates are not evaluated', async () => {
    const cast = world.cast(
      'embedding',
      { groups: 2, responses: 2, perRequest: 2, embeds: true, injected: 1, evaluate: [4] },
      { embed: ({ slots }) => ({ evaluate: slots.filter((slot) => slot !== 1), tokens: 1, costUsd: 0 }) },
    );
    await (await world.step(cast)).result();
    expect(cast.slots('embed')).toEqual([0, 1, 2, 3, 4]);
    expect(cast.slots('evaluate')).toEqual([0, 2, 3, 4]);
    expect(cast.of('commitStep')[0]!.asked).toMatchObject({ injected: 1 });
  });

  it('asks for deltas that were left out beside the evaluation, and tells the commit which could not be had', async () => {
    const cast = world.cast(
      'repairing',
      { groups: 2, responses: 1, perRequest: 1 },
      {
        applyResponses: ({ slots }) => ({
          evaluate: slots,
          asks: slots.map((slot: number) => ({ stage: 'delta', slot })),
        }),
        ask: ({ slot }) => {
          if (slot === 1) throw refusal('no delta for you');
          return { tokens: 1, costUsd: 0 };
        },
      },
    );
    const release = cast.hold('ask', ({ slot }) => slot === 0);
    const handle = await world.step(cast);
    await until('both to be evaluated', 60_000, async () => cast.slots('evaluate').length === 2);
    await cast.asked('ask', () => true, 2);
    expect(cast.of('commitStep')).toEqual([]);
    release();
    await handle.result();
    expect(
      cast
        .of('ask')
        .map(({ asked }) => [asked.stage, asked.slot])
        .sort(),
    ).toEqual([
      ['delta', 0],
      ['delta', 1],
    ]);
    expect(cast.of('commitStep')[0]!.asked.unrepaired).toEqual([
      { slot: 1, reason: expect.stringContaining('no delta for you') },
    ]);
  });

  it('a model of whose answer nothing was taken is asked once more, and its answer applied; one that cannot be asked is final', async () => {
    const cast = world.cast(
      'again',
      { groups: 3, responses: 1, perRequest: 1 },
      {
        applyResponses: ({ slots, final = [] }: { slots: readonly number[]; final?: readonly number[] }) => {
          const asked = cast.of('ask').map(({ asked: { slot } }) => slot);
          const again = slots.filter((slot) => slot < 2 && !asked.includes(slot) && !final.includes(slot));
          return {
            evaluate: slots.filter((slot) => !again.includes(slot)),
            ...(again.length === 0 ? {} : { asks: again.map((slot) => ({ stage: 'repair', slot, round: 1 })) }),
          };
        },
        ask: ({ slot }) => {
          if (slot === 1) throw refusal('not again');
          return { tokens: 1, costUsd: 0 };
        },
      },
    );
    await (await world.step(cast)).result();
    expect(
      cast
        .of('ask')
        .map(({ asked: { stage, slot, round } }) => [stage, slot, round])
        .sort(),
    ).toEqual([
      ['repair', 0, 1],
      ['repair', 1, 1],
    ]);
    expect(cast.slots('evaluate')).toEqual([0, 1, 2]);
    expect(cast.of('applyResponses').flatMap(({ asked }) => asked.final ?? [])).toEqual([1]);
    expect(cast.of('commitStep')).toHaveLength(1);
  });

  it('a program that failed is mended and run again before the commit; one that nobody can mend stays, and both count once', async () => {
    const cast = world.cast(
      'mending',
      { groups: 3, responses: 1, perRequest: 1 },
      {
        applyResponses: ({ slots, final = [] }: { slots: readonly number[]; final?: readonly number[] }) => {
          const [ran, asked] = [cast.slots('evaluate'), cast.of('ask').map(({ asked: { slot } }) => slot)];
          const failed = slots.filter((slot) => slot < 2 && ran.includes(slot) && !final.includes(slot));
          const mended = failed.filter((slot) => asked.includes(slot));
          const asks = failed.filter((slot) => !asked.includes(slot));
          return {
            evaluate: slots.filter((slot) => !ran.includes(slot) || mended.includes(slot)),
            ...(mended.length === 0 ? {} : { mended }),
            ...(asks.length === 0 ? {} : { asks: asks.map((slot) => ({ stage: 'repair', slot, round: 1 })) }),
          };
        },
        evaluate: ({ slots, mended = [] }: { slots: readonly number[]; mended?: readonly number[] }) => {
          const failed = slots.filter((slot) => slot < 2 && !mended.includes(slot));
          return { evaluated: slots.length, ...(failed.length === 0 ? {} : { failed }) };
        },
        ask: ({ slot }) => {
          if (slot === 1) throw refusal('no repair');
          return { tokens: 1, costUsd: 0 };
        },
      },
    );
    const release = cast.hold('commitStep', () => true);
    const handle = await world.step(cast);
    await cast.asked('commitStep', () => true, 1);
    expect(await handle.query('inStep')).toMatchObject({ total: 3, applied: 3, toEvaluate: 3, evaluated: 3 });
    release();
    await handle.result();
    expect([...cast.slots('evaluate')].sort()).toEqual([0, 0, 1, 2]);
    expect(cast.of('evaluate').flatMap(({ asked: { mended } }) => mended ?? [])).toEqual([0]);
    expect(cast.of('ask').map(({ asked: { stage, round } }) => [stage, round])).toEqual(Array(2).fill(['repair', 1]));
  });

  it('a group goes through its stages to its programs; one that is refused ends there', async () => {
    const cast = world.cast(
      'staged',
      {
        groups: 2,
        responses: 1,
        perRequest: 1,
        preludes: [
          { group: 0, stage: 'idea' },
          { group: 1, stage: 'idea' },
        ],
      },
      {
        advance: ({ group, stage }) =>
          stage === 'idea' ? { next: 'judge', refused: false } : { next: null, refused: group === 1 },
      },
    );
    const release = cast.hold('ask', ({ group, stage }) => group === 1 && stage === 'judge');
    const handle = await world.step(cast);
    await cast.asked('evaluate', ({ slots }) => slots.includes(0));
    release();
    await handle.result();
    expect(cast.of('ask', ({ group }) => group === 1).map(({ asked }) => asked.stage)).toEqual(['idea', 'judge']);
    expect(cast.of('generate').map(({ asked }) => asked.group)).toEqual([0]);
    expect(cast.of('commitStep')[0]!.asked.omitted).toEqual([]);
  });

  it('limits leave out slots: programs from the last group on, tokens where a response does not fit', async () => {
    const few = world.cast('few', { groups: 3, responses: 2, perRequest: 2, programs: 3 });
    await (await world.step(few)).result();
    expect(few.of('commitStep')[0]!.asked.omitted).toEqual([3, 4, 5]);
    expect(few.slots('evaluate')).toEqual([0, 1, 2]);

    const cheap = world.cast('cheap', { groups: 5, responses: 1, perRequest: 1 });
    const budget = { ...withoutLimits, tokens: 3, perResponse: { tokens: 1, costUsd: 0 } };
    await (await world.step(cheap, { budget })).result();
    expect(cheap.slots('evaluate')).toHaveLength(3);
    expect(cheap.of('commitStep')[0]!.asked.omitted).toHaveLength(2);
  });

  it('more requests than fit at once go out in strides', async () => {
    const cast = world.cast('many', { groups: 60, responses: 1, perRequest: 1 });
    const release = cast.hold('generate');
    const handle = await world.step(cast);
    await cast.asked('generate', () => true, 60);
    release();
    await handle.result();
    expect(cast.slots('evaluate')).toHaveLength(60);
  });

  it('a step that was committed before is not done again', async () => {
    const cast = world.cast('done', { done: { step: 1 } as never });
    expect(await (await world.step(cast)).result()).toEqual({ step: 1 });
    expect(cast.calls.map(({ activity }) => activity)).toEqual(['planStep']);
  });

  it.each(['planStep', 'commitStep'])('a step that finds in %s that it is superseded ends', async (activity) => {
    const cast = world.cast(
      `superseded-${activity.toLowerCase()}`,
      {},
      {
        [activity]: () => {
          throw refusal('gone on', 'SupersededError');
        },
      },
    );
    const ended = await (await world.step(cast)).result().catch(root);
    expect(ended).toBe('gone on');
    expect(cast.of(activity)).toHaveLength(1);
  });

  it('a step that is cancelled ends, and commits nothing', async () => {
    const cast = world.cast('cancelled');
    cast.hold('generate', ({ group }) => group === 0);
    const handle = await world.step(cast);
    await cast.asked('evaluate');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect((await handle.describe()).status.name).toBe('CANCELLED');
    expect(cast.of('commitStep')).toEqual([]);
  });

  it('step 0: the initial program is evaluated, its idea judged', async () => {
    const cast = world.cast('initial', { groups: 0, evaluate: [0], judgesIdea: true });
    await (await world.step(cast, { step: 0 })).result();
    expect(cast.calls.map(({ activity }) => activity)).toEqual([
      'planStep',
      'evaluate',
      'initialIdea',
      'ask',
      'commitStep',
    ]);
  });

  it.each([
    ['commitStep', 'NoValidStart', 'because the same task would fail again'],
    ['evaluate', 'SandboxUnavailable', 'It tries again by itself'],
  ])('step 0 parks as a whole where %s fails (%s), and a retry plans it anew', async (activity, type, words) => {
    let broken = true;
    const fail = () => {
      if (broken) throw refusal('the initial program is not valid: half a word', type);
      return { evaluated: 1 };
    };
    const cast = world.cast(`initial-${activity.toLowerCase()}`, { groups: 0, evaluate: [0] });
    const played = cast.play.bind(cast);
    cast.play = async (name, asked) => (name === activity && broken ? fail() : played(name, asked));
    const handle = await world.step(cast, { step: 0 });
    const details = async (): Promise<string> =>
      (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails ?? '';
    await until('to be parked', 60_000, async () => (await details()).includes('Needs attention'));
    expect(await details()).toContain('half a word');
    expect(await details()).toContain(words);
    expect(cast.of('planStep').map(({ asked }) => asked.again)).toEqual([undefined]);
    broken = false;
    await handle.signal('retry', {});
    expect(await handle.result()).toMatchObject({ step: 0 });
    expect(cast.of('planStep').map(({ asked }) => asked.again)).toEqual([undefined, expect.stringMatching(/:1$/)]);
    expect(cast.of('commitStep')).toHaveLength(1);
    expect((await handle.describe()).searchAttributes.EvoNeedsAttention).toEqual([false]);
  });
});
