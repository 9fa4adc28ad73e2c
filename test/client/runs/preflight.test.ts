// What is said of models before a run exists: what its first request finds, prices that were taken from the table, and
// weights that do not sum to 1, each once.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { firstPrompt } from '../../../activities/step/ask/prompts/first-prompt.ts';
import { FirstRequests } from '../../../client/runs/first-request.ts';
import { checkEndpoint, checkModels, statementNotes } from '../../../client/runs/preflight.ts';
import { taskIn, writeScaffold } from '../../../client/tasks/task-folder.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { type Endpoint, startEndpoint } from '../../support/models/endpoint.ts';
import { configFrom } from '../../support/domain/asked-run.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import { json, REQUEST, served } from '../../support/models/served.ts';
import { createClientFor } from '../../../workers/models/model-clients.ts';
import { METHOD_NAMES } from '../../../evolution/config/names.ts';

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

test('a price of the list is named with its day, and that model.price overrides it', async () => {
  const said = await warnings((baseUrl) => ({ model: { name: 'gpt-4.1', baseUrl } }));
  expect(said).toHaveLength(1);
  for (const part of ['gpt-4.1', '2 USD', '8 out', 'models.dev 2026-07-02: openai/gpt-4.1', 'model.price'])
    expect(said[0]).toContain(part);
});

test('a price that is set, or that nobody knows, is not taken from the list', async () => {
  expect(await warnings((baseUrl) => ({ model: { name: 'gpt-4.1', baseUrl, price: { in: 0, out: 0 } } }))).toEqual([]);
  expect(await warnings((baseUrl) => ({ model: { name: 'own', baseUrl } }))).toEqual([
    expect.stringContaining('the price of own is not known'),
  ]);
});

test('a problem statement that nobody wrote is told where a language model would read it', async () => {
  const task = join(directory, 'bare');
  writeScaffold('bare', 'bare', task);
  const said = async (model: object) => statementNotes(configFrom({ task, model }), await taskIn(task));
  expect(await said({ name: 'own', baseUrl: endpoint.url })).toEqual([
    expect.stringMatching(/bare\/task\.yaml: problem: expected what is sought/),
  ]);
  expect(await said({ kind: 'offline' })).toEqual([]);
  const yaml = join(task, 'task.yaml');
  writeFileSync(yaml, readFileSync(yaml, 'utf8').replace(/Say here .*/, 'Find x.'));
  expect(await said({ name: 'own', baseUrl: endpoint.url })).toEqual([]);
});

test('a limit on cost that nothing can reach is told, with what ends the run', async () => {
  const said = (price: object) =>
    warnings((baseUrl) => ({ model: { name: 'own', baseUrl, price }, limits: { costUsd: 5 } }));
  expect(await said({ in: 0, out: 0 })).toEqual([
    expect.stringMatching(/limits\.costUsd 5 ends nothing.*what ends it is limits\.steps 200/),
  ]);
  expect(await said({ in: 0, out: 0.1 })).toEqual([]);
});

const USAGE = { prompt_tokens: 2_000, completion_tokens: 2 };
const completion = (body: any, usage: object = USAGE) => ({
  ...{ model: body.model, usage },
  choices: Array.from({ length: body.n ?? 1 }, (_, index) => ({
    ...{ index, message: { content: 'ready' }, finish_reason: 'stop' },
  })),
});
const said = (status: number, message: string, more: object = {}) => [status, { error: { message, ...more } }] as const;
const LONG = { code: 'context_length_exceeded' };
/** Refuses once what `is` of a body, and says so. */
const unless = (is: (body: any) => boolean, refusal: readonly [number, object]) => (body: any) =>
  is(body) ? refusal : ([200, completion(body)] as const);

