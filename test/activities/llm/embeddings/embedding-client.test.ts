// The client for embeddings: against the offline model, and against a real HTTP server that answers as endpoints in
// the wild do.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { failure, json, served } from '../../../support/models/served.ts';
import type { ModelError } from '../../../../activities/llm/chat/client.ts';
import { createOpenAiEmbeddingClient, type EmbeddingRequest } from '../../../../activities/llm/embeddings/client.ts';
import { cosine, unitVector } from '../../../../activities/llm/embeddings/vectors.ts';
import { createOfflineModel } from '../../../../deploy/offline-model/server.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
const listening = async (server: Server): Promise<string> => {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};
const list = (...embeddings: unknown[]) => ({
  object: 'list',
  data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model: 'm',
  usage: { prompt_tokens: 9, total_tokens: 9 },
});

const REQUEST: EmbeddingRequest = { texts: ['a', 'b'], model: 'm', dimensions: null, timeoutMs: 60_000, key: 'k-1' };
const ask = (baseUrl: string, request: Partial<EmbeddingRequest> = {}, apiKey: string | null = 'secret') =>
  createOpenAiEmbeddingClient({ baseUrl, apiKey }).embed({ ...REQUEST, ...request }, new AbortController().signal);
describe('the client for embeddings', () => {
  it('asks for floats, and for dimensions only where they are set', async () => {
    const seen: any[] = [];
    const url = await served((body, response, request) => {
      seen.push({
        body,
        path: request.url,
        key: request.headers['idempotency-key'],
        authorization: request.headers.authorization,
      });
      json(response, 200, list([1, 2], [3, 4]));
    });
    expect(await ask(url)).toEqual({
      vectors: [
        [1, 2],
        [3, 4],
      ],
      tokens: 9,
    });
    await ask(url, { dimensions: 2 });
    expect(seen[0]).toEqual({
      path: '/v1/embeddings',
      key: 'k-1',
      authorization: 'Bearer secret',
      body: { model: 'm', input: ['a', 'b'], encoding_format: 'float' },
    });
    expect(seen[1].body.dimensions).toBe(2);
  });

  it.each([
    ['too many', list([1], [2], [3])],
    ['null', null],
    ['text', list([1], 'some words')],
    ['nothing', list([1], undefined)],
    [
      'one index twice',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [2] },
        ],
      },
    ],
  ])('takes an answer with %s for a fault that may pass', async (_, body) => {
    const url = await served((_request, response) => json(response, 200, body));
    expect(await failure(ask(url))).toMatchObject({ fatal: false });
  });

  it.each([
    [404, true],
    [429, false],
  ])('%i is fatal: %s', async (status, fatal) => {
    const url = await served((_, response) =>
      json(response, status, { error: { message: 'no' } }, { 'retry-after': '3' }),
    );
    const error = await failure(ask(url));
    expect(error).toMatchObject({ status, fatal, retryAfterMs: 3_000 });
    if (status === 404) expect(error.message).toMatch(/embedding\.model and embedding\.baseUrl/);
  });

  it('takes a failure to write a vector that is no number for a refusal of the texts', async () => {
    const url = await served((_, response) =>
      json(response, 500, { error: 'failed to encode response: json: unsupported value: NaN' }),
    );
    expect(await failure(ask(url))).toMatchObject({ status: 422 });
  });

  it('takes a cut connection, a timeout and a closed port as faults that may pass, and tries nothing again', async () => {
    let calls = 0;
    const cut = await served((_, response) => {
      calls += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"data": [');
      response.destroy();
    });
    expect(await failure(ask(cut))).toMatchObject({ fatal: false });
    expect(calls).toBe(1);
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

describe('the offline model', () => {
  const texts = [
    'def f(x):\n    return x + 1\n',
    'def f(x):\n\n    return x  +  1',
    'def f(x):\n    return x + 2\n',
    'import numpy\nprint("something else entirely")',
  ];

  it('embeds: the same tokens alike, a small change near, other texts far', async () => {
    const url = await listening(createOfflineModel());
    const { vectors, tokens } = await ask(url, { texts, model: 'offline-gp' }, null);
    expect(vectors.map(({ length }) => length)).toEqual([256, 256, 256, 256]);
    expect(tokens).toBe(texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0));
    const [a, spaced, changed, other] = vectors.map(unitVector) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    expect(spaced).toEqual(a);
    expect(cosine(a, changed)).toBeLessThan(0.999);
    expect(cosine(a, changed)).toBeGreaterThan(cosine(a, other) + 0.3);
  });

  it('answers in the dimensions asked for, the same on another server', async () => {
    const [first, second] = [await listening(createOfflineModel()), await listening(createOfflineModel())];
    const answer = await ask(first, { texts, model: 'offline-gp', dimensions: 17 });
    expect(answer.vectors.map(({ length }) => length)).toEqual([17, 17, 17, 17]);
    expect(await ask(second, { texts, model: 'offline-gp', dimensions: 17 })).toEqual(answer);
  });

  it('refuses what is wrong, and meets the faults that it was started with', async () => {
    const url = await listening(createOfflineModel());
    expect(await failure(ask(url))).toMatchObject({ status: 404, fatal: true });
    expect(await failure(ask(url, { model: 'offline-gp', texts: [''] }))).toMatchObject({ status: 400 });
    expect(await failure(ask(url, { model: 'offline-gp', dimensions: 0 }))).toMatchObject({ status: 400 });
    for (const faults of [
      { rate429: 1 },
      { rate500: 1 },
      { rateCut: 1 },
      { rateMalformed: 1 },
      { rateEmpty: 1, faultSeed: 3 },
    ]) {
      const faulty = await listening(createOfflineModel(faults));
      let error: ModelError | null = null;
      // An empty answer meets one request in four of its share.
      for (let attempt = 0; attempt < 40 && error === null; attempt++)
        error = await ask(faulty, { texts, model: 'offline-gp' }).then(
          () => null,
          (one: ModelError) => one,
        );
      expect(error).toMatchObject({ fatal: false });
    }
  });
});
