// Issue 6, item 10: every method runs with the offline model alone. Its activities over the store in memory, with the
// real prompts, parsers and early checks; candidates are not run.
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { createAsk } from '../../../activities/llm/chat/ask.ts';
import type { ModelClient } from '../../../activities/llm/chat/client.ts';
import { createGenerate } from '../../../activities/llm/chat/generate.ts';
import { createRunActivities } from '../../../activities/run/open-run.ts';
import { createNoopEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { createAdvance } from '../../../activities/step/ask/advance.ts';
import { createApplyResponses } from '../../../activities/step/apply/apply-responses.ts';
import { createCommitStep } from '../../../activities/step/commit/commit-step.ts';
import { createEvaluate } from '../../../activities/step/evaluate/evaluate.ts';
import { createPlanStep } from '../../../activities/step/plan/plan-step.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import { replayResponse } from '../../../client/read/requests/replay-response.ts';
import { complete } from '../../../deploy/offline-model/completion.ts';
import { NO_FAULTS, type OfflineModelOptions } from '../../../deploy/offline-model/options.ts';
import { MODEL_ID, readRequest } from '../../../deploy/offline-model/request.ts';
import { METHOD_NAMES } from '../../../evolution/config/names.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const run = 'r';
const STEPS = 5;

const offline = (options: OfflineModelOptions): ModelClient => ({
  models: async () => [MODEL_ID],
  chat: async ({ messages, n, seed, maxTokens }) => {
    const { choices, usage } = complete(
      readRequest(JSON.stringify({ model: MODEL_ID, messages, n, seed, max_tokens: maxTokens })),
      options,
      0,
      false,
    );
    return {
      model: MODEL_ID,
      usage: { in: usage['prompt_tokens']!, out: usage['completion_tokens']! },
      choices: choices.map(({ text, finishReason }) => ({ text: text ?? '', reasoning: null, finishReason })),
    };
  },
});

const play = async (settings: object, faults: Partial<OfflineModelOptions> = {}) => {
  const store = memoryStore();
  const config = configFrom({
    batch: 4,
    responses: 1,
    limits: { steps: STEPS },
    seed: 5,
    model: { name: 'offline' },
    ...settings,
  });
  const noop = createNoopEvaluator();
  const clientFor = async () => ({ model: MODEL_ID, client: offline({ ...NO_FAULTS, ...faults }) });
  const activities = {
    ...createRunActivities({ store, loadTask: shippedTask }),
    ...createPlanStep({ store, loadTask: shippedTask }),
    ...createAsk({ store, clientFor }),
    ...createAdvance({ store, loadTask: shippedTask }),
    ...createGenerate({ store, clientFor }),
    ...createApplyResponses({ store, loadTask: shippedTask }),
    ...createEvaluate({
      store,
      evaluatorFor: async () => ({
        isolation: 'fake',
        evaluate: (job, signal) => noop.evaluate({ ...job, scoring: 'tolerant' }, signal),
      }),
    }),
    ...createCommitStep({ store, loadTask: shippedTask }),
  };
  const call = <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> =>
    new MockActivityEnvironment().run(work as (input: unknown) => Promise<T>, input) as Promise<T>;
  await call(activities.openRun, { run, owner: 'first', config });
  for (let step = 0; step <= STEPS; step += 1) {
    const plan = await call(activities.planStep, { run, step, owner: 'first' });
    const ref = { run, step, epoch: plan.epoch, version: plan.version };
    const evaluate = [...plan.evaluate];
    for (let group = 0; group < plan.groups; group += 1) {
      let stage = plan.preludes?.find((prelude) => prelude.group === group)?.stage ?? null;
      let refused = false;
      while (stage !== null) {
        await call(activities.ask, { ...ref, group, stage });
        ({ next: stage, refused } = await call(activities.advance, { ...ref, group, stage, failed: null }));
      }
      if (refused) continue;
      const { stored } = await call(activities.generate, {
        ...ref,
        group,
        first: 0,
        count: plan.responses,
        responses: plan.responses,
      });
      evaluate.push(...(await call(activities.applyResponses, { ...ref, slots: stored, final: stored })).evaluate);
    }
    if (evaluate.length > 0) await call(activities.evaluate, { ...ref, slots: evaluate });
    await call(activities.commitStep, { ...ref, generation: plan.generation, injected: plan.injected, omitted: [] });
  }
  const programs: ProgramDocument[] = [];
  for await (const program of store.eachProgram(run, { fromStep: 1 })) programs.push(program);
  return { store, config, programs };
};

const documents = async (
  store: ReturnType<typeof memoryStore>,
  collection: string,
): Promise<readonly Record<string, unknown>[]> => {
  const found: Record<string, unknown>[] = [];
  for await (const one of store.exportRun(run)) if (one.collection === collection) found.push(one.document);
  return found;
};

/** Whatever in a document is the address of a stored text: of these an export leaves none out. */
const textsNamed = async (store: ReturnType<typeof memoryStore>): Promise<readonly string[]> => {
  const addresses = new Set<string>();
  for await (const one of store.exportRun(run))
    for (const [address] of JSON.stringify(one.document).matchAll(/\b[0-9a-f]{64}\b/g)) addresses.add(address);
  return [...(await store.getTexts([...addresses])).keys()].sort();
};

const share = (programs: readonly ProgramDocument[], outcomes: readonly string[]): number =>
  programs.filter(({ outcome }) => outcomes.includes(outcome)).length / programs.length;

/** The promises of one method. */
const OWN: { readonly [method: string]: (played: Awaited<ReturnType<typeof play>>) => Promise<void> } = {
  delta: async ({ store, programs }) => {
    const deltas = await store.getDeltas(programs.map(({ _id }) => _id));
    expect([...deltas.values()].map(({ change }) => change?.status)).toEqual(programs.map(() => 'full'));
  },
  // Some ideas pass the gate and some do not, and each program carries out its own.
  research: async ({ store, programs }) => {
    expect(share(programs, ['rejected'])).toBeGreaterThan(0.1);
    expect(share(programs, ['rejected'])).toBeLessThan(0.9);
    const calls = await documents(store, 'calls');
    expect(new Set(calls.map(({ stage }) => stage))).toEqual(new Set(['idea', 'judge']));
    expect(programs.every(({ idea }) => idea !== undefined)).toBe(true);
  },
};

describe('every method runs with the offline model', () => {
  test.each(METHOD_NAMES)('%s', async (method) => {
    const { store, config, programs } = await play({ method });
    expect(programs).toHaveLength(STEPS * config.batch * config.responses);
    expect(share(programs, ['unparsed', 'idea_failed', 'rm_failed', 'no_diff'])).toBe(0);
    const asked = programs.filter(({ outcome }) => outcome !== 'rejected');
    expect(share(asked, ['valid'])).toBeGreaterThan(0.6);
    expect((await documents(store, 'blobs')).map(({ _id }) => _id)).toEqual(await textsNamed(store));
    for (const { _id } of asked.slice(0, 8))
      expect(await replayResponse(store, _id, {})).toMatchObject({ equal: true });
    await OWN[method]?.({ store, config, programs });
  });

  test.each(METHOD_NAMES)('%s, also where half of the answers are garbage or empty', async (method) => {
    const { config, programs } = await play({ method }, { rateGarbage: 0.4, rateEmpty: 0.1 });
    expect(programs).toHaveLength(STEPS * config.batch * config.responses);
    expect(share(programs, ['valid', 'rejected'])).toBeGreaterThan(0.1);
  });

  test('code: the auxiliary model makes new prompts, and programs are asked with them', async () => {
    const { store, programs } = await play({
      method: 'code',
      exploration: { schedule: 'constant', start: 1, min: 0, max: 1 },
      population: { initialisation: 1 },
    });
    const calls = await documents(store, 'calls');
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.every(({ stage }) => stage === 'meta')).toBe(true);
    expect(new Set(programs.map(({ prompt }) => prompt?.id)).size).toBeGreaterThan(2);
  });

  test('whole programs in place of edits', async () => {
    const { programs } = await play({ diff: { accept: 'program' } });
    expect(share(programs, ['no_diff'])).toBe(0);
    expect(share(programs, ['valid'])).toBeGreaterThan(0.6);
  });
});
