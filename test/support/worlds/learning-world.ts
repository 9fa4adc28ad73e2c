// Runs that learn, over the store in memory: what they sampled and what a trainer would answer is made by arithmetic.
import { MockActivityEnvironment } from '@temporalio/testing';
import { tableFromIPC } from 'apache-arrow';
import { createPlanUpdate } from '../../../activities/learning/plan-update.ts';
import type { LearningBrief, UpdateOrder } from '../../../activities/interface/learning.ts';
import type { Store } from '../../../activities/store/store.ts';
import { shippedTask } from '../domain/shipped-tasks.ts';
import { sha256 } from '../../../activities/sha256.ts';
import { policyOf, RESULT } from '../../activities/store/learning/learning-fixtures.ts';
import { collect } from '../../activities/store/fixtures.ts';

export const LEARNS = {
  learning: { trainer: 'reference', base: 'bytes' },
  model: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', name: 'm', trainable: true },
};

type Plan = { readonly settled: LearningBrief } | { readonly order: UpdateOrder };

export const learner = (store: Store, run: string) => {
  const activities = createPlanUpdate({
    store,
    loadTask: shippedTask,
    answers: async (messages, seed, n) =>
      Array.from({ length: n }, (_, at) => `${messages.length} messages, seed ${seed + at}`),
  });
  const plan = (step: number): Promise<Plan> =>
    new MockActivityEnvironment().run(activities.planUpdate, { run, step, owner: 'update' });
  /** Plans what is left of a step and commits it, as if a trainer had made each policy. */
  const settle = async (
    step: number,
  ): Promise<{ readonly orders: readonly UpdateOrder[]; readonly brief: LearningBrief }> => {
    const orders: UpdateOrder[] = [];
    for (;;) {
      const next = await plan(step);
      if ('settled' in next) return { orders, brief: next.settled };
      orders.push(next.order);
      const { updateId, policy, version, kind, generation } = next.order;
      const { parent, base, batch } = (await store.readUpdate(run, updateId))!;
      const result = { ...RESULT, weightsHash: sha256(updateId), trainingState: policy, samplerState: policy };
      await store.moveUpdate(run, updateId, ['planned'], { state: 'applied', result });
      await store.commitPolicy(
        {
          ...policyOf(run, version, step, parent),
          ...{ _id: policy, updateId, kind, base, model: policy },
          batchHash: batch?.hash ?? null,
          weightsHash: result.weightsHash,
          result,
        },
        generation,
      );
    }
  };
  return { plan, settle };
};

/** The rows of a stored batch, as a reader of Arrow sees them, and its metadata. */
export const readBatch = async (store: Store, run: string, updateId: string) => {
  const { batch } = (await store.readUpdate(run, updateId))!;
  const chunks = await collect(store.readBatch(batch!));
  const table = tableFromIPC(Buffer.concat(chunks));
  const rows = table.toArray().map((row: { toJSON(): Record<string, unknown> }) => row.toJSON());
  return { rows, metadata: Object.fromEntries(table.schema.metadata), batch: batch! };
};
