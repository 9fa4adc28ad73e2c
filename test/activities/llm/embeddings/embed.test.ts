// The activity `embed`: each program is paid for once, near-duplicates of what was alive at the step's start are
// found, and nothing else.
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Embedded } from '../../../../activities/interface/step.ts';
import { ModelError } from '../../../../activities/llm/chat/client.ts';
import type { EmbeddingRequest } from '../../../../activities/llm/embeddings/client.ts';
import { createEmbed } from '../../../../activities/llm/embeddings/embed.ts';
import { packVector, unitVector, unpackVector } from '../../../../activities/llm/embeddings/vectors.ts';
import type { EmbeddingDocument } from '../../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../../activities/store/store.ts';
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { answeredId, programId } from '../../../../evolution/ids.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { commitOf, config, delta, newRun, prompt } from '../../store/fixtures.ts';

// After step 1 the programs of steps 0 and 1 are alive, slot s on island s % 3. Step 2 has slots 0 and 1 on island 0,
// 2 and 3 on island 1; its programs' codes are the vectors that they shall have.
const RUN = 'r';
const OLD = (step: number, slot: number): string => programId(RUN, step, 0, slot);
const NEW = (slot: number): string => programId(RUN, 2, 0, slot);
const direction = (degrees: number): string =>
  `${Math.cos((degrees * Math.PI) / 180)} ${Math.sin((degrees * Math.PI) / 180)}`;
const similarity = (degrees: number): number => Math.cos((degrees * Math.PI) / 180);

let store: Store;
let asked: EmbeddingRequest[];
let configs: RunConfig[];
beforeEach(() => {
  [store, asked, configs] = [memoryStore(), [], []];
});

type Scene = {
  readonly embedding?: Partial<RunConfig['embedding']>;
  /** Degrees of the programs alive, by step and slot. */
  readonly old?: readonly (readonly [step: number, slot: number, degrees: number])[];
  readonly codes: readonly string[];
  readonly references?: readonly string[];
  /** Slots that have no parent: injected. */
  readonly injected?: readonly number[];
};
const scene = async ({ embedding, old = [], codes, references = [], injected = [] }: Scene): Promise<void> => {
  const settings: RunConfig = {
    ...config(),
    embedding: { ...config().embedding, model: 'm', threshold: 0.99, price: 2, ...embedding },
  };
  await store.createRun({ ...newRun(RUN), config: settings });
  for (const step of [0, 1]) {
    const commit = commitOf(RUN, step, await store.openStep(RUN, step, 'w'));
    await store.commit({
      ...commit,
      changeSet: { ...commit.changeSet, state: { ...commit.changeSet.state, references } },
    });
  }
  await store.putEmbeddings(
    old.map(([step, slot, degrees]): EmbeddingDocument => ({
      _id: OLD(step, slot),
      run: RUN,
      step,
      model: 'm',
      vector: packVector(unitVector(direction(degrees).split(' ').map(Number))),
      nearest: null,
      duplicate: false,
      distance: 0,
      tokens: 0,
      costUsd: 0,
    })),
  );
  await store.putPrompts([prompt(RUN, 2, 0), prompt(RUN, 2, 1)]);
  const refs = await store.putTexts(codes);
  await store.putDeltas(
    refs.map((code, slot) => ({
      ...delta(RUN, 2, slot),
      code,
      ...(injected.includes(slot) ? { parent: null, island: 0 } : {}),
    })),
  );
};
const vectorOf = (text: string): number[] => text.split(' ').map(Number);

const embed = (
  slots: readonly number[],
  answers: (request: EmbeddingRequest) => Error | null = () => null,
  final: readonly number[] = [],
): Promise<Embedded> => {
  const client = {
    async embed(request: EmbeddingRequest) {
      asked.push(request);
      const error = answers(request);
      if (error) throw error;
      return { vectors: request.texts.map(vectorOf), tokens: 10 * request.texts.length };
    },
  };
  const activity = createEmbed({
    store,
    islandOf: async () => {
      throw new Error('no step here is within a window');
    },
    clientFor: async (given) => {
      configs.push(given);
      return { client, model: 'their-name' };
    },
  });
  return new MockActivityEnvironment().run(activity.embed, {
    run: RUN,
    step: 2,
    epoch: 0,
    version: 1,
    ...{ slots, final },
  }) as Promise<Embedded>;
};
const stored = async (slot: number): Promise<EmbeddingDocument> =>
  (await store.getEmbeddings([NEW(slot)])).get(NEW(slot))!;