/** The first requests of a run at an endpoint that answers so: what they say, how they fail, and what came. */
const firstRequests = async (
  answer: (body: any) => readonly [number, object | string],
  settings: object[] = [{}],
  variables: NodeJS.ProcessEnv = env,
) => {
  const bodies: any[] = [];
  const baseUrl = await served((body, response) => {
    if (body === null) return json(response, 200, { data: [{ id: 'large' }] });
    bodies.push(body);
    const [status, text] = answer(body);
    return typeof text === 'string'
      ? response.writeHead(status, { 'content-type': 'text/html' }).end(text)
      : json(response, status, text);
  });
  const task = await shippedTask('circle-packing-square-26');
  const runs = settings.map((one: { model?: object }) => ({
    task,
    config: configFrom({ responses: 4, ...one, model: { name: 'm', baseUrl, ...one.model } }),
  }));
  const notes: string[] = [];
  const first = new FirstRequests(runs, { home: resolveHome(env), env: variables });
  const failed = await first
    .ask((note) => notes.push(note))
    .then(
      () => null,
      (error: Error) => error,
    );
  await first.ask((note) => notes.push(note));
  return { bodies, baseUrl, task, notes, failed };
};

test('the first request is that of the run, and its cost is told', async () => {
  const { bodies, task, notes } = await firstRequests(
    (body) => [200, completion(body)],
    [{ model: { price: { in: 1, out: 10 }, maxTokens: 9_000, temperature: 0.7, topP: 0.9, reasoningEffort: 'low' } }],
  );
  expect(bodies).toHaveLength(1);
  const [{ messages, ...sent }] = bodies;
  expect(sent).toMatchObject({ n: 4, max_tokens: 9_000, temperature: 0.7, top_p: 0.9, reasoning_effort: 'low' });
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user']);
  expect(messages[1].content).toContain(task.initialProgram.trim());
  expect(messages[1].content).toMatch(/answer with the one word ready\.$/);
  expect(notes).toEqual([
    expect.stringMatching(
      /one request to each model .*no limit counts it: m had 2,000 tokens in and 2 out \(\$0\.0020/,
    ),
  ]);
});

const REFUSALS: readonly [string, readonly [number, object | string], RegExp][] = [
  ['a wrong key', said(401, 'bad key'), /answered 401: bad key \(wrong or missing key: set OPENAI_API_KEY\)/],
  ['no credit', said(429, 'quota', { code: 'insufficient_quota' }), /no credit is left there: top it up\)/],
  ['an unknown model', said(404, 'no model m'), /no such model .*; it lists no model "m".* It has large/],
  ['a small context', said(400, 'too long', LONG), /set a smaller model\.maxTokens, or a smaller prompt\.maxTokens\)/],
  ['a value out of range', said(400, 'temperature must be at most 1', { param: 'temperature' }), /must be at most 1/],
  ['a page', [200, '<title>Login</title>'], /^the model endpoint .*"Login".*: start it, or correct model\.baseUrl/],
];
test.each(REFUSALS)('%s stops the start in one sentence with the cure', async (_, refusal, words) => {
  const { failed, notes } = await firstRequests(() => refusal);
  expect(failed?.message).toMatch(words);
  expect(failed?.message).not.toContain('evolve retry');
  expect(notes).toEqual([]);
});

const cut = (body: any) => [200, completion(body, { prompt_tokens: 100, completion_tokens: 2 })] as const;
const NOTES: readonly [string, Parameters<typeof firstRequests>[0], RegExp, object?][] = [
  [
    'settings that are refused',
    unless((body) => 'temperature' in body, said(400, 'unsupported', { param: 'temperature' })),
    /takes no temperature, so that the run asks without/,
  ],
  [
    'no system role',
    unless(({ messages }) => messages[0].role === 'system', said(400, 'System role not supported')),
    /knows no system role, so that the system's text begins the first turn/,
  ],
  [
    'a largest answer',
    unless(
      (body) => body.max_tokens > 4_096,
      said(400, 'max_tokens is too large: this model supports at most 4096 completion tokens'),
    ),
    /beside this prompt at most 4096 tokens.*set model\.maxTokens to 4096/,
  ],
  [
    'no n',
    unless((body) => body.n > 1, said(400, 'n must be 1')),
    /gives 1 of 4 answers to one request.*model\.nativeN false/,
  ],
  [
    'no usage, with limits',
    (body) => [200, { ...completion(body), usage: null }],
    /limits\.tokens and limits\.costUsd are held against that estimate/,
    { limits: { tokens: 9, costUsd: 1 }, model: { price: { in: 1, out: 1 } } },
  ],
  [
    'a prompt that is read in part',
    cut,
    /counted 100 tokens for a prompt of [\d,]+ characters, so that only a part of it seems to be read/,
  ],
  [
    'a prompt that is refused',
    () => said(400, 'flagged', { code: 'content_filter' }),
    /refuses the first prompt for its content/,
  ],
  [
    'an endpoint that is busy',
    () => said(503, 'overloaded'),
    /answered 503: overloaded; the run starts, and asks again/,
  ],
];
test.each(NOTES)('%s is told once, and the run starts', async (_, answer, words, settings = {}) => {
  const { failed, notes } = await firstRequests(answer, [settings]);
  expect(failed).toBeNull();
  expect(notes.filter((note) => words.test(note))).toHaveLength(1);
});

