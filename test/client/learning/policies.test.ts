// The policies of a run as people and tools see them, and their export as a folder.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { PolicyDocument } from '../../../activities/store/documents/learning-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { policyLines } from '../../../cli/commands/run/policies.ts';
import { exportPolicy } from '../../../client/learning/export-policy.ts';
import { policiesOf, policyLine, requirePolicy } from '../../../client/learning/policies.ts';
import { runReport } from '../../../client/read/report.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { commitOf, config, grow, newRun } from '../../activities/store/fixtures.ts';
import { policyOf } from '../../activities/store/learning/learning-fixtures.ts';

/** Four tensors, written by `save_tensors` of the reference trainer (reference/checkpoint.py), and their `weights_hash`. */
const WEIGHTS = Buffer.from(
  'CAEAAAAAAAB7Il9fbWV0YWRhdGFfXyI6eyJmb3JtYXQiOiJwdCJ9LCJzIjp7ImR0eXBlIjoiSTY0Iiwic2hhcGUiOltdLCJkYXRhX29mZnNldHMiOlsw' +
    'LDhdfSwiYSI6eyJkdHlwZSI6IkYzMiIsInNoYXBlIjpbM10sImRhdGFfb2Zmc2V0cyI6WzgsMjBdfSwiYi53ZWlnaHQiOnsiZHR5cGUiOiJGMzIiLCJz' +
    'aGFwZSI6WzIsM10sImRhdGFfb2Zmc2V0cyI6WzIwLDQ0XX0sImgiOnsiZHR5cGUiOiJCRjE2Iiwic2hhcGUiOlsyXSwiZGF0YV9vZmZzZXRzIjpbNDQs' +
    'NDhdfX0gICAgICAHAAAAAAAAAAAAAAAAAIA/AAAAQAAAAAAAAIA/AAAAQAAAQEAAAIBAAACgQAAAgD8=',
  'base64',
);
const HASH = 'b2e4bce758024d7944fba6d77b38b91637b0b5ca67780d9d6d04fc1c33e3db01';

/** Steps 0 to 3 with a policy of each; then step 3 is opened again, which leaves version 3 behind. */
const wentBack = async (): Promise<{ readonly store: Store; readonly made: readonly PolicyDocument[] }> => {
  const store = memoryStore();
  await grow(store, 'r', 3);
  const made: PolicyDocument[] = [];
  for (let step = 0; step <= 3; step++) {
    made.push({ ...policyOf('r', step, step, made.at(-1)?._id ?? null), weightsHash: HASH });
    await store.commitPolicy(made.at(-1)!, 1);
    await store.settleStep('r', step, 1);
  }
  await store.openStep('r', 3, 'reset');
  return { store, made };
};

it('are listed from the start to the one that the run has, in the shape that tools read', async () => {
  const { store, made } = await wentBack();
  const { chain } = await policiesOf(store, 'latest');
  expect(chain.map(({ version }) => version)).toEqual([0, 1, 2]);
  expect(policyLine(chain[1]!)).toMatchObject({
    ...{ policy: made[1]!._id, version: 1, parent: made[0]!._id, step: 1, updateId: made[1]!.updateId },
    ...{ batchHash: 'b'.repeat(64), weightsHash: HASH, reward: { mean: 0.5, max: 1 }, loss: -0.5 },
    ...{ clipFraction: 0, isClipFraction: 0.125, mismatch: 0.01, used: 4, zeroVariance: 0, tokens: 1000, seconds: 2 },
    ...{ trainer: 'reference', servedAt: '1970-01-01T00:00:00.005Z' },
  });
  expect(policyLine(chain[0]!)).toMatchObject({ reward: { mean: null, max: null }, batchHash: null });
  expect(runReport((await store.readRun('r'))!, new Date(), null).policy).toEqual({ version: 2, id: made[2]!._id });
});

it('are a table that marks the current one, and says what was left behind and what was inherited', async () => {
  const { store, made } = await wentBack();
  const lines = policyLines(await policiesOf(store, 'r'), false);
  expect(lines[3]).toMatch(/^ *2 +2 +policy +0.5 +1 +-0.5 +0 % +12.5 % +0.01 .*r-v2 +here .*current/);
  expect(lines.at(-1)).toMatch(/1 more, which were left behind: --all shows them/);
  expect(policyLines(await policiesOf(store, 'r'), true)[1]).toMatch(/^ *3 +3 .*left behind/);
  await store.createFork({ run: 'f', from: 'r', step: 1, config: newRun('f').config, createdAt: new Date() });
  expect(policyLines(await policiesOf(store, 'f'), false).at(-1)).toMatch(/current, of r *$/);
  expect((await requirePolicy(store, 'f@1'))._id).toBe(made[1]!._id);
  expect((await requirePolicy(store, 'r@3'))._id).toBe(made[3]!._id);
  await expect(requirePolicy(store, 'r@9')).rejects.toThrow(/r has no policy of version 9: it has versions 0, 1, 2, 3/);
  await expect(requirePolicy(store, 'r')).rejects.toThrow(/expected a policy as <run>@<version>/);
  await store.createRun(newRun('plain'));
  await expect(requirePolicy(store, 'plain@0')).rejects.toThrow(/plain has no policies/);
  expect(policyLines(await policiesOf(store, 'plain'), false)[0]).toMatch(/plain does not learn: .*--learn/);
  await store.commit(commitOf('r', 3, 2));
  await store.setConfig('r', { ...config(), learning: { ...config().learning, trainer: 'reference' } }, 1);
  expect((await policiesOf(store, 'r')).learns).toBe(true);
});

