// Failover among the models of a role: what fails goes to another, once; what does not fail is asked of whom it was
// drawn for.
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAsk } from '../../../../activities/llm/chat/ask.ts';
import { type ChatRequest, ModelError } from '../../../../activities/llm/chat/client.ts';
import { COOL_DOWN_MS, Outages } from '../../../../activities/llm/chat/failover.ts';
import { createGenerate } from '../../../../activities/llm/chat/generate.ts';
import type { Store } from '../../../../activities/store/store.ts';
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { programId, promptId, stageId } from '../../../../evolution/ids.ts';
import { drawModel } from '../../../../evolution/models/ensemble.ts';
import { rng } from '../../../../evolution/rng.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { configFrom, putPrompts, runOf } from '../../../support/domain/asked-run.ts';

type Name = 'a' | 'b' | 'c' | 'j' | 'k';
const GROUPS = 60;
const gone = new ModelError('cannot be reached', {
  status: null,
  fatal: false,
  retryAfterMs: null,
  codes: ['ECONNREFUSED'],
});
const badKey = new ModelError('bad key', { status: 401, fatal: true, retryAfterMs: null });
const busy = (retryAfterMs: number): ModelError =>
  new ModelError('over the rate limit', { status: 429, fatal: false, retryAfterMs });

let [store, config, asked, now]: [Store, RunConfig, { readonly model: string; readonly key: string }[], number] = [
  memoryStore(),
  {} as never,
  [],
  0,
];
/** How long a failure takes to come. */
let slowMs = 0;
let broken: Partial<Record<Name, ModelError>>;
let activities: ReturnType<typeof newProcess>;

const newProcess = () => {
  const clientFor = async ({ name }: { readonly name: string }) => ({
    model: name,
    client: {
      models: async () => [],
      chat: async ({ model, key, n }: ChatRequest) => {
        asked.push({ model, key });
        const error = broken[model as Name];
        if (error) {
          now += slowMs;
          throw error;
        }
        return {
          model,
          usage: { in: 100, out: 40 },
          choices: Array.from({ length: n }, () => ({ text: model, reasoning: null, finishReason: 'stop' })),
        };
      },
    },
  });
  const outages = new Outages(() => now);
  return { ...createGenerate({ store, clientFor, outages }), ...createAsk({ store, clientFor, outages }) };
};

const begin = async (models: readonly object[]): Promise<void> => {
  store = memoryStore();
  config = configFrom({
    batch: GROUPS,
    responses: 2,
    seed: 6,
    model: { name: 'a', baseUrl: 'http://a/v1', price: { in: 1, out: 1 } },
    models: models as never,
  });
  await store.createRun(runOf(config));
  await putPrompts(store, GROUPS);
  const [text] = await store.putTexts(['text']);
  await store.putRequests(
    Array.from({ length: GROUPS }, (_, group) => ({
      _id: stageId(promptId('r', 1, 0, group), 'judge'),
      run: 'r',
      step: 1,
      epoch: 0,
      group,
      stage: 'judge',
      messages: [{ role: 'user', content: text! }],
    })),
  );
  activities = newProcess();
};

/** Priced by who answers. */
const THREE = [
  { name: 'b', baseUrl: 'http://b/v1', weight: 3, price: { in: 10, out: 10 } },
  { name: 'c', baseUrl: 'http://c/v1', weight: 1, price: { in: 100, out: 100 } },
  { name: 'j', baseUrl: 'http://j/v1', roles: ['judge'] },
  { name: 'k', baseUrl: 'http://k/v1', roles: ['judge'] },
];
beforeEach(async () => {
  [asked, now, broken, slowMs] = [[], 1_000, {}, 0];
  await begin(THREE);
});

const generate = (group: number, attempt = 1) =>
  new MockActivityEnvironment({ attempt }).run(activities.generate, {
    run: 'r',
    step: 1,
    epoch: 0,
    version: 1,
    group,
    first: 0,
    count: 2,
    responses: 2,
  });
const judge = (group: number, attempt = 1) =>
  new MockActivityEnvironment({ attempt }).run(activities.ask, {
    run: 'r',
    step: 1,
    epoch: 0,
    version: 1,
    group,
    stage: 'judge' as const,
  });
const failing = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );
const drawn = (group: number): string => drawModel(config, 'exploit', rng(config.seed, 'model', 1, 0, group)).name;
/** Groups whose programs are drawn for a model. */
const groupsOf = (name: Name): readonly number[] =>
  Array.from({ length: GROUPS }, (_, group) => group).filter((group) => drawn(group) === name);
