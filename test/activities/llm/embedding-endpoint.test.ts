// Where embeddings are asked for: the endpoint of their own, that of the first model, or the offline model.
import { expect, it } from 'vitest';
import { embeddingEndpoint } from '../../../activities/llm/embeddings/endpoint.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';
import { createEmbeddingClientFor } from '../../../workers/embedding-clients.ts';

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