describe('embed', () => {
  it('stores unit vectors, what they cost, and asks with the settings', async () => {
    await scene({ embedding: { dimensions: 2, timeoutSeconds: 7 }, codes: ['3 4', '0 1'] });
    expect(await embed([0, 1])).toEqual({ evaluate: [0, 1], tokens: 20, costUsd: (20 * 2) / 1e6 });
    expect(asked).toMatchObject([{ texts: ['3 4', '0 1'], model: 'their-name', dimensions: 2, timeoutMs: 7_000 }]);
    const first = await stored(0);
    expect(unpackVector(first.vector)).toEqual(Float32Array.of(0.6, 0.8));
    expect(first).toMatchObject({
      run: RUN,
      step: 2,
      model: 'm',
      duplicate: false,
      tokens: 10,
      costUsd: (10 * 2) / 1e6,
    });
  });

  it('finds what is more similar than the threshold to a program of its own island', async () => {
    await scene({
      old: [
        [1, 0, 0],
        [1, 1, 90],
      ],
      codes: [direction(5), direction(90), direction(91), direction(10)],
    });
    expect((await embed([0, 1, 2, 3])).evaluate).toEqual([1, 3]);
    expect(await stored(0)).toMatchObject({
      duplicate: true,
      nearest: { program: OLD(1, 0), similarity: expect.closeTo(similarity(5), 5) },
    });
    expect(await stored(1)).toMatchObject({
      duplicate: false,
      nearest: { program: OLD(1, 0), similarity: expect.closeTo(0, 5) },
    });
    expect(await stored(2)).toMatchObject({ duplicate: true, nearest: { program: OLD(1, 1) } });
    expect(await stored(3)).toMatchObject({
      duplicate: false,
      nearest: { program: OLD(1, 1), similarity: expect.closeTo(similarity(80), 5) },
    });
  });

  it('with a judge, a near-duplicate is asked about, and is new where nobody could be asked', async () => {
    await scene({ embedding: { judge: true }, old: [[1, 0, 0]], codes: [direction(5), direction(90)] });
    expect(await embed([0, 1])).toMatchObject({ evaluate: [1], asks: [{ stage: 'novelty', slot: 0 }] });
    const id = answeredId(NEW(0), 'novelty');
    expect((await store.getRequests([id])).get(id)).toMatchObject({ stage: 'novelty', step: 2, group: 0 });
    expect((await embed([0], undefined, [0])).evaluate).toEqual([0]);
  });

  it('compares with all that are alive when asked to', async () => {
    await scene({
      embedding: { scope: 'population' },
      old: [
        [0, 2, 45],
        [1, 0, 0],
        [1, 1, 90],
      ],
      codes: [direction(89), direction(46), direction(30)],
    });
    expect((await embed([0, 1, 2])).evaluate).toEqual([2]);
    expect((await stored(0)).nearest!.program).toBe(OLD(1, 1));
    expect((await stored(1)).nearest!.program).toBe(OLD(0, 2));
    expect((await stored(2)).nearest!.program).toBe(OLD(0, 2));
  });

  it('takes what is as similar as the threshold, and not more, for another program', async () => {
    await scene({ embedding: { threshold: 1 }, old: [[1, 0, 0]], codes: [direction(0)] });
    expect((await embed([0])).evaluate).toEqual([0]);
  });

  it('judges nobody without a threshold, and what a person wanted never', async () => {
    await scene({ old: [[1, 0, 0]], codes: [direction(0), direction(0)], injected: [1] });
    expect((await embed([0, 1])).evaluate).toEqual([1]);
    expect(await stored(1)).toMatchObject({ nearest: null, duplicate: false });
    [store, asked] = [memoryStore(), []];
    await scene({ embedding: { threshold: null }, old: [[1, 0, 0]], codes: [direction(0)] });
    expect((await embed([0])).evaluate).toEqual([0]);
    expect(await stored(0)).toMatchObject({ nearest: null, duplicate: false });
  });

  it('goes by the programs at the start of the step: children of one step are not compared', async () => {
    await scene({ codes: [direction(0), direction(0), direction(0)] });
    expect((await embed([0])).evaluate).toEqual([0]);
    expect((await embed([1, 2])).evaluate).toEqual([1, 2]);
  });

  it('passes programs by that have no vector, one of another model or of another length', async () => {
    await scene({ old: [[1, 0, 0]], codes: ['1 0 0', direction(0)] });
    await store.putEmbeddings([
      { ...(await store.getEmbeddings([OLD(1, 0)])).get(OLD(1, 0))!, _id: OLD(0, 0), model: 'other' },
    ]);
    expect((await embed([0, 1])).evaluate).toEqual([0]);
    expect(await stored(0)).toMatchObject({ nearest: null });
    expect((await stored(1)).nearest!.program).toBe(OLD(1, 0));
  });

  it('measures the mean distance to the reference programs', async () => {
    await scene({
      embedding: { threshold: null },
      old: [
        [0, 0, 0],
        [0, 1, 90],
        [1, 0, 180],
      ],
      codes: [direction(0)],
      references: [OLD(0, 0), OLD(0, 1), OLD(0, 2)],
    });
    await embed([0]);
    expect((await stored(0)).distance).toBeCloseTo((0 + 1) / 2, 6);
  });

  it('asks nothing again that is stored, and says the same', async () => {
    await scene({ old: [[1, 0, 0]], codes: [direction(1), direction(50)] });
    const first = await embed([0, 1]);
    asked = [];
    expect(await embed([0, 1], () => new Error('asked'))).toEqual(first);
    expect(asked).toEqual([]);
    expect(await embed([1])).toEqual({ evaluate: [1], tokens: 10, costUsd: expect.any(Number) });
  });

  it('keeps what was paid when a later request fails, and asks for the rest only', async () => {
    const codes = Array.from({ length: 40 }, (_, index) => direction(index));
    await scene({ embedding: { threshold: null }, codes: codes.slice(0, 4) });
    const [again] = await store.putTexts(['1 1']);
    await store.putDeltas(
      Array.from({ length: 36 }, (_, index) => ({ ...delta(RUN, 2, 4 + index), code: again!, parent: null })),
    );
    const slots = codes.map((_, slot) => slot);
    const failing = embed(slots, () =>
      asked.length === 2 ? new ModelError('busy', { status: 429, fatal: false, retryAfterMs: 4_000 }) : null,
    );
    await expect(failing).rejects.toMatchObject({
      type: 'ModelUnavailable',
      nextRetryDelay: 4_000,
      nonRetryable: false,
    });
    asked = [];
    expect(await embed(slots)).toMatchObject({ evaluate: slots, tokens: 400 });
    expect(asked.map(({ texts }) => texts.length)).toEqual([8]);
  });

  it('fails without retry when the endpoint refuses for good', async () => {
    await scene({ codes: [direction(0)] });
    await expect(
      embed([0], () => new ModelError('bad key', { status: 401, fatal: true, retryAfterMs: null })),
    ).rejects.toMatchObject({ type: 'ModelRefused', nonRetryable: true, message: 'bad key' });
  });

  it('does not judge a program by its beginning', async () => {
    const long = `1 0${' '.repeat(2_000)}`;
    await scene({ old: [[1, 0, 0]], codes: [long] });
    const tooLong = ({ texts }: EmbeddingRequest): Error | null =>
      texts[0]!.length > 1_500 ? new ModelError('too long', { status: 400, fatal: true, retryAfterMs: null }) : null;
    expect((await embed([0], tooLong)).evaluate).toEqual([0]);
    expect(await stored(0)).toMatchObject({ cut: true, nearest: null, duplicate: false });
    expect((await stored(0)).vector.byteLength).toBeGreaterThan(0);
  });

  it('goes on without a vector where the code is blank', async () => {
    await scene({ old: [[1, 0, 0]], codes: ['', direction(50)], references: [OLD(1, 0)] });
    expect(await embed([0, 1])).toMatchObject({ evaluate: [0, 1], tokens: 10 });
    expect(await stored(0)).toMatchObject({ cut: true, nearest: null, distance: 0, tokens: 0 });
  });

  it('asks where the newest settings say, and judges by those of the step', async () => {
    await scene({ old: [[1, 0, 0]], codes: [direction(20)] });
    const before = await store.readConfig(RUN, 1);
    await store.setConfig(
      RUN,
      {
        ...before,
        embedding: { ...before.embedding, baseUrl: 'http://elsewhere/v1', timeoutSeconds: 3, threshold: 0.5, price: 0 },
      },
      1,
    );
    expect(await embed([0])).toEqual({ evaluate: [0], tokens: 10, costUsd: 0 });
    expect(configs[0]!.embedding.baseUrl).toBe('http://elsewhere/v1');
    expect(asked[0]).toMatchObject({ timeoutMs: 3_000 });
  });

  it("compares with no other population than that of the step's start", async () => {
    await scene({ codes: [direction(0)] });
    await store.commit(commitOf(RUN, 2, await store.openStep(RUN, 2, 'w')));
    await expect(embed([0])).rejects.toMatchObject({ type: 'SupersededError', nonRetryable: true });
    expect(asked).toEqual([]);
  });
});
