// Streamed answers against a real HTTP server that streams as endpoints in the wild do, well and badly; and calls
// that stay silent for long.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type ChatRequest, ModelError } from '../../../../activities/llm/chat/client.ts';
import { createOpenAiClient } from '../../../../activities/llm/openai/openai-client.ts';
import { failure, json, REQUEST, served } from '../../../support/models/served.ts';
import { Agent, fetch as impatientFetch } from 'undici';

const open = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
};
const send = (response: ServerResponse, event: object): void => {
  response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', id: 'x', model: 'm-1', ...event })}\n\n`);
};
const delta = (index: number, fields: object, finish: string | null = null) => ({
  choices: [{ index, delta: fields, finish_reason: finish }],
});
const finish = (response: ServerResponse, usage: object | null = { prompt_tokens: 11, completion_tokens: 7 }): void => {
  if (usage !== null) send(response, { choices: [], usage });
  response.end('data: [DONE]\n\n');
};
const STREAMED: ChatRequest = { ...REQUEST, stream: true };
const ask = (
  baseUrl: string,
  request: Partial<ChatRequest> = {},
  signal = new AbortController().signal,
  minIdleMs?: number,
) =>
  createOpenAiClient({
    baseUrl,
    apiKey: null,
    timeoutMs: 60_000,
    ...(minIdleMs === undefined ? {} : { minIdleMs }),
  }).chat({ ...STREAMED, ...request }, signal);
describe('a streamed answer', () => {
  it.each([null, 'text/plain'])('is read as one where its type is left out or said to be another: %s', async (type) => {
    const url = await served((_body, response) => {
      response.writeHead(200, type === null ? {} : { 'content-type': type });
      send(response, delta(0, { content: 'fine' }, 'stop'));
      finish(response);
    });
    const { choices, usage } = await ask(url);
    expect([choices[0]!.text, usage]).toEqual(['fine', { in: 11, out: 7 }]);
  });

  it('is asked for with its usage, and put together by index with the reasoning apart', async () => {
    let seen: any = null;
    const url = await served((body, response) => {
      seen = body;
      open(response);
      send(response, delta(1, { role: 'assistant', content: 'tw' }));
      send(response, delta(0, { reasoning_content: 'be' }));
      send(response, delta(0, { reasoning_content: 'cause' }));
      send(response, delta(0, { content: 'one' }, 'stop'));
      send(response, delta(1, { content: 'o' }, 'length'));
      finish(response, {
        prompt_tokens: 11,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      });
    });
    expect(await ask(url, { n: 2 })).toEqual({
      model: 'm-1',
      usage: { in: 11, out: 7, cached: 4, reasoning: 2 },
      choices: [
        { text: 'one', reasoning: 'because', finishReason: 'stop' },
        { text: 'two', reasoning: null, finishReason: 'length' },
      ],
    });
    expect(seen).toMatchObject({ stream: true, stream_options: { include_usage: true }, n: 2 });
  });

  it('falls back and remembers where the endpoint refuses stream_options', async () => {
    const bodies: any[] = [];
    const url = await served((body, response) => {
      bodies.push(body);
      if ('stream_options' in body)
        return json(response, 400, { error: { message: 'Unknown parameter: stream_options' } });
      open(response);
      send(response, delta(0, { content: 'fine' }, 'stop'));
      finish(response, null);
    });
    const client = createOpenAiClient({ baseUrl: url, apiKey: null, timeoutMs: 60_000 });
    const signal = new AbortController().signal;
    expect(await client.chat(STREAMED, signal)).toMatchObject({
      choices: [{ text: 'fine' }],
      usage: { in: 1, out: 1 },
      estimated: true,
    });
    expect(await client.chat(STREAMED, signal)).not.toHaveProperty('unsent');
    expect(bodies.map((body) => 'stream_options' in body)).toEqual([true, false, false]);
  });

  it('that breaks off in one of its answers is no answer', async () => {
    const url = await served((_, response) => {
      open(response);
      send(response, delta(0, { content: 'whole' }, 'stop'));
      send(response, delta(1, { content: 'half' }));
      response.end();
    });
    expect(await failure(ask(url, { n: 2 }))).toMatchObject({
      fatal: false,
      message: expect.stringContaining('broke off'),
    });
  });

  it('may be silent for its first chunk as long as the whole may take, later for a bounded time only', async () => {
    const late = await served(async (_, response) => {
      open(response);
      response.flushHeaders();
      await sleep(700);
      send(response, delta(0, { content: 'late' }, 'stop'));
      finish(response);
    });
    expect((await ask(late, { timeoutMs: 60_000 }, undefined, 300)).choices[0]!.text).toBe('late');
    const silent = await served((_, response) => {
      open(response);
      send(response, delta(0, { content: 'half' }));
    });
    // Well before the whole call's limit, which would be "in time".
    expect(await failure(ask(silent, { timeoutMs: 20_000 }, undefined, 200))).toMatchObject({
      fatal: false,
      message: expect.stringContaining('silent'),
    });
  });

  it('ends with its time-out though chunks keep coming', async () => {
    const endless = await served(async (_, response) => {
      open(response);
      while (!response.destroyed) {
        send(response, delta(0, { content: 'x' }));
        await sleep(20);
      }
    });
    expect(await failure(ask(endless, { timeoutMs: 500 }))).toMatchObject({
      fatal: false,
      message: expect.stringContaining('in time'),
    });
  });

  it('ends when the caller gives up, and is not taken for a whole answer', async () => {
    const url = await served((_, response) => {
      open(response);
      send(response, delta(0, { content: 'half' }, 'stop'));
    });
    await expect(ask(url, {}, AbortSignal.timeout(200))).rejects.not.toBeInstanceOf(ModelError);
  });

  it('is taken whole from an endpoint that knows no streams', async () => {
    const url = await served((_, response) =>
      json(response, 200, {
        model: 'm-1',
        choices: [{ index: 0, message: { content: 'whole' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      }),
    );
    expect(await ask(url)).toMatchObject({ choices: [{ text: 'whole' }], usage: { in: 3, out: 2 } });
  });
});

describe('a long call', () => {
  it("is not given up by fetch's own limit on the time to the headers, which is 300 s", async () => {
    const url = await served(async (_, response) => {
      await sleep(2_500);
      json(response, 200, {
        model: 'm-1',
        choices: [{ index: 0, message: { content: 'slow' }, finish_reason: 'stop' }],
      });
    });
    // The limit is real: a dispatcher that has it, made small.
    const impatient = new Agent({ headersTimeout: 500, bodyTimeout: 500 });
    const slow = ask(url, { stream: false, timeoutMs: 300_000 });
    await expect(impatientFetch(url, { method: 'POST', body: '{}', dispatcher: impatient })).rejects.toMatchObject({
      cause: { code: 'UND_ERR_HEADERS_TIMEOUT' },
    });
    expect((await slow).choices[0]!.text).toBe('slow');
  });
});
