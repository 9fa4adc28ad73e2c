// What `evolve prune` removes beside the database: folders of this machine, and nothing that a link or a name leads to.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, afterEach, expect, it } from 'vitest';
import type { Parts } from '../../../client/connect/connection.ts';
import { carryOutPrune, planPrune } from '../../../client/upkeep/prune.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import { SCHEMA_VERSION } from '../../../activities/store/documents/schema.ts';
import { grow } from '../../activities/store/fixtures.ts';
import { policyOf } from '../../activities/store/learning/learning-fixtures.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evolve-prune-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const gone = Object.assign(new Error('none'), { name: 'WorkflowNotFoundError' });
const engine = {
  client: {
    workflow: { getHandle: () => ({ describe: () => Promise.reject(gone) }), list: async function* () {} },
    options: { namespace: 'default' },
  },
};

/** A run that has ended, with a policy of this name, and a file beside the data directory that is nobody's business. */
const world = async (policy: string) => {
  const env = { EVOLVE_HOME: join(root, 'home'), EVOLVE_RUNS: join(root, 'runs') };
  const home = resolveHome(env);
  for (const folder of ['home/policies', 'runs', 'precious']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'precious', 'file'), 'x'.repeat(10_000));
  const collections = memoryCollections();
  const store = storeOver(collections);
  await grow(store, 'r', 1);
  await collections.policies.insertAll([
    { ...policyOf('r', 1, 1, null), _id: policy, schema: SCHEMA_VERSION } as never,
  ]);
  await store.setStatus('r', 'finished', { stopReason: 'steps', endedAt: new Date(0) });
  const parts = { place: { home, env }, store: async () => store, engine: async () => engine } as unknown as Parts;
  const order = { runs: ['r'], named: true, superseded: false, files: true };
  return { parts, order, store };
};
const isThere = (): boolean => existsSync(join(root, 'precious', 'file'));

// Attempt: files, settings and the machine.
it('follows no link, neither in the place of a folder nor within one', async () => {
  const { parts, order, store } = await world('r-v0001-x');
  mkdirSync(join(root, 'home/policies/r-v0001-x'));
  symlinkSync(join(root, 'precious'), join(root, 'home/policies/r-v0001-x/link'));
  symlinkSync(join(root, 'precious'), join(root, 'runs/r'));
  const plan = await planPrune(parts, order);
  expect(plan.runs[0]).toMatchObject({ files: { folders: [], bytes: 0 } });
  expect(plan.runs[0]!.weights.bytes).toBeLessThan(10_000);
  expect((await carryOutPrune(parts, plan)).runs).toEqual(['r']);
  expect(existsSync(join(root, 'home/policies/r-v0001-x'))).toBe(false);
  expect(isThere()).toBe(true);
  expect(await store.readRun('r')).toBeNull();
});

it('keeps the export that brings the run back, where it is among its results', async () => {
  const { parts, order } = await world('r-v0001-x');
  const [results, exported] = [join(root, 'runs/r'), join(root, 'runs/r/export')];
  mkdirSync(exported, { recursive: true });
  for (const name of ['best.py', 'export/runs.jsonl', 'export/manifest.json']) writeFileSync(join(results, name), 'x');
  const plan = await planPrune(parts, order);
  expect(plan.runs[0]).toMatchObject({ exported, files: { folders: [join(results, 'best.py')], bytes: 1 } });
  await carryOutPrune(parts, plan);
  expect([readdirSync(results), readdirSync(exported).sort()]).toEqual([['export'], ['manifest.json', 'runs.jsonl']]);
});

it('removes an export that did not finish with the other results', async () => {
  const { parts, order } = await world('r-v0001-x');
  mkdirSync(join(root, 'runs/r/export'), { recursive: true });
  writeFileSync(join(root, 'runs/r/export/runs.jsonl'), 'x');
  await carryOutPrune(parts, await planPrune(parts, order));
  expect(existsSync(join(root, 'runs/r'))).toBe(false);
});

it.each(['../../precious', '..', '.', '/etc', 'a/b', ''])(
  'refuses a policy that the database calls %j, and removes nothing',
  async (name) => {
    const { parts, order, store } = await world(name);
    await expect(planPrune(parts, order)).rejects.toThrow(/in the database: somebody changed it, and nothing was/);
    expect(isThere()).toBe(true);
    expect(await store.readRun('r')).not.toBeNull();
  },
);

it('removes copies of data files that no run needs, but for those that were just made', async () => {
  const { parts, order } = await world('r-v0001-x');
  const data = join(root, 'home', 'data');
  const names = ['0123456789abcdef', 'fedcba9876543210', 'not-a-copy'];
  for (const name of names) mkdirSync(join(data, name), { recursive: true });
  symlinkSync(join(root, 'nowhere'), join(data, '00000000deadbeef'));
  for (const name of ['0123456789abcdef', 'not-a-copy']) utimesSync(join(data, name), new Date(0), new Date(0));
  const plan = await planPrune(parts, { ...order, runs: [], named: false });
  expect(plan.data.folders).toEqual([join(data, '0123456789abcdef')]);
  await carryOutPrune(parts, plan);
  expect(readdirSync(data).sort()).toEqual(['00000000deadbeef', 'fedcba9876543210', 'not-a-copy']);
});
