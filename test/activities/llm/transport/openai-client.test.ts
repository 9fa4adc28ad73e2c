// The model client against a real HTTP server that answers as endpoints in the wild do.
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../../activities/llm/chat/client.ts';
import { createOpenAiClient } from '../../../../activities/llm/openai/openai-client.ts';
import { failure, json, REQUEST, served } from '../../../support/models/served.ts';

const completion = (choices: unknown) => ({
  id: 'x',
  object: 'chat.completion',
  created: 0,
  model: 'm-1',
  choices,
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
});
const ASKED: ChatRequest = { ...REQUEST, messages: [{ role: 'system', content: 's' }, ...REQUEST.messages] };
const ask = (baseUrl: string, request: Partial<ChatRequest> = {}, apiKey: string | null = 'secret') =>
  createOpenAiClient({ baseUrl, apiKey, timeoutMs: 60_000 }).chat(
    { ...ASKED, ...request },
    new AbortController().signal,
  );
describe('the model client', () => {
  it('calls a model by its name, though that looks like a key', async () => {
    const model = 'hf-llama-3.1-8b-instruct-v2';
    const url = await served((_body, response) => {
      json(response, 200, {
        ...completion([{ index: 0, message: { content: 'fine' }, finish_reason: 'stop' }]),
        model,
      });
    });
    expect((await ask(url, { model })).model).toBe(model);
  });

  it('sends the prompt, the seed, n and an idempotency key, and reads choices, reasoning and usage', async () => {
    let seen: any = null;
    const url = await served((body, response, request) => {
      seen = { body, key: request.headers['idempotency-key'], authorization: request.headers.authorization };
      json(
        response,
        200,
        completion([
          {
            index: 0,
            message: { role: 'assistant', content: 'one', reasoning_content: 'because' },
            finish_reason: 'stop',
          },
          { index: 1, message: { role: 'assistant', content: 'two' }, finish_reason: 'length' },
        ]),
      );
    });
    const answer = await ask(url, { n: 2 });
    expect(seen).toMatchObject({
      key: 'k-1',
      authorization: 'Bearer secret',
      body: {
        n: 2,
        seed: 5,
        max_tokens: 100,
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'u' },
        ],
      },
    });
    expect(answer).toEqual({
      model: 'm-1',
      usage: { in: 11, out: 7 },
      choices: [
        { text: 'one', reasoning: 'because', finishReason: 'stop' },
        { text: 'two', reasoning: null, finishReason: 'length' },
      ],
    });
  });

  it('takes empty and missing content as an empty answer', async () => {
    const url = await served((_, response) =>
      json(
        response,
        200,
        completion([
          { index: 0, message: { role: 'assistant', content: null }, finish_reason: 'content_filter' },
          { index: 1 },
        ]),
      ),
    );
    expect((await ask(url, { n: 2 })).choices).toEqual([
      { text: '', reasoning: null, finishReason: 'content_filter' },
      { text: '', reasoning: null, finishReason: null },
    ]);
  });

  it("does not repeat by itself: every call is the engine's decision", async () => {
    let calls = 0;
    const url = await served((_, response) => {
      calls += 1;
      json(response, 500, { error: { message: 'no' } });
    });
    const { message } = await failure(ask(url));
    expect(calls).toBe(1);
    expect(message).toContain('answered 500: no');
  });

  it('names the wait that a 429 asks for', async () => {
    const url = await served((_, response) =>
      json(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '7' }),
    );
    expect((await failure(ask(url))).retryAfterMs).toBe(7_000);
  });

  it('says which setting to change for an unknown model', async () => {
    const url = await served((_, response) => json(response, 404, { error: { message: 'no' } }));
    expect(await failure(ask(url))).toMatchObject({ fatal: true, message: expect.stringContaining('EVOLVE_MODEL') });
  });

  it('takes a body that is no JSON, a cut connection and a timeout as faults that may pass', async () => {
    const broken = await served((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices": [');
    });
    expect(await failure(ask(broken))).toMatchObject({ fatal: false });
    const cut = await served((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
      response.destroy();
    });
    expect(await failure(ask(cut))).toMatchObject({ fatal: false });
    const silent = await served(() => undefined);
    expect(await failure(ask(silent, { timeoutMs: 200 }))).toMatchObject({
      fatal: false,
      message: expect.stringContaining('in time'),
    });
    expect(await failure(ask('http://127.0.0.1:9/v1'))).toMatchObject({
      fatal: false,
      message: expect.stringContaining('cannot be reached'),
    });
  });
});