it('are not left behind where they are committed while the list is made', async () => {
  const { store, made } = await wentBack();
  await store.commit(commitOf('r', 3, 2));
  const next = policyOf('r', 4, 3, made[2]!._id);
  const busy: Store = {
    ...store,
    policyChain: async (id) => {
      const chain = await store.policyChain(id);
      await store.commitPolicy(next, 2);
      return chain;
    },
  };
  const { chain, behind } = await policiesOf(busy, 'r');
  expect([chain.length, behind.map(({ version }) => version)]).toEqual([3, [3]]);
});

it('are exported as a whole folder without the optimizer, and nothing that is there is overwritten', async () => {
  const { made } = await wentBack();
  const place = mkdtempSync(join(tmpdir(), 'evolve-policy-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const home = resolveHome({ EVOLVE_HOME: place });
  const policy = made[1]!;
  const folder = join(home.root, 'policies', policy._id);
  const to = join(place, 'out');
  const fails = async (message: RegExp, of = policy): Promise<void> => {
    await expect(exportPolicy(home, of, to)).rejects.toThrow(message);
    expect(readdirSync(place).filter((name) => name.startsWith('out'))).toEqual([]);
  };
  await fails(/there is no such folder: it was removed \(learning\.keep\)/);
  await fails(/at its trainer \(tinker\), which calls them sampler.*`tinker checkpoint download sampler`/, {
    ...policy,
    trainer: 'tinker',
  });
  for (const name of ['adapter', 'training']) mkdirSync(join(folder, name), { recursive: true });
  const files = {
    'adapter/adapter_config.json': '{}',
    'config.json': '{"a":1}',
    'training/optimizer.safetensors': 'state',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  writeFileSync(join(folder, 'model.safetensors'), WEIGHTS);
  await fails(/expected a complete policy, but policy\.json is missing/);
  const sizes = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.length]));
  const card = { weightsHash: HASH, files: { ...sizes, 'model.safetensors': WEIGHTS.length } };
  writeFileSync(join(folder, 'policy.json'), JSON.stringify({ ...card, files: { ...card.files, '../x': 1 } }));
  await fails(/\.\.\/x is missing, damaged or half written/);
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(card));
  await fails(/the folder is another one of this name/, { ...policy, weightsHash: 'other' });
  const damaged = Buffer.from(WEIGHTS);
  damaged[WEIGHTS.length - 1]! ^= 1;
  writeFileSync(join(folder, 'model.safetensors'), damaged);
  await fails(/the file was changed or is damaged/);
  for (const nonsense of [0xff, 0x20]) {
    writeFileSync(join(folder, 'model.safetensors'), Buffer.alloc(WEIGHTS.length, nonsense));
    await fails(/model\.safetensors: expected the weights .* got none, because it is no safetensors file/);
  }
  writeFileSync(join(folder, 'model.safetensors'), WEIGHTS);
  symlinkSync(join(place, 'nowhere'), join(place, 'link'));
  await expect(exportPolicy(home, policy, join(place, 'link'))).rejects.toThrow(/a folder that is not there yet/);
  writeFileSync(join(place, 'file'), '');
  await expect(exportPolicy(home, policy, join(place, 'file', 'below'))).rejects.toThrow(
    /^--to: .*below cannot be written \(ENOTDIR\)/,
  );
  expect(await exportPolicy(home, policy, to)).toMatchObject({ policy: policy._id, folder: to, weightsHash: HASH });
  expect(readdirSync(to).sort()).toEqual(['adapter', 'config.json', 'model.safetensors', 'policy.json']);
  expect(readFileSync(join(to, 'model.safetensors')).equals(WEIGHTS)).toBe(true);
  expect(existsSync(join(to, 'adapter', 'adapter_config.json'))).toBe(true);
  await expect(exportPolicy(home, policy, to)).rejects.toThrow(/a folder that is not there yet/);
});
