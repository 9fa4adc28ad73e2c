// `evolve train-judge`: what is planned of a training, and what its data and name may not be.
import { beforeEach, describe, expect, it } from 'vitest';
import { createPlanTraining } from '../../../activities/learning/training.ts';
import type { Training, UpdateOrder } from '../../../activities/interface/learning.ts';
import type { PolicyDocument } from '../../../activities/store/documents/learning-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import {
  readTrainRecords,
  requireOwnName,
  storedTraining,
  type TrainingChoice,
  type TrainRecord,
} from '../../../client/learning/train-judge.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

let store: Store;
beforeEach(() => {
  store = memoryStore();
});

const RECORDS: readonly TrainRecord[] = [1, 2, 3, 4, 5].map((rating) => ({
  question: `What is paper ${rating} worth?`,
  response: `\\boxed{${rating}.0}`,
}));
const CHOICE: TrainingChoice = {
  ...{ trainer: 'reference', base: 'bytes', epochs: 2, batchSize: 2, learningRate: 1e-3, seed: 42 },
  ...{ schedule: 'cosine', server: null, serve: 'trainer', serveUrl: null, lora: null },
};
const trainingOf = (choice: Partial<TrainingChoice> = {}, records = RECORDS): Promise<Training> =>
  storedTraining(store, 'judge', records, { ...CHOICE, ...choice });
const planned = async (training: Training) => {
  const { planUpdate } = createPlanTraining(store, { planUpdate: () => Promise.reject(new Error('a run')) });
  return planUpdate({ run: 'judge', step: training.epochs, owner: 'judge', training });
};
/** What the trainer and the commit make of an order. */
const made = async ({ updateId }: UpdateOrder): Promise<PolicyDocument> => {
  const update = (await store.readUpdate('judge', updateId))!;
  const { run, version, parent, step, kind, trainer, base, batch, policy } = update;
  const result = {
    ...{ weightsHash: policy, trainingState: `state of ${policy}`, samplerState: policy, loss: 1, gradNorm: 1 },
    ...{ clipFraction: 0, isClipFraction: 0, mismatch: 0, used: 5, dropped: 0, tokens: 100, seconds: 1 },
  };
  const { weightsHash, trainingState, samplerState } = result;
  const document: PolicyDocument = {
    ...{ _id: policy, run, version, parent, step, updateId, kind, trainer, base, model: policy, baseUrl: null },
    ...{ trainingState, samplerState, weightsHash, batchHash: batch?.hash ?? null, result, reward: null },
    ...{ zeroVariance: 0, costUsd: 0, servedAt: new Date(1), createdAt: new Date(1) },
  };
  await store.commitPolicy(document, 0);
  return document;
};

describe('the training of a judge', () => {
  it('is the base model and a policy for each epoch, one learning rate over all, each found again once it is made', async () => {
    const training = await trainingOf();
    const policies: PolicyDocument[] = [];
    for (;;) {
      const plan = await planned(training);
      // Planned again before it is made, it is the same.
      expect(await planned(await trainingOf())).toEqual(plan);
      if ('settled' in plan) {
        expect(plan.settled).toMatchObject({ learned: 2, policy: { id: policies.at(-1)!._id, version: 2 } });
        break;
      }
      policies.push(await made(plan.order));
    }
    expect(policies.map(({ version, kind }) => [version, kind])).toEqual([
      [0, 'start'],
      [1, 'supervised'],
      [2, 'supervised'],
    ]);
    const updates = await Promise.all(policies.map(({ updateId }) => store.readUpdate('judge', updateId)));
    expect(updates.map((update) => update!.parentState)).toEqual([
      null,
      `state of ${policies[0]!._id}`,
      `state of ${policies[1]!._id}`,
    ]);
    expect(updates.map((update) => (JSON.parse(update!.hyper) as { supervised?: unknown }).supervised)).toEqual([
      undefined,
      { steps: 3, batch: 2, learningRate: 1e-3, schedule: 'cosine', warmup: 2, first: 0, total: 6 },
      { steps: 3, batch: 2, learningRate: 1e-3, schedule: 'cosine', warmup: 2, first: 3, total: 6 },
    ]);
    expect(updates[1]!.batch).toMatchObject({ rows: 5, file: updates[2]!.batch!.file });
    expect(updates[1]!.seed).not.toBe(updates[2]!.seed);
    await requireOwnName(store, 'judge', training);
  });

  it('has the 100 steps of warm-up of the published recipe in as many steps as that has', async () => {
    // 24,445 texts in batches of 128 are 191 steps an epoch (AlphaResearch, Table 1 and 4.1).
    const texts = Array.from({ length: 191 }, () => RECORDS[0]!);
    expect(await trainingOf({ batchSize: 1, schedule: 'linear' }, texts)).toMatchObject({
      ...{ steps: 191, epochs: 2, warmup: 100, schedule: 'linear' },
    });
  });

  it('of other data or settings needs another name, so that <name>@<version> stays what it is', async () => {
    const first = await planned(await trainingOf());
    await made((first as { order: UpdateOrder }).order);
    await made(((await planned(await trainingOf())) as { order: UpdateOrder }).order);
    for (const other of [await trainingOf({ learningRate: 1e-2 }), await trainingOf({}, RECORDS.slice(1))])
      await expect(requireOwnName(store, 'judge', other)).rejects.toThrow(
        /"judge" is trained already, with other data or settings .*choose another name, so that judge@[01] stays/,
      );
  });

  it('names each line of its data that cannot be used', () => {
    expect(readTrainRecords('{"question": "q", "response": "r", "messages": []}\n\n', 'f')).toHaveLength(1);
    expect(() => readTrainRecords('{"question": "q"}\nnonsense\n', 'f')).toThrow(
      /^f:1: expected \{question, response\}, .*\nf:2: expected/,
    );
    expect(() => readTrainRecords('\n', 'f')).toThrow('f: expected at least one line');
  });
});
