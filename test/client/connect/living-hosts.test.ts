// A host whose clock, or that of whoever asks, is an hour off lives all the same; one that was killed does not.
import { expect, it } from 'vitest';
import type { HostDocument } from '../../../activities/store/documents/installation-documents.ts';
import { requireEngine } from '../../../client/connect/elsewhere.ts';
import { livingHosts } from '../../../client/connect/living-hosts.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

const HOUR_MS = 3_600_000;
const host = (fields: Partial<HostDocument> = {}): HostDocument => ({
  ...{ _id: 'h:1:engine', run: '', host: 'h', pid: 1, role: 'engine', version: '1', beats: 1 },
  ...{ since: new Date(0), seenAt: new Date(), queues: [], slots: 1, cores: 1, memoryBytes: 1e9, gpus: 0, labels: [] },
  ...fields,
});
const jumped = { seenAt: new Date(Date.now() - HOUR_MS) };

/** Hosts that are listed, and what they write while they are listened to. */
const storeWith = async (hosts: readonly HostDocument[], meanwhile: readonly HostDocument[] = []) => {
  const store = memoryStore();
  for (const one of hosts) await store.putHost(one);
  setTimeout(() => void Promise.all(meanwhile.map((one) => store.putHost(one))), 5);
  return store;
};
const living = async (...given: Parameters<typeof storeWith>) =>
  (await livingHosts(await storeWith(...given), ({ role }) => role === 'engine', 60)).map(({ _id }) => _id);

it('is one whose signs of life go on', async () => {
  expect(await living([host(), host({ _id: 'model', role: 'model' })])).toEqual(['h:1:engine']);
  expect(await living([host(jumped)], [host({ ...jumped, beats: 2 })])).toEqual(['h:1:engine']);
  expect(await living([host(jumped)])).toEqual([]);
  expect(await living([])).toEqual([]);
});

it('a command where nothing is up does not refuse because of a clock', async () => {
  await requireEngine(await storeWith([host(jumped)], [host({ ...jumped, beats: 2 })]), 60);
  await expect(requireEngine(await storeWith([host(jumped)]), 60)).rejects.toThrow(/no worker of the role engine/);
});