test('a variable of the network that the workers were not started with is told, as this shell alone was answered', async () => {
  const plan = (worker: object) =>
    writeFileSync(resolveHome(env).planFile, JSON.stringify({ children: [{ name: 'worker', env: worker }] }));
  onTestFinished(() => rmSync(resolveHome(env).planFile));
  const variables = { ...env, NODE_EXTRA_CA_CERTS: '/own.pem' };
  const told = async () => (await firstRequests((body) => [200, completion(body)], [{}], variables)).notes.join();
  plan({ EVOLVE_HOME: directory });
  expect(await told()).toMatch(/started without its NODE_EXTRA_CA_CERTS: run `npx evolve up` in this shell/);
  plan({ EVOLVE_HOME: directory, NODE_EXTRA_CA_CERTS: '/own.pem' });
  expect(await told()).not.toContain('NODE_EXTRA_CA_CERTS');
});

test('what was refused is not met again by the run, and is forgotten where it is taken later', async () => {
  let takes = false;
  const answer = (body: any) =>
    unless((one) => !takes && 'seed' in one, said(400, 'unsupported', { param: 'seed' }))(body);
  const { baseUrl, bodies } = await firstRequests(answer);
  const model = { kind: 'openai' as const, baseUrl, name: 'm', timeoutSeconds: 9 };
  const askAsRun = async () => {
    const { client } = await createClientFor({ home: directory, offlineModelUrl: null, llmSlots: 1 })(model);
    return client.chat(REQUEST, new AbortController().signal);
  };
  expect(bodies).toHaveLength(2);
  expect(await askAsRun()).toMatchObject({ unsent: ['seed'] });
  expect(bodies).toHaveLength(3);
  takes = true;
  const home = resolveHome(env);
  const [run] = [{ config: configFrom({ model: { name: 'm', baseUrl } }), task: await shippedTask('golomb-ruler-12') }];
  await new FirstRequests([run], { home, env }).ask(() => undefined);
  expect(await askAsRun()).not.toHaveProperty('unsent');
});

test('runs that ask alike share a request, and the offline model gets none', async () => {
  const runs = [
    { seed: 1 },
    { seed: 2 },
    { model: { temperature: 0.3 } },
    { model: { kind: 'offline', name: 'offline', baseUrl: null } },
  ];
  const { bodies, notes } = await firstRequests((body) => [200, completion(body)], runs);
  expect(bodies.map(({ temperature }) => temperature)).toEqual([1, 0.3]);
  expect(notes).toHaveLength(1);
});

test.each(METHOD_NAMES)('the first request of method %s is known before the run', async (method) => {
  const task = await shippedTask('circle-packing-square-26');
  const messages = await firstPrompt(
    task,
    configFrom({ method, model: { name: 'm', baseUrl: 'http://127.0.0.1:1/v1', roles: ['exploit', 'judge'] } }),
  );
  expect(messages[0]?.role).toBe('system');
  expect(messages.at(-1)?.role).toBe('user');
  expect(messages.map(({ content }) => content).join()).toContain(task.initialProgram.trim().split('\n').at(-1));
});

test('a proxy that is named and not used is told where an endpoint cannot be reached', async () => {
  const asked = () => checkEndpoint({ baseUrl: 'http://127.0.0.1:1/v1', model: 'm', apiKey: null });
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:2');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(asked()).rejects.toThrow(/ECONNREFUSED.*; HTTPS_PROXY is used only with NODE_USE_ENV_PROXY=1$/);
  vi.stubEnv('HTTPS_PROXY', undefined);
  await expect(asked()).rejects.not.toThrow(/NODE_USE_ENV_PROXY/);
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
    expect(await checkEndpoint({ ...question, model: 'other' })).toEqual([
      expect.stringContaining('lists no model "other"'),
    ]);
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
