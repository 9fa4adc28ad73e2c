// A model that learns: its answers are those of the policy that the step's plan names, their tokens are stored before
// them, and no other version's answer is taken for its own.
import { MockActivityEnvironment } from '@temporalio/testing';
import { ApplicationFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelActivities } from '../../../../activities/interface/step.ts';
import type { UpdateOrder } from '../../../../activities/interface/learning.ts';
import { createVerifyPolicy } from '../../../../activities/learning/verify-policy.ts';
import { createAsk } from '../../../../activities/llm/chat/ask.ts';
import { createGenerate } from '../../../../activities/llm/chat/generate.ts';
import type { PolicyDocument, UpdateDocument } from '../../../../activities/store/documents/learning-documents.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { programId, promptId, stageId } from '../../../../evolution/ids.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import {
  type Completion,
  type Endpoint,
  type EndpointOptions,
  startEndpoint,
} from '../../../support/models/endpoint.ts';
import { createClientFor } from '../../../../workers/models/model-clients.ts';
import { configFrom, runOf } from '../../../support/domain/asked-run.ts';

const POLICY = 'r-v0002-0123abcd';
let store: Store;
const endpoints: Endpoint[] = [];
const serve = async (options: EndpointOptions): Promise<Endpoint> => {
  const endpoint = await startEndpoint({ tokens: 'vllm', ...options });
  endpoints.push(endpoint);
  return endpoint;
};
afterEach(async () => {
  await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.stop()));
});

const policy = (_id: string, fields: Partial<PolicyDocument> = {}): PolicyDocument => ({
  ...{ _id, run: 'r', version: 2, parent: null, step: 0, updateId: 'u', kind: 'policy', trainer: 'reference' },
  ...{ base: 'bytes', model: _id, baseUrl: null, trainingState: 't', samplerState: 's', weightsHash: 'w' },
  ...{ batchHash: 'b', reward: null, zeroVariance: 0, costUsd: 0, servedAt: new Date(1), createdAt: new Date(1) },
  result: RESULT,
  ...fields,
});
const RESULT = {
  ...{ weightsHash: 'w', trainingState: 't', samplerState: 's', loss: 0, gradNorm: 0, clipFraction: 0 },
  ...{ isClipFraction: 0, mismatch: 0, used: 0, dropped: 0, tokens: 0, seconds: 0 },
};

const open = async (settings: object): Promise<void> => {
  const config = configFrom({ batch: 2, responses: 4, learning: { trainer: 'reference', base: 'bytes' }, ...settings });
  await store.createRun({
    ...runOf(config),
  });
  const [system, user] = await store.putTexts(['system text', 'user text']);
  await store.putPrompts([
    {
      ...{ _id: promptId('r', 1, 0, 1), run: 'r', step: 1, epoch: 0, group: 1, system: system!, user: user! },
      ...{ parent: programId('r', 0, 0, 0), island: 0, priorPrograms: [], part: 'p', configVersion: 1, policy: POLICY },
    },
  ]);
  await store.putRequests([
    {
      ...{ _id: stageId(promptId('r', 1, 0, 1), 'idea'), run: 'r', step: 1, epoch: 0, group: 1, stage: 'idea' },
      messages: [{ role: 'user', content: user! }],
    },
  ]);
};
const LEARNS = { model: { name: 'bytes', kind: 'openai', trainable: true, topP: 1, maxTokens: 30_000 } };
const clientsAt = (trainerUrl: string | null) =>
  createClientFor({ home: '/nonexistent', offlineModelUrl: null, trainerUrl, llmSlots: 4 });
const generate = (trainerUrl: string | null, input: Partial<Parameters<ModelActivities['generate']>[0]> = {}) =>
  new MockActivityEnvironment().run(createGenerate({ store, clientFor: clientsAt(trainerUrl) }).generate, {
    ...{ run: 'r', step: 1, epoch: 0, version: 1, group: 1, first: 0, count: 4, responses: 4, ...input },
  });
/** The plan of a group, without a policy. */
const plan = async () => {
  const { policy: _, ...rest } = (await store.getPrompts([promptId('r', 1, 0, 1)])).values().next().value!;
  return rest;
};
const ids = [4, 5, 6, 7].map((slot) => programId('r', 1, 0, slot));
const rollouts = async () => [...(await store.getRollouts(ids)).values()];
const failure = async (promise: Promise<unknown>): Promise<ApplicationFailure> => {
  const error = await promise.then(
    () => null,
    (one: unknown) => one,
  );
  expect(error).toBeInstanceOf(ApplicationFailure);
  return error as ApplicationFailure;
};

beforeEach(() => {
  store = memoryStore();
});