const answeredBy = async (group: number): Promise<string | undefined> => {
  const id = programId('r', 1, 0, group * 2);
  const rollout = (await store.getRollouts([id])).get(id);
  return rollout?.asked ?? rollout?.model;
};
const names = (): readonly string[] => asked.map(({ model }) => model);

describe('failover', () => {
  it('without failures every group is asked of the model that it was drawn for, once, on the first two attempts alike', async () => {
    for (let group = 0; group < GROUPS; group += 1) await generate(group, 1 + (group % 2));
    expect(names()).toEqual(Array.from({ length: GROUPS }, (_, group) => drawn(group)));
  });

  it('a model that is down is asked twice; then others by weight, and the answer says who gave it and at what price', async () => {
    broken = { a: gone };
    const [first] = groupsOf('a');
    for (const attempt of [1, 2])
      expect(await failing(generate(first!, attempt))).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false });
    expect(names()).toEqual(['a', 'a']);
    expect(await generate(first!, 3)).toMatchObject({ stored: [first! * 2, first! * 2 + 1] });
    const other = (await answeredBy(first!))!;
    expect(['b', 'c']).toContain(other);
    const rollouts = [
      ...(await store.getRollouts([0, 1].map((index) => programId('r', 1, 0, first! * 2 + index)))).values(),
    ];
    expect(rollouts.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(
      (140 * (other === 'b' ? 10 : 100)) / 1e6,
      12,
    );
    // A key is for one body.
    expect(new Set(asked.map(({ key }) => key)).size).toBe(2);
    // Stored is stored.
    await generate(first!, 4);
    expect(asked).toHaveLength(3);
  });

  it('from the third attempt on others are asked by weight even where this process knows nothing, and attempts rotate', async () => {
    for (const group of groupsOf('a')) {
      activities = newProcess();
      await generate(group, 3);
    }
    expect(names()).not.toContain('a');
    const share = names().filter((name) => name === 'b').length / asked.length;
    expect(share).toBeGreaterThan(0.5);
    asked = [];
    await begin(THREE);
    broken = { a: gone, b: gone, c: gone };
    const [group] = groupsOf('a');
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      now += 1;
      await failing(generate(group!, attempt));
    }
    expect(new Set(names())).toEqual(new Set(['a', 'b', 'c']));
  });

  it('further requests leave a model alone that is known to be down, until its cool-down is over, and go back to it when it answers', async () => {
    broken = { a: gone };
    const [first, second, third, fourth, fifth] = groupsOf('a');
    for (const attempt of [1, 2]) await failing(generate(first!, attempt));
    asked = [];
    await generate(second!);
    expect(names()).not.toContain('a');
    now += COOL_DOWN_MS;
    // Down before and down again: one failure is enough.
    await failing(generate(third!));
    await generate(third!, 2);
    await generate(fourth!);
    expect(names().filter((name) => name === 'a')).toHaveLength(1);
    now += COOL_DOWN_MS;
    broken = {};
    await generate(fifth!);
    expect(await answeredBy(fifth!)).toBe('a');
    // One lost connection of a model that answers moves nothing.
    broken = { a: gone };
    const sixth = groupsOf('a')[5]!;
    await failing(generate(sixth));
    broken = {};
    await generate(sixth, 2);
    expect(await answeredBy(sixth)).toBe('a');
  });

  it('a failure that takes long to come is not waited for twice', async () => {
    slowMs = 10 * COOL_DOWN_MS;
    broken = { a: gone };
    const [first, second] = groupsOf('a');
    await failing(generate(first!));
    slowMs = 0;
    await generate(first!, 2);
    now += 5 * COOL_DOWN_MS;
    await generate(second!);
    expect(names().filter((name) => name === 'a')).toHaveLength(1);
  });

  it('the judge of judges, too', async () => {
    broken = { j: gone };
    for (let group = 0; group < 20; group += 1)
      for (let attempt = 1; attempt <= 3; attempt += 1) await failing(judge(group, attempt));
    const calls = [
      ...(
        await store.getCalls(Array.from({ length: 20 }, (_, group) => stageId(promptId('r', 1, 0, group), 'judge')))
      ).values(),
    ];
    expect(calls).toHaveLength(20);
    expect(calls.every(({ model }) => model === 'k')).toBe(true);
    expect(names().filter((name) => name === 'j')).toHaveLength(2);
    expect(names().every((name) => name === 'j' || name === 'k')).toBe(true);
  });
});

