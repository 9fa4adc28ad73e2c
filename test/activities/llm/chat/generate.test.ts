// The activity `generate`: every response is stored once, stored ones are not paid again, endpoints without native n
// are served.
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ModelActivities } from '../../../../activities/interface/step.ts';
import { type ChatRequest, type ModelClient, ModelError } from '../../../../activities/llm/chat/client.ts';
import { createGenerate } from '../../../../activities/llm/chat/generate.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { programId } from '../../../../evolution/ids.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { configFrom, putPrompts, runOf } from '../../../support/domain/asked-run.ts';

let store: Store;
let asked: ChatRequest[];
beforeEach(async () => {
  asked = [];
  store = memoryStore();
  const config = configFrom({
    model: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', name: 'm', price: { in: 1, out: 10 } },
    batch: 2,
    responses: 4,
  });
  await store.createRun(runOf(config));
  await putPrompts(store, 2, ['system text', 'user text']);
});

const client = (answer: (request: ChatRequest) => string[] | Error): ModelClient => ({
  models: async () => [],
  async chat(request) {
    asked.push(request);
    const texts = answer(request);
    if (texts instanceof Error) throw texts;
    return {
      choices: texts.map((text) => ({ text, reasoning: null, finishReason: 'stop' })),
      usage: { in: 100, out: 40 },
      model: 'm',
    };
  },
});
const generate = (model: ModelClient, input: Partial<Parameters<ModelActivities['generate']>[0]> = {}) =>
  new MockActivityEnvironment().run(
    createGenerate({ store, clientFor: async () => ({ client: model, model: 'm' }) }).generate,
    { run: 'r', step: 1, epoch: 0, version: 1, group: 1, first: 0, count: 4, responses: 4, ...input },
  );
const texts = async (slots: number[]) => {
  const rollouts = await store.getRollouts(slots.map((slot) => programId('r', 1, 0, slot)));
  const found = await store.getTexts([...rollouts.values()].map((rollout) => rollout.response));
  return slots.map((slot) => {
    const rollout = rollouts.get(programId('r', 1, 0, slot));
    return rollout ? found.get(rollout.response) : undefined;
  });
};
const named = (request: ChatRequest): string[] =>
  Array.from({ length: request.n }, (_, index) => `answer ${request.seed + index}`);

describe('generate', () => {
  it("stores one response a slot, with usage that adds up to the call's", async () => {
    expect(await generate(client(named))).toMatchObject({
      stored: [4, 5, 6, 7],
      missing: [],
      tokens: 140,
      costUsd: (100 * 1 + 40 * 10) / 1e6,
    });
    const rollouts = [...(await store.getRollouts([4, 5, 6, 7].map((slot) => programId('r', 1, 0, slot)))).values()];
    expect(rollouts.reduce((sum, one) => sum + one.usage.in, 0)).toBe(100);
    expect(rollouts.reduce((sum, one) => sum + one.usage.out, 0)).toBe(40);
    expect(rollouts.reduce((sum, one) => sum + one.costUsd, 0)).toBeCloseTo((100 * 1 + 40 * 10) / 1e6, 12);
  });

  it('does not ask again for what is stored', async () => {
    await generate(client(named));
    const whole = await texts([4, 5, 6, 7]);
    asked = [];
    const again = (await generate(client(named))) as { stored: number[] };
    expect(asked).toEqual([]);
    expect(again).toMatchObject({ stored: [4, 5, 6, 7], tokens: 140 });
    expect(await texts([4, 5, 6, 7])).toEqual(whole);
    expect(new Set(whole).size).toBe(4);
  });

  it('gives the slots of an endpoint without native n back, to be asked for one by one, with the same seeds', async () => {
    const whole = await generate(client(named)).then(() => texts([4, 5, 6, 7]));
    await generate(
      client((request) => named(request).slice(0, 1)),
      { group: 0 },
    ).then((made) => expect(made).toMatchObject({ stored: [0], missing: [1, 2, 3] }));
    for (const first of [1, 2, 3]) await generate(client(named), { group: 0, first, count: 1 });
    const base = asked.find((request) => request.key.startsWith(programId('r', 1, 0, 0)))!.seed;
    expect(await texts([0, 1, 2, 3])).toEqual([0, 1, 2, 3].map((index) => `answer ${base + index}`));
    expect(whole).not.toContain('answer 0');
  });

  it('stores an answer without choices as an empty response', async () => {
    expect(
      await generate(
        client(() => []),
        { first: 2, count: 1 },
      ),
    ).toMatchObject({ stored: [6], missing: [] });
    expect(await texts([6])).toEqual(['']);
  });

  it('fails without retry when the endpoint refuses, with retry and its wait when it is busy', async () => {
    const refused = await generate(
      client(() => new ModelError('bad key', { status: 401, fatal: true, retryAfterMs: null })),
    ).catch((error: unknown) => error);
    expect(refused).toMatchObject({ type: 'ModelRefused', nonRetryable: true, message: 'bad key' });
    const busy = await generate(
      client(() => new ModelError('busy', { status: 429, fatal: false, retryAfterMs: 4_000 })),
    ).catch((error: unknown) => error);
    expect(busy).toMatchObject({ type: 'ModelUnavailable', nextRetryDelay: 4_000 });
  });

  it('stores odd answers as they came: empty, NUL, lone surrogates, huge', async () => {
    const odd = ['', 'nul \u0000 inside', 'lone \ud800 surrogate', 'x'.repeat(400_000)];
    await generate(client(() => odd));
    expect((await texts([4, 5, 6, 7])).map((text) => text!.length)).toEqual(odd.map((text) => text.length));
  });
});
