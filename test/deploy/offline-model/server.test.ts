// The offline model as an OpenAI-compatible endpoint, seen through the `openai` package; and each of its faults.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { afterEach, describe, expect, test } from 'vitest';
import { readFlags, type OfflineModelOptions } from '../../../deploy/offline-model/options.ts';
import { createOfflineModel } from '../../../deploy/offline-model/server.ts';
import { PARENTS, blocksOf, promptOf } from './programs.ts';

const MODEL = 'offline-gp';
const messages = [
  { role: 'system' as const, content: 'Improve the program.' },
  { role: 'user' as const, content: promptOf(PARENTS['packing'] ?? '') },
];
const servers: Server[] = [];

async function start(options: Partial<OfflineModelOptions> = {}): Promise<{ url: string; client: OpenAI }> {
  const server = createOfflineModel(options).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, client: new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 }) };
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const contents = (completion: OpenAI.ChatCompletion): readonly (string | null)[] =>
  completion.choices.map((choice) => choice.message.content);
const post = (url: string, body: string): Promise<Response> =>
  fetch(`${url}/chat/completions`, { method: 'POST', body });

describe('a healthy endpoint', () => {
  test('lists its one model and is healthy', async () => {
    const { url, client } = await start();
    expect((await client.models.list()).data).toMatchObject([
      { id: MODEL, object: 'model', owned_by: 'durable-evolve' },
    ]);
    expect((await fetch(url.replace('/v1', '/healthz'))).status).toBe(200);
  });

  test('n choices with blocks and usage of four characters a token', async () => {
    const { client } = await start();
    const completion = await client.chat.completions.create({ model: MODEL, messages, n: 3, seed: 5 });
    expect(completion.choices.map((choice) => [choice.index, choice.finish_reason])).toEqual([
      [0, 'stop'],
      [1, 'stop'],
      [2, 'stop'],
    ]);
    for (const content of contents(completion)) expect(blocksOf(content ?? '').length).toBeGreaterThan(0);
    const completionTokens = contents(completion).reduce(
      (sum, content) => sum + Math.ceil((content ?? '').length / 4),
      0,
    );
    expect(completion.usage).toMatchObject({
      completion_tokens: completionTokens,
      total_tokens: completionTokens + (completion.usage?.prompt_tokens ?? 0),
    });
    expect(completion.usage?.prompt_tokens).toBe(
      Math.ceil(`${messages[0]?.content}\n${messages[1]?.content}`.length / 4),
    );
  });

  test('the same request has the same answer, on another server too; missing choices can be asked for alone', async () => {
    const [first, second] = [await start(), await start()];
    const all = contents(await first.client.chat.completions.create({ model: MODEL, messages, n: 4, seed: 9 }));
    expect(contents(await second.client.chat.completions.create({ model: MODEL, messages, n: 4, seed: 9 }))).toEqual(
      all,
    );
    expect(contents(await first.client.chat.completions.create({ model: MODEL, messages, n: 2, seed: 11 }))).toEqual(
      all.slice(2),
    );
  });

  test('a stream carries the same text, and usage when asked', async () => {
    const { client } = await start();
    const whole = await client.chat.completions.create({ model: MODEL, messages, n: 2, seed: 1 });
    const texts = ['', ''],
      reasons: string[] = [];
    let usage: unknown = null;
    for await (const event of await client.chat.completions.create({
      model: MODEL,
      messages,
      n: 2,
      seed: 1,
      stream: true,
      stream_options: { include_usage: true },
    })) {
      for (const choice of event.choices) {
        texts[choice.index] += choice.delta.content ?? '';
        if (choice.finish_reason) reasons.push(choice.finish_reason);
      }
      usage = event.usage ?? usage;
    }
    expect(texts).toEqual(contents(whole));
    expect(reasons).toEqual(['stop', 'stop']);
    expect(usage).toEqual(whole.usage);
  });

  test('max_tokens cuts the text and says so', async () => {
    const { client } = await start();
    const { choices, usage } = await client.chat.completions.create({ model: MODEL, messages, max_tokens: 10 });
    expect(choices[0]).toMatchObject({ finish_reason: 'length' });
    expect(choices[0]?.message.content).toHaveLength(40);
    expect(usage?.completion_tokens).toBe(10);
  });

  test.each([
    ['broken JSON', '{"model": ', 400, null],
    ['no object', '[]', 400, null],
    ['no messages', JSON.stringify({ model: MODEL }), 400, null],
    ['bad n', JSON.stringify({ model: MODEL, messages, n: 0 }), 400, null],
    ['bad seed', JSON.stringify({ model: MODEL, messages, seed: 0.5 }), 400, null],
    ['unknown model', JSON.stringify({ model: 'gpt-x', messages }), 404, 'model_not_found'],
  ])('bad request: %s', async (_, body, status, code) => {
    const { url } = await start();
    const response = await post(url, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String), type: 'invalid_request_error', code },
    });
  });
});