describe('a model that learns', () => {
  it('answers as the policy of its plan, at the server of policies, with the tokens of each answer stored', async () => {
    const { url, asked } = await serve({ models: [POLICY] });
    await open(LEARNS);
    await store.commitPolicy(policy(POLICY, { run: 'other' }), 0);
    expect(await generate(url)).toMatchObject({ stored: [4, 5, 6, 7], missing: [] });
    // An answer of 30,000 tokens with ids and logprobs is large, so a request is for two of them.
    expect(asked.map(({ model, n }) => [model, n])).toEqual([
      [POLICY, 2],
      [POLICY, 2],
    ]);
    const samples = await store.getSamples(ids);
    const texts = await store.getTexts((await rollouts()).map(({ response }) => response));
    for (const rollout of await rollouts()) {
      const sample = samples.get(rollout._id)!;
      expect(rollout).toMatchObject({ policy: POLICY, model: POLICY, asked: 'bytes' });
      expect(sample).toMatchObject({
        policy: POLICY,
        group: 1,
        role: 'exploit',
        truncated: false,
        text: rollout.response,
      });
      expect(Buffer.from(sample.response.slice(0, -1)).toString('utf8')).toBe(texts.get(rollout.response));
      expect(Buffer.from(sample.prompt).toString('utf8')).toContain('user text');
      expect(sample.logprobs).toHaveLength(sample.response.length);
    }
    expect(samples.size).toBe(4);
  });

  it('keeps an answer whose tokens are broken, and does not learn from it; a cut answer is truncated', async () => {
    let number = 0;
    const altered = (body: Completion): object => ({
      ...body,
      choices: body.choices.map((choice) => {
        number += 1;
        return number === 1
          ? { ...choice, token_ids: [1] }
          : { ...choice, finish_reason: number === 2 ? 'length' : 'stop' };
      }),
    });
    const { url } = await serve({ models: [POLICY], altered });
    await open(LEARNS);
    await store.commitPolicy(policy(POLICY, { run: 'other' }), 0);
    await generate(url);
    expect(await rollouts()).toHaveLength(4);
    const samples = await store.getSamples(ids);
    expect(ids.map((id) => samples.get(id)?.truncated)).toEqual([undefined, true, false, false]);
  });

  it('takes the text of the sample that was stored first, so that text and tokens belong together', async () => {
    const { url } = await serve({ models: [POLICY] });
    await open(LEARNS);
    await store.commitPolicy(policy(POLICY, { run: 'other' }), 0);
    const [text] = await store.putTexts(['the answer of a zombie']);
    await store.putSamples([
      {
        ...{ id: ids[0]!, run: 'r', step: 1, epoch: 0, group: 1, role: 'exploit', policy: POLICY, text: text! },
        ...{ prompt: Int32Array.of(1), response: Int32Array.of(2), logprobs: Float32Array.of(-1) },
        ...{ truncated: true, finishReason: 'length' },
      },
    ]);
    await generate(url);
    expect((await store.getRollouts([ids[0]!])).get(ids[0]!)).toMatchObject({ response: text, finishReason: 'length' });
  });

  it('has no answer of another version stored, nor one of another model when its server is away', async () => {
    const { url, asked } = await serve({
      models: [POLICY],
      altered: (body) => ({ ...body, model: 'r-v0001-99999999' }),
    });
    const other = await serve({ models: ['big'] });
    await open({ ...LEARNS, models: [{ name: 'big', baseUrl: other.url, roles: ['meta'] }] });
    await store.commitPolicy(policy(POLICY, { run: 'other' }), 0);
    const error = await failure(generate(url));
    expect(error).toMatchObject({ nonRetryable: false });
    expect(error.message).toMatch(/expected an answer of policy r-v0002-0123abcd, got one of r-v0001-99999999/);
    expect(asked).toHaveLength(1);
    expect(await rollouts()).toEqual([]);
    expect((await store.getSamples(ids)).size).toBe(0);
    await expect(generate(null)).rejects.toThrow(/the server of policies, .*`evolve up --learn` starts it/);
    expect(other.arrived()).toBe(0);
  });

  it('that answers in text alone ends the asking with the setting that is wrong', async () => {
    const { url } = await serve({
      models: [POLICY],
      altered: ({ prompt_token_ids: _, ...body }) => withoutTokens(body),
    });
    await open(LEARNS);
    await store.commitPolicy(policy(POLICY, { run: 'other' }), 0);
    const error = await failure(generate(url));
    expect(error).toMatchObject({ nonRetryable: true });
    expect(error.message).toMatch(/answers without token ids and logprobs: set model\.trainable to false/);
  });

  it('is not asked in a step that was planned before it was there, unless it has an endpoint of its own', async () => {
    const { url, asked } = await serve({ models: ['own'] });
    await open(LEARNS);
    await store.putPrompts([{ ...(await plan()), _id: promptId('r', 2, 0, 0), step: 2, group: 0 }]);
    const first = { step: 2, group: 0, count: 1, responses: 1 };
    expect(await failure(generate(url, first))).toMatchObject({ type: 'ModelRefused', nonRetryable: true });
    store = memoryStore();
    await open({ model: { ...LEARNS.model, name: 'own', baseUrl: url } });
    await store.putPrompts([{ ...(await plan()), _id: promptId('r', 2, 0, 0), step: 2, group: 0 }]);
    await generate(null, first);
    expect(asked).toHaveLength(1);
    expect((await store.getSamples([programId('r', 2, 0, 0)])).size).toBe(0);
  });

  it('stores the tokens of an idea, too', async () => {
    const { url } = await serve({ models: [POLICY] });
    await open(LEARNS);
    await store.commitPolicy(policy(POLICY, { run: 'other' }), 0);
    await new MockActivityEnvironment().run(createAsk({ store, clientFor: clientsAt(url) }).ask, {
      ...{ run: 'r', step: 1, epoch: 0, version: 1, group: 1, stage: 'idea' as const },
    });
    const id = stageId(promptId('r', 1, 0, 1), 'idea');
    expect((await store.getSamples([id])).get(id)).toMatchObject({ role: 'idea', policy: POLICY });
    expect((await store.getCalls([id])).get(id)).toMatchObject({ policy: POLICY });
  });
});

