// What is said of models before a run exists: prices that were taken from the table, and weights that do not sum to
// 1, each once.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkEndpoint, checkModels } from '../../../client/runs/preflight.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { type Endpoint, startEndpoint } from '../../support/models/endpoint.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const directory = mkdtempSync(join(tmpdir(), 'evolve-preflight-'));
const env = { EVOLVE_HOME: directory };
let endpoint: Endpoint;
beforeAll(async () => {
  // A model folder, as far as it is looked at here.
  writeFileSync(join(directory, 'config.json'), '{}');
  endpoint = await startEndpoint({ models: ['gpt-4.1', 'own'] });
});
afterAll(async () => {
  await endpoint.stop();
  rmSync(directory, { recursive: true, force: true });
});
const warnings = (settings: (baseUrl: string) => object) =>
  checkModels([configFrom(settings(endpoint.url))], {
    home: resolveHome(env),
    env,
  });

test('a price of the default table is named with its date, and that model.price overrides it', async () => {
  const said = await warnings((baseUrl) => ({ model: { name: 'gpt-4.1', baseUrl } }));
  expect(said).toHaveLength(1);
  for (const part of ['gpt-4.1', '2 USD', '8 out', '2026-11', 'model.price']) expect(said[0]).toContain(part);
});

test('a price that is set, or that nobody knows, is not taken from the table', async () => {
  expect(await warnings((baseUrl) => ({ model: { name: 'gpt-4.1', baseUrl, price: { in: 0, out: 0 } } }))).toEqual([]);
  expect(await warnings((baseUrl) => ({ model: { name: 'own', baseUrl } }))).toEqual([
    expect.stringContaining('the price of own is not known'),
  ]);
});

test('a limit on cost that nothing can reach is told, with what ends the run', async () => {
  const said = (price: object) =>
    warnings((baseUrl) => ({ model: { name: 'own', baseUrl, price }, limits: { costUsd: 5 } }));
  expect(await said({ in: 0, out: 0 })).toEqual([
    expect.stringMatching(/limits\.costUsd 5 ends nothing.*what ends it is limits\.steps 200/),
  ]);
  expect(await said({ in: 0, out: 0.1 })).toEqual([]);
});

test('an endpoint that counts no tokens is named before the start, where a limit depends on its count', async () => {
  const silent = await startEndpoint({ models: ['own'], usage: () => ({ in: 0, out: 0 }) });
  const price = { in: 1, out: 1 };
  const said = (baseUrl: string, limits: object) =>
    checkModels([configFrom({ model: { name: 'own', baseUrl, price }, limits })], { home: resolveHome(env), env });
  try {
    expect(await said(silent.url, { steps: 1 })).toEqual([]);
    expect(silent.arrived()).toBe(0);
    for (const [limits, words] of [
      [{ tokens: 1_000 }, 'limits.tokens is held against that estimate'],
      [{ costUsd: 1, tokens: 5 }, 'limits.tokens and limits.costUsd are held against that estimate'],
    ] as const)
      expect(await said(silent.url, limits)).toEqual([expect.stringContaining(words)]);
    expect(await said(endpoint.url, { tokens: 1_000 })).toEqual([]);
    silent.be('busy');
    expect(await said(silent.url, { tokens: 1_000 })).toEqual([]);
  } finally {
    await silent.stop();
  }
});

test('weights that were set and do not sum to 1 are normalised, and that is said once', async () => {
  const price = { in: 0, out: 0 };
  const both = (first: number, second: number) => (baseUrl: string) => ({
    model: { name: 'gpt-4.1', baseUrl, price, weight: first },
    models: [{ name: 'own', price, weight: second }],
  });
  expect(await warnings(both(2, 6))).toEqual([
    expect.stringContaining('the weights sum to 8, not 1; taken as gpt-4.1 25 %, own 75 %'),
  ]);
  expect(await warnings(both(0.25, 0.75))).toEqual([]);
  expect(await warnings(both(1, 1))).toEqual([]);
});