describe('faults', () => {
  test('429 names a time to wait, 500 is a server error; both reach the client as such', async () => {
    const limited = await start({ rate429: 1 });
    await expect(limited.client.chat.completions.create({ model: MODEL, messages })).rejects.toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
    });
    expect((await post(limited.url, JSON.stringify({ model: MODEL, messages }))).headers.get('retry-after')).toBe('1');
    const broken = await start({ rate500: 1 });
    await expect(broken.client.chat.completions.create({ model: MODEL, messages })).rejects.toMatchObject({
      status: 500,
    });
  });

  test('a repeated request gets through, and the order of faults is the same on every server', async () => {
    const outcomes = async (): Promise<readonly number[]> => {
      const { url } = await start({ rate500: 0.5 });
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 20; attempt += 1)
        statuses.push((await post(url, JSON.stringify({ model: MODEL, messages, seed: 3 }))).status);
      return statuses;
    };
    const first = await outcomes();
    expect(await outcomes()).toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 500]));
  });

  test.each([false, true])('cut connection, stream %s', async (stream) => {
    const { client } = await start({ rateCut: 1 });
    await expect(
      (async () => {
        const answer = await client.chat.completions.create({ model: MODEL, messages, stream });
        if (Symbol.asyncIterator in answer) for await (const _ of answer);
      })(),
    ).rejects.toThrow();
  });

  test.each([false, true])('malformed body, stream %s', async (stream) => {
    const { url } = await start({ rateMalformed: 1 });
    const text = await (await post(url, JSON.stringify({ model: MODEL, messages, stream }))).text();
    const parts = stream
      ? text
          .split('\n\n')
          .filter((event) => event.startsWith('data: {'))
          .map((event) => event.slice(6))
      : [text];
    expect(() => parts.map((part) => JSON.parse(part) as unknown)).toThrow();
  });

  test('garbage texts: a valid envelope, the same every time, huge ones and bytes that are not UTF-8 among them', async () => {
    const { url, client } = await start({ rateGarbage: 1 });
    const texts = contents(await client.chat.completions.create({ model: MODEL, messages, n: 128 }));
    expect(contents(await client.chat.completions.create({ model: MODEL, messages, n: 128 }))).toEqual(texts);
    expect(Math.max(...texts.map((text) => text?.length ?? 0))).toBeGreaterThan(300_000);
    expect(new Set(texts).size).toBeGreaterThan(20);
    const bytes = Buffer.from(
      await (await post(url, JSON.stringify({ model: MODEL, messages, n: 128 }))).arrayBuffer(),
    );
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow();
  });

  test('empty texts, null contents and answers without choices', async () => {
    const { client } = await start({ rateEmpty: 1 });
    const seen = new Set<string>();
    for (let seed = 0; seed < 40; seed += 1) {
      const { choices } = await client.chat.completions.create({ model: MODEL, messages, seed });
      seen.add(choices.length === 0 ? 'none' : JSON.stringify(choices[0]?.message.content));
    }
    expect(seen).toEqual(new Set(['none', '""', 'null']));
  });

  test('wrong key for ever, or until some time has passed', async () => {
    const never = await start({ failAuthMs: Infinity });
    await expect(never.client.models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    const soon = await start({ failAuthMs: 500 });
    await expect(soon.client.models.list()).rejects.toMatchObject({ status: 401 });
    await expect.poll(async () => (await fetch(`${soon.url}/models`)).status, { timeout: 300_000 }).toBe(200);
  });

  test('without native n there is one choice', async () => {
    const { client } = await start({ nativeN: false });
    expect((await client.chat.completions.create({ model: MODEL, messages, n: 4 })).choices).toHaveLength(1);
  });

  test('latency delays the answer', async () => {
    const { client } = await start({ latencyMs: 200, latencyJitterMs: 50 });
    const startedMs = performance.now();
    await client.chat.completions.create({ model: MODEL, messages });
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(195);
  });
});

describe('the process', () => {
  test('prints its port, serves, and ends on SIGTERM', async () => {
    const child = spawn(
      process.execPath,
      [new URL('../../../deploy/offline-model/main.ts', import.meta.url).pathname, '--port', '0', '--trivial'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { port } = JSON.parse(line.toString()) as { port: number };
    const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'none' });
    expect(contents(await client.chat.completions.create({ model: MODEL, messages, n: 2 }))).toHaveLength(2);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('flags are read, and a wrong one is named', () => {
    expect(readFlags(['--port', '81', '--rate-429', '0.5', '--fail-auth', 'always', '--no-native-n'])).toMatchObject({
      host: '127.0.0.1',
      port: 81,
      options: { rate429: 0.5, failAuthMs: Infinity, nativeN: false, trivial: false },
    });
    expect(() => readFlags(['--rate-500', '2'])).toThrow('--rate-500 takes a number from 0 to 1, not "2"');
    expect(() => readFlags(['--unknown'])).toThrow('--unknown');
  });
});
