// The activity `ask`: a call before a group's programs is stored once with what it cost, and asked of the model of
// its role.
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAsk } from '../../../../activities/llm/chat/ask.ts';
import { type ChatRequest, type ChatResponse, ModelError } from '../../../../activities/llm/chat/client.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { promptId, stageId } from '../../../../evolution/ids.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import type { Stage } from '../../../../evolution/stages.ts';
import { configFrom, runOf } from '../../../support/domain/asked-run.ts';

let store: Store;
let asked: ChatRequest[];
beforeEach(async () => {
  asked = [];
  store = memoryStore();
  const config = configFrom({
    batch: 1,
    responses: 1,
    model: { name: 'gpt-4.1', baseUrl: 'http://a/v1', temperature: 0.7, reasoningEffort: 'low', stream: true },
    models: [{ name: 'judge', roles: ['judge'], price: { in: 1, out: 2 }, reasoningEffort: null, stream: false }],
  });
  await store.createRun(runOf(config));
  const [content] = await store.putTexts(['what?']);
  await store.putRequests(
    (['idea', 'judge'] as const).map((stage) => ({
      _id: idOf(stage),
      run: 'r',
      step: 1,
      epoch: 0,
      group: 0,
      stage,
      messages: [{ role: 'user', content: content! }],
    })),
  );
});
const idOf = (stage: Stage): string => stageId(promptId('r', 1, 0, 0), stage);
const ask = (stage: Stage, answer: (request: ChatRequest) => ChatResponse | Error) =>
  new MockActivityEnvironment().run(
    createAsk({
      store,
      clientFor: async ({ name }) => ({
        model: name,
        client: {
          models: async () => [],
          chat: async (request) => {
            asked.push(request);
            const answered = answer(request);
            if (answered instanceof Error) throw answered;
            return answered;
          },
        },
      }),
    }).ask,
    { run: 'r', step: 1, epoch: 0, version: 1, group: 0, stage },
  );
const fine = ({ model }: ChatRequest): ChatResponse => ({
  choices: [{ text: 'so', reasoning: 'because', finishReason: 'stop' }],
  usage: { in: 100, out: 10, reasoning: 4 },
  model: `${model}-2026`,
  unsent: ['seed'],
});

describe('ask', () => {
  it('stores the answer once, with its cost by the table of prices where none is set, and never asks again', async () => {
    const paid = { tokens: 110, costUsd: (100 * 2 + 10 * 8) / 1e6 };
    expect(await ask('idea', fine)).toEqual(paid);
    expect(await ask('idea', () => new Error('not asked again'))).toEqual(paid);
    expect(asked).toHaveLength(1);
    expect((await store.getCalls([idOf('idea')])).get(idOf('idea'))).toMatchObject({
      model: 'gpt-4.1-2026',
      asked: 'gpt-4.1',
      unsent: ['seed'],
      usage: { in: 100, out: 10, reasoning: 4 },
      finishReason: 'stop',
    });
  });

  it("asks the judge's own model, without sampling, and others as they are set", async () => {
    await ask('idea', fine);
    await ask('judge', fine);
    expect(asked[0]).toMatchObject({ model: 'gpt-4.1', temperature: 0.7, reasoningEffort: 'low', stream: true });
    expect(asked[1]).toMatchObject({ model: 'judge', temperature: 0, reasoningEffort: null, stream: false });
  });

  it('fails for good where the endpoint refuses, and stores nothing', async () => {
    const refused = await ask(
      'idea',
      () => new ModelError('bad key', { status: 401, fatal: true, retryAfterMs: null }),
    ).catch((error: unknown) => error);
    expect(refused).toMatchObject({ type: 'ModelRefused', nonRetryable: true });
    expect((await store.getCalls([idOf('idea')])).size).toBe(0);
  });
});