test('an endpoint that does not answer is blamed where it was written, not on the environment', async () => {
  const nowhere = await startEndpoint({ models: [] });
  const baseUrl = nowhere.url;
  await nowhere.stop();
  const said = (where: string, settings: object = { model: { name: 'own', baseUrl } }) => {
    const { config, whereabouts } = resolveConfig([
      { settings, where: (path) => (where === '' ? path.join('.') : where) },
    ]);
    return checkModels([config], { home: resolveHome(env), env }, whereabouts).then(
      String,
      (error: Error) => error.message,
    );
  };
  expect(await said('run.yaml:2:3')).toContain('or correct model.baseUrl (run.yaml:2:3)');
  expect(await said('run.yaml:2:3')).not.toContain('OPENAI_BASE_URL');
  expect(await said('OPENAI_BASE_URL')).toContain('or correct OPENAI_BASE_URL; --model offline needs none');
  const models = [{ name: 'other', baseUrl, price: { in: 0, out: 0 } }];
  const both = { model: { name: 'own', baseUrl: endpoint.url, price: { in: 0, out: 0 } }, models };
  expect(await said('', both)).toContain('or correct models.0.baseUrl (models.0.baseUrl)');
});

test('a model whose name looks like a key is found, and answers under its name', async () => {
  const name = 'hf-llama-3.1-8b-instruct-v2';
  const named = await startEndpoint({ models: [name] });
  try {
    const question = { baseUrl: named.url, apiKey: null };
    expect(await checkEndpoint({ ...question, model: name })).toEqual([]);
    await expect(checkEndpoint({ ...question, model: 'other' })).rejects.toThrow('offers no model "other"');
  } finally {
    await named.stop();
  }
});

// Attempt: endpoints and keys.
test('a key in the address of an old run is not repeated by what is said of its endpoint', async () => {
  const secret = 'a1b2c3d4e5f6a7b8c9d0';
  for (const query of [`api_key=${secret}`, `code=${secret}`]) {
    const said = await checkEndpoint({
      baseUrl: `${endpoint.url}?${query}`,
      model: 'missing',
      apiKey: 'two words',
    }).then(String, (error: Error) => error.message);
    expect(said).toContain('***: its key has characters that cannot be sent');
    expect(said).not.toContain(secret);
  }
});

test('a server of policies that answers in text alone is refused before the run, and a policy is not asked elsewhere', async () => {
  const vllm = await startEndpoint({ models: ['base'], tokens: 'vllm' });
  const learns = (serveUrl: string) => () => ({
    responses: 4,
    model: { name: directory, baseUrl: 'http://127.0.0.1:9/v1', price: { in: 0, out: 0 }, trainable: true },
    learning: { trainer: 'reference', serve: 'vllm', serveUrl },
  });
  try {
    await expect(warnings(learns(endpoint.url))).rejects.toThrow(
      /^learning\.serveUrl: .*gpt-4\.1 answers without token ids and logprobs: set model\.trainable to false/,
    );
    expect(await warnings(learns(vllm.url))).toEqual([]);
    const warmer = () => ({ ...learns(vllm.url)(), model: { ...learns(vllm.url)().model, temperature: 0.7 } });
    expect(await warnings(warmer)).toEqual([expect.stringMatching(/temperature 0\.7; vLLM .*processed_logprobs/)]);
  } finally {
    await vllm.stop();
  }
});

test('a model folder to learn from is named by its whole path, and one that is not there is told', async () => {
  const said = (base: string) =>
    warnings(() => ({ model: { name: base, trainable: true }, learning: { trainer: 'reference' } }));
  await expect(said('models/qwen')).rejects.toThrow(/learning\.base: expected the whole path.*not downloaded/);
  await expect(said('./client')).rejects.toThrow(/learning\.base: expected the whole path/);
  expect(await said(join(directory, 'gone'))).toContainEqual(expect.stringMatching(/no model folder at .*gone/));
  expect((await said(directory)).filter((one) => one.startsWith('learning.base'))).toEqual([]);
});
