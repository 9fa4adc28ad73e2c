// Where embeddings are asked for: the endpoint of their own, that of the first model, or the offline model.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { embeddingEndpoint } from '../../../../activities/llm/embeddings/endpoint.ts';
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { thetaDefaults } from '../../../../evolution/methods/theta.ts';
import type { Limiter } from '../../../../activities/llm/rates/limiter.ts';
import { createEmbeddingClientFor } from '../../../../workers/models/embedding-clients.ts';

const settings = (model: Partial<RunConfig['model']>, embedding: Partial<RunConfig['embedding']>) => ({
  ...thetaDefaults,
  task: 't',
  model: { ...thetaDefaults.model, ...model },
  embedding: { ...thetaDefaults.embedding, ...embedding },
});
const OFFLINE = { kind: 'offline', baseUrl: null } as const;
const THEIRS = { kind: 'openai', baseUrl: 'http://chat/v1', name: 'chat' } as const;

it("goes to its own endpoint, else to the first model's, else to the offline model", () => {
  expect(embeddingEndpoint(settings(THEIRS, { model: 'm', baseUrl: 'http://own/v1/' }))).toEqual({
    kind: 'openai',
    baseUrl: 'http://own/v1',
  });
  expect(embeddingEndpoint(settings(OFFLINE, { model: 'm', baseUrl: 'http://own/v1' }))).toEqual({
    kind: 'openai',
    baseUrl: 'http://own/v1',
  });
  expect(embeddingEndpoint(settings(THEIRS, { model: 'm' }))).toEqual({ kind: 'openai', baseUrl: 'http://chat/v1' });
  expect(embeddingEndpoint(settings(OFFLINE, { model: 'offline' }))).toEqual({ kind: 'offline', baseUrl: null });
  expect(embeddingEndpoint(settings(THEIRS, { model: 'offline' }))).toEqual({ kind: 'offline', baseUrl: null });
});

it('calls the offline model by its name, any other as the settings do, and says what is missing', async () => {
  const clientFor = createEmbeddingClientFor({ home: '/nowhere', offlineModelUrl: 'http://127.0.0.1:1/v1' });
  expect((await clientFor(settings(OFFLINE, { model: 'offline' }))).model).toBe('offline-gp');
  expect((await clientFor(settings(THEIRS, { model: 'm' }))).model).toBe('m');
  expect((await clientFor(settings(THEIRS, { model: 'm' }))).client).toBe(
    (await clientFor(settings(THEIRS, { model: 'other' }))).client,
  );
  await expect(clientFor(settings({ ...THEIRS, baseUrl: null }, { model: 'm' }))).rejects.toThrow(/embedding\.baseUrl/);
  await expect(
    createEmbeddingClientFor({ home: '/nowhere', offlineModelUrl: null })(settings(OFFLINE, { model: 'offline' })),
  ).rejects.toThrow(/evolve up/);
});

it('keeps the rate of embeddings, which is not that of answers, and hands on a wait that the endpoint asks for', async () => {
  const told: unknown[] = [];
  const limiter = {
    take: async (rate, tokens) => void told.push(['take', rate, tokens]),
    settle: (rate, tokens, came) => void told.push(['settle', rate, tokens, came]),
    pause: (ms) => void told.push(['pause', ms]),
    close: async () => undefined,
  } satisfies Pick<Limiter, keyof Limiter>;
  const server = createServer((_, response) => response.writeHead(429, { 'retry-after': '3' }).end('{}')).listen(0);
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const rates = { of: () => limiter, close: limiter.close };
  const clientFor = createEmbeddingClientFor({ home: '/nowhere', offlineModelUrl: null, rates });
  const signal = new AbortController().signal;
  const asked = async (rate: RunConfig['embedding']['rate']): Promise<void> => {
    const { client, acquire } = await clientFor(
      settings({ ...THEIRS, rate: { requestsPerMinute: 1 } }, { model: 'm', baseUrl, ...(rate && { rate }) }),
    );
    (await acquire!(signal, 7))();
    const request = { texts: ['x'.repeat(40)], model: 'm', dimensions: null, timeoutMs: 5_000, key: 'k' };
    await expect(client.embed(request, signal)).rejects.toThrow('429');
  };
  await asked(null);
  expect(told).toEqual([]);
  const rate = { requestsPerMinute: 60 };
  await asked(rate);
  expect(told).toEqual([
    ['take', rate, 7],
    ['pause', 3_000],
    ['settle', rate, 10, null],
  ]);
});