describe('an endpoint that says when', () => {
  it('is left alone until then; nobody waits for it while another may answer', async () => {
    broken = { a: busy(5_000) };
    const [first, second, third] = groupsOf('a');
    const failure = (await failing(generate(first!))) as { nextRetryDelay?: unknown };
    expect(failure).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false });
    expect(failure.nextRetryDelay ?? null).toBeNull();
    await generate(first!, 2);
    await generate(second!);
    expect(names().filter((name) => name === 'a')).toHaveLength(1);
    broken = {};
    now += 5_000;
    await generate(third!);
    expect(await answeredBy(third!)).toBe('a');
  });

  it('all of them say when: the first to be ready decides the wait', async () => {
    broken = { a: busy(5_000), b: busy(2_000), c: busy(9_000) };
    const [group] = groupsOf('a');
    await failing(generate(group!, 1));
    const failures = [];
    for (const attempt of [2, 3, 4]) failures.push(await failing(generate(group!, attempt)));
    expect(failures.at(-1)).toMatchObject({ nextRetryDelay: 2_000 });
  });

  // Attempt: endpoints and keys.
  it('and says tomorrow is not waited for: others are asked, and where all say so a person decides', async () => {
    const day = 86_400_000;
    broken = { a: busy(day) };
    const [group, other] = groupsOf('a');
    expect(await failing(generate(group!, 1))).toMatchObject({ nonRetryable: false });
    await generate(group!, 2);
    expect(names().filter((name) => name === 'a')).toHaveLength(1);
    // Ten minutes later it is asked again, because somebody may have lifted its limit.
    now += 600_000;
    broken = { a: busy(day), b: busy(2 * day), c: busy(day) };
    const failures = [];
    for (const attempt of [1, 2, 3, 4]) failures.push(await failing(generate(other!, attempt)));
    expect(failures.at(-1)).toMatchObject({
      type: 'ModelUnavailable',
      nonRetryable: true,
      message: expect.stringMatching(
        /it asks for a wait of 24 hours, until \d{4}-\d\d-\d\d \d\d:\d\d UTC.*a person decides/,
      ),
    });
    expect((failures.at(-1) as { nextRetryDelay?: unknown }).nextRetryDelay ?? null).toBeNull();
    expect(names().filter((name) => name === 'a').length).toBeGreaterThan(1);
  });
});

describe('a refusal', () => {
  it('goes over to the others at once, in the same attempt', async () => {
    broken = { a: badKey };
    const [first, second] = groupsOf('a');
    await generate(first!);
    expect(names()).toEqual(['a', await answeredBy(first!)]);
    await generate(second!);
    expect(names().filter((name) => name === 'a')).toHaveLength(1);
  });

  it('by every model of the role parks, and says all that was said', async () => {
    broken = {
      a: badKey,
      b: new ModelError('no such model', { status: 404, fatal: true, retryAfterMs: null }),
      c: badKey,
    };
    const failure = (await failing(generate(0))) as Error;
    expect(failure).toMatchObject({ type: 'ModelRefused', nonRetryable: true });
    expect(failure.message).toMatch(/bad key/);
    expect(failure.message).toMatch(/no such model/);
    expect([...names()].sort()).toEqual(['a', 'b', 'c']);
  });

  it('beside models that are only down is tried again', async () => {
    broken = { a: badKey, b: gone, c: gone };
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      now += 500;
      expect(await failing(generate(groupsOf('a')[0]!, attempt))).toMatchObject({
        type: 'ModelUnavailable',
        nonRetryable: false,
      });
    }
    broken = { a: badKey, b: gone };
    // All are known to be down; one of them is not any more.
    let attempt = 1;
    for (; attempt <= 8 && (await failing(generate(groupsOf('a')[1]!, attempt))) !== null; attempt += 1) now += 500;
    expect(attempt).toBeLessThanOrEqual(3);
  });
});

describe('a single model', () => {
  it("is asked on every attempt, and fails in the endpoint's own words and time", async () => {
    await begin([]);
    for (const [error, failure] of [
      [gone, { type: 'ModelUnavailable', nonRetryable: false, message: 'cannot be reached' }],
      [
        busy(4_000),
        { type: 'ModelUnavailable', nonRetryable: false, message: 'over the rate limit', nextRetryDelay: 4_000 },
      ],
      [badKey, { type: 'ModelRefused', nonRetryable: true, message: 'bad key' }],
    ] as const) {
      broken = { a: error };
      for (let attempt = 1; attempt <= 8; attempt += 1)
        expect(await failing(generate(0, attempt))).toMatchObject(failure);
    }
    expect(names()).toEqual(Array.from({ length: 24 }, () => 'a'));
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  });
});