describe('model.policy', () => {
  it('is asked at the endpoint of that policy, without tokens, and the one of a name that is gone says what there is', async () => {
    const { url, asked } = await serve({ models: ['judge-v0001-0123abcd'] });
    await open({
      learning: { trainer: 'none' },
      model: { name: 'm', kind: 'openai', baseUrl: 'http://a/v1', policy: 'judge@1' },
    });
    const fields = { run: 'judge', version: 1, baseUrl: url };
    await store.commitPolicy(policy('judge-v0001-0123abcd', fields), 0);
    await generate(null);
    expect(asked.map(({ model }) => model)).toEqual(['judge-v0001-0123abcd']);
    expect(await rollouts()).toMatchObject([{ policy: 'judge-v0001-0123abcd' }, {}, {}, {}]);
    expect((await store.getSamples(ids)).size).toBe(0);
  });

  it('that nobody trained is told with the versions that there are', async () => {
    await open({
      learning: { trainer: 'none' },
      model: { name: 'm', kind: 'openai', baseUrl: 'http://a/v1', policy: 'judge@7' },
    });
    await store.commitPolicy(policy('judge-v0001-0123abcd', { run: 'judge', version: 1 }), 0);
    await expect(generate(null)).rejects.toThrow(/got judge@7: judge has the versions 1 \(`evolve policies judge`\)/);
  });
});

describe('verifyPolicy', () => {
  const order: UpdateOrder = {
    ...{ run: 'r', step: 1, generation: 0, updateId: 'u', kind: 'policy', trainer: 'reference', policy: POLICY },
    ...{ version: 2, rollouts: 1, tokens: 1 },
  };
  const verify = async (url: string, served: string = POLICY, patienceMs = 0) => {
    const update: UpdateDocument = {
      ...{ _id: 'r:u', run: 'r', updateId: 'u', step: 1, kind: 'policy', version: 2, parent: null, policy: POLICY },
      ...{ trainer: 'reference', base: 'bytes', seed: 1, server: null, serve: 'trainer', serveUrl: null },
      ...{ parentState: null, batch: null, hyper: '{"temperature":0.8}', state: 'published', operations: [] },
      ...{ result: RESULT, served: { baseUrl: url, model: served }, servedAt: null, createdAt: new Date(1) },
      stats: { reward: null, groups: 0, zeroVariance: 0, missing: 0, truncated: 0 },
    };
    await store.putUpdate(update);
    const { verifyPolicy } = createVerifyPolicy({ store, clientFor: clientsAt(null), patienceMs });
    return new MockActivityEnvironment().run((given: UpdateOrder) => verifyPolicy(given), order) as ReturnType<
      typeof verifyPolicy
    >;
  };

  it('passes with an answer under the name of the policy, which may come late, and notes when', async () => {
    const models: string[] = [];
    const { url } = await serve({ models });
    setTimeout(() => models.push(POLICY), 50);
    const { baseUrl, servedAtMs } = await verify(url, POLICY, 60_000);
    expect(baseUrl).toBe(url);
    expect((await store.readUpdate('r', 'u'))?.servedAt?.getTime()).toBe(servedAtMs);
  });

  it.each([
    [
      'another version',
      { altered: (body: Completion) => ({ ...body, model: 'old' }) },
      /expected an answer of r-v0002-0123abcd, got one of old.*learning\.serveUrl/,
    ],
    ['no such model', { models: [] }, /does not serve policy r-v0002-0123abcd: .*it has no model of that name/],
    ['text alone', { altered: (body: Completion) => withoutTokens(body) }, /answers without token ids and logprobs/],
  ] as const)('refuses %s', async (_, options, message) => {
    const { url } = await serve({ models: [POLICY], ...options });
    const error = await failure(verify(url));
    expect(error.type).toBe('PolicyNotServed');
    expect(error.message).toMatch(message);
    expect((await store.readUpdate('r', 'u'))?.servedAt).toBeNull();
  });
});

const withoutTokens = (body: Pick<Completion, 'choices'>): object => ({
  ...body,
  choices: body.choices.map(({ token_ids: _, logprobs: __, ...choice }) => choice),
});
