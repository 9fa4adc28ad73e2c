// Every method runs with the offline model alone: its activities over the store in memory, with the real prompts, parsers
// and early checks; candidates are not run.
import { describe, expect, test } from 'vitest';
import type { ChatRequest } from '../../../activities/llm/chat/client.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { replayResponse } from '../../../client/read/requests/replay-response.ts';
import { complete } from '../../../deploy/offline-model/completion.ts';
import { NO_FAULTS, type OfflineModelOptions } from '../../../deploy/offline-model/options.ts';
import { MODEL_ID, readRequest } from '../../../deploy/offline-model/request.ts';
import { METHOD_NAMES } from '../../../evolution/config/names.ts';
import { configFrom } from '../../support/domain/asked-run.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import { conducted, programsOf, run } from '../../support/worlds/conducted.ts';

const STEPS = 5;

const answered = ({ messages, n, seed, maxTokens }: ChatRequest, options: OfflineModelOptions) => {
  const request = readRequest(JSON.stringify({ model: MODEL_ID, messages, n, seed, max_tokens: maxTokens }));
  const { choices, usage } = complete(request, options, 0, false);
  return {
    model: MODEL_ID,
    usage: { in: usage['prompt_tokens']!, out: usage['completion_tokens']! },
    choices: choices.map(({ text, finishReason }) => ({ text: text ?? '', reasoning: null, finishReason })),
  };
};

const play = async (settings: object, faults: Partial<OfflineModelOptions> = {}) => {
  const model = { name: 'offline' };
  const config = configFrom({ batch: 4, responses: 1, limits: { steps: STEPS }, seed: 5, model, ...settings });
  const { store, call, activities, step } = conducted({
    loadTask: shippedTask,
    chat: (request) => answered(request, { ...NO_FAULTS, ...faults }),
  });
  await call(activities.openRun, { run, owner: 'first', config });
  for (let n = 0; n <= STEPS; n++) await step(n);
  return { store, config, programs: await programsOf(store, run, 1) };
};

const documents = async (store: Store, collection: string): Promise<readonly Record<string, unknown>[]> => {
  const found: Record<string, unknown>[] = [];
  for await (const one of store.exportRun(run)) if (one.collection === collection) found.push(one.document);
  return found;
};

/** Whatever in a document is the address of a stored text: of these an export leaves none out. */
const textsNamed = async (store: Store): Promise<readonly string[]> => {
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
