// A streamed answer that breaks in the middle: nothing of it is stored, and the next attempt asks again for what is
// missing only.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { createGenerate } from '../../../../activities/llm/chat/generate.ts';
import { createOpenAiClient } from '../../../../activities/llm/openai/openai-client.ts';
import { served } from '../../../support/models/served.ts';
import { programId } from '../../../../evolution/ids.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { configFrom, putPrompts, runOf } from '../../../support/domain/asked-run.ts';

const chunk = (index: number, content: string, finish: string | null) =>
  `data: ${JSON.stringify({ model: 'm', choices: [{ index, delta: { content }, finish_reason: finish }] })}\n\n`;

it('a stream that breaks off is a fault that may pass: nothing is stored, and the whole answer is asked for again', async () => {
  let arrived = 0;
  const baseUrl = await served((_, response) => {
    arrived += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk(0, 'first', 'stop'));
    if (arrived === 1) return response.end(chunk(1, 'half', null));
    response.write(chunk(1, 'second', 'length'));
    const usage = { model: 'm', choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } };
    return response.end(`data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`);
  });
  const store = memoryStore();
  const config = configFrom({ model: { name: 'm', baseUrl, stream: true }, batch: 1, responses: 2 });
  await store.createRun(runOf(config));
  await putPrompts(store, 1);
  const client = createOpenAiClient({ baseUrl, apiKey: null, timeoutMs: 60_000 });
  const { generate } = createGenerate({ store, clientFor: async ({ name }) => ({ client, model: name }) });
  const ask = () =>
    new MockActivityEnvironment().run(generate, {
      run: 'r',
      step: 1,
      epoch: 0,
      version: 1,
      group: 0,
      first: 0,
      count: 2,
      responses: 2,
    });
  const ids = [0, 1].map((slot) => programId('r', 1, 0, slot));

  expect(
    await ask().then(
      () => null,
      (error: unknown) => error,
    ),
  ).toMatchObject({ type: 'ModelUnavailable', nonRetryable: false });
  expect((await store.getRollouts(ids)).size).toBe(0);
  expect(await ask()).toMatchObject({ stored: [0, 1], missing: [], tokens: 7 });
  expect([...(await store.getRollouts(ids)).values()].map(({ finishReason }) => finishReason)).toEqual([
    'stop',
    'length',
  ]);
  await ask();
  expect(arrived).toBe(2);
});
