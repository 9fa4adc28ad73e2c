// The result of a trainer becomes a policy of the run, with its cost, and the run is told where it is.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { UpdateOrder } from '../../../activities/interface/learning.ts';
import { createCommitPolicy } from '../../../activities/learning/commit-policy.ts';
import { moneyOf } from '../../../activities/store/steps/paid.ts';
import type { Store } from '../../../activities/store/store.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { config, grow, newRun } from '../store/fixtures.ts';
import { policyOf, RESULT, updateOf } from '../store/learning/learning-fixtures.ts';

const learning = { ...config().learning, trainer: 'reference' as const, price: { train: 2 } };

/** No weights are on this machine. */
const NOWHERE = join(tmpdir(), 'evolve-no-policies');

const began = async (): Promise<Store> => {
  const store = memoryStore();
  await grow(store, 'r', 1);
  await store.setConfig('r', { ...config(), learning }, 1);
  await store.commitPolicy(policyOf('r', 0, 0, null), 1);
  await store.settleStep('r', 0, 1);
  return store;
};
const order = (update: ReturnType<typeof updateOf>): UpdateOrder => ({
  ...{ run: update.run, step: update.step, generation: 1, updateId: update.updateId, kind: update.kind },
  ...{ trainer: update.trainer, policy: update.policy, version: update.version, rollouts: 4, tokens: 1000 },
});
const applied = (): ReturnType<typeof updateOf> => ({
  ...updateOf('r', 'u1'),
  parent: policyOf('r', 0, 0, null)._id,
  state: 'published',
  result: RESULT,
  served: { baseUrl: 'http://server/v1', model: 'served name' },
  servedAt: new Date(7),
});

it('commits what the update says, once, and counts its cost among what the run has paid', async () => {
  const store = await began();
  const { commitPolicy } = createCommitPolicy({ store, policies: NOWHERE });
  const update = await store.putUpdate(applied());
  const brief = await commitPolicy(order(update));
  expect(brief).toEqual({
    ...{ on: true, version: 2, trainer: 'reference', lag: 0, learned: 1 },
    policy: { id: update.policy, version: 1 },
    last: 'version 1, of step 1: reward 0.5 (best 1), loss -0.5, beyond the clip 0 %, importance weight bounded 12.5 %, mismatch 0.01 nats, 1,000 tokens, 2 s',
    paid: { programs: 4, tokens: 480, costUsd: 0.002 },
  });
  expect(await commitPolicy(order(update))).toEqual(brief);
  expect(await store.readPolicy(update.policy)).toMatchObject({
    ...{ version: 1, step: 1, model: 'served name', baseUrl: 'http://server/v1', batchHash: 'h'.repeat(64) },
    ...{ weightsHash: RESULT.weightsHash, reward: { mean: 0.5, max: 1 }, costUsd: 0.002, servedAt: new Date(7) },
  });
  const run = (await store.readRun('r'))!;
  expect(run.training).toEqual({ tokens: 1000, costUsd: 0.002 });
  expect(moneyOf(run)).toMatchObject({
    training: { tokens: 0, costUsd: 0.002 },
    paid: { tokens: 480, costUsd: 0.002 },
  });
});

it('refuses numbers that are none, and a result that is not there yet, with nothing changed', async () => {
  const store = await began();
  const { commitPolicy } = createCommitPolicy({ store, policies: NOWHERE });
  const before = await store.readRun('r');
  const wrong = await store.putUpdate({ ...applied(), result: { ...RESULT, loss: Number.NaN } });
  await expect(commitPolicy(order(wrong))).rejects.toThrow(/expected finite numbers .* got loss = NaN/);
  const early = await store.putUpdate({ ...updateOf('r', 'u2'), parent: applied().parent });
  await expect(commitPolicy(order(early))).rejects.toThrow(/the result of update u2 of r/);
  expect(await store.readRun('r')).toEqual(before);
});

it('of a training that is no run says what it made', async () => {
  const store = memoryStore();
  const update = await store.putUpdate({ ...applied(), kind: 'supervised', parent: null });
  expect(await createCommitPolicy({ store, policies: NOWHERE }).commitPolicy(order(update))).toMatchObject({
    ...{ on: true, learned: 1, policy: { id: update.policy, version: 1 } },
  });
  expect(await store.listPolicies('r')).toHaveLength(1);
});

it('removes weights as learning.keep says, but none that a step, a fork or another run may use', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evolve-prune-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = memoryStore();
  await grow(store, 'r', 7);
  await store.setConfig('r', { ...config(), learning: { ...learning, keep: 1 } }, 1);
  const { commitPolicy } = createCommitPolicy({ store, policies: folder });
  const fork = { from: 'r', createdAt: new Date(0) };
  let parent: string | null = null;
  for (let step = 0; step <= 7; step++) {
    const { kind } = policyOf('r', step, step, parent);
    const update = await store.putUpdate({
      ...{ ...applied(), ...updateOf('r', `u${step}`), kind, step, version: step, parent, policy: `p${step}` },
      ...{ result: RESULT, stats: { ...applied().stats, reward: { mean: step === 2 ? 0.9 : 0.1, max: 1 } } },
    });
    mkdirSync(join(folder, update.policy));
    writeFileSync(join(folder, update.policy, 'model.safetensors'), 'weights');
    await commitPolicy(order(update));
    if (step === 0) await store.settleStep('r', 0, 1);
    if (step === 3) await store.createFork({ ...fork, run: 'f', step: 3, config: config() });
    if (step === 4)
      await store.createRun({
        ...newRun('other'),
        config: { ...config(), model: { ...config().model, policy: 'r@4' } },
      });
    parent = update.policy;
  }
  // The answers of version 1 were worth most: version 2 was trained on them.
  expect(readdirSync(folder).sort()).toEqual(['p1', 'p3', 'p4', 'p6', 'p7']);
  expect(await store.listPolicies('r')).toHaveLength(8);
});
