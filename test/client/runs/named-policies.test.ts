// Settings that name a policy which is not there, or with which learning cannot begin, are refused before a run begins.
import { expect, it } from 'vitest';
import { checkNamedPolicies } from '../../../client/runs/named-policies.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { policyOf } from '../../activities/store/learning/learning-fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const configOf = (settings: object): RunConfig => configFrom(settings);

it('names the setting, the policy and what to do', async () => {
  const store = memoryStore();
  await store.commitPolicy({ ...policyOf('other', 0, 0, null), _id: 'other-v0000', base: '/models/small' }, 0);
  const check = (settings: object) => checkNamedPolicies(store, [configOf(settings)]);
  const learning = { trainer: 'reference' };
  await check({ model: { policy: 'other@0' } });
  await check({ learning: { ...learning, base: '/models/small' }, model: { policy: 'other@0', trainable: true } });
  await expect(check({ model: { policy: 'other@3' } })).rejects.toThrow(/model\.policy: .*got other@3.*versions 0/);
  await expect(check({ model: { policy: 'another@0' } })).rejects.toThrow(/another has no policies/);
  await expect(check({ learning, model: { policy: 'other@0', trainable: true } })).rejects.toThrow(
    /model\.policy: expected a policy that descends from bytes \(learning\.base\), got other@0.*set learning\.base to/,
  );
});
