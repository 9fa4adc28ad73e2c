// Two installations on one database notice each other, and the database moves when the first is silent.
import { describe, expect, it } from 'vitest';
import type { EngineClaim, HostDocument } from '../../../activities/store/documents/installation-documents.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { claimDatabase, databaseRefusal } from '../../../client/connect/database-owner.ts';

const claim = (namespaceId: string, home = `/home/${namespaceId}`): EngineClaim => ({
  ...{ namespaceId, namespace: 'default', address: `${namespaceId}:7233`, host: 'h', home },
  since: new Date(0),
});
const host = (namespaceId: string, beats: number): HostDocument => ({
  ...{ _id: `${namespaceId}:1:engine`, run: '', host: namespaceId, pid: 1, role: 'engine', version: '1', beats },
  ...{ since: new Date(0), seenAt: new Date(0), queues: [], slots: 1, cores: 1, memoryBytes: 1, gpus: 0, labels: [] },
  namespaceId,
});

describe('a database and the namespace in which it works', () => {
  it('is refused to another namespace while workers of the first give signs of life, and then moves', async () => {
    let [beats, living] = [0, true];
    const kept = memoryStore();
    // A host gives a sign of life between any two looks.
    const store = Object.assign(kept, { listHosts: async () => [host('a', living ? (beats += 1) : beats)] });
    const [a, b] = [claim('a'), claim('b')];
    expect(await databaseRefusal(store, a)).toBeNull();
    await claimDatabase(store, a);
    const why = await databaseRefusal(store, b, 0);
    for (const word of ['default at a:7233', 'default at b:7233', 'engine on host a, pid 1', 'MONGODB_URI'])
      expect(why).toContain(word);

    // The same data directory with a server whose data are new.
    expect(await databaseRefusal(store, { ...claim('c', a.home), address: a.address }, 0)).toBeNull();
    // The same data directory, which names another server now while workers of the first one are at work.
    expect(await databaseRefusal(store, claim('c', a.home), 0)).toContain('engine on host a, pid 1');

    // Nobody gives signs of life any more, whatever the times in the list say.
    living = false;
    expect(await databaseRefusal(store, b, 0)).toBeNull();
    await claimDatabase(store, b);
    expect(await store.readEngine()).toEqual(b);
    expect(await databaseRefusal(store, b)).toBeNull();
  });

  it('is of one namespace where several begin at the same moment, and the others are told', async () => {
    const store = memoryStore();
    const all = ['a', 'b', 'c'].map((id) => claim(id));
    expect(await Promise.all(all.map((one) => databaseRefusal(store, one)))).toEqual([null, null, null]);
    const won = await Promise.all(all.map((one) => claimDatabase(store, one)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await store.readEngine()).toEqual(all[won.indexOf(true)]);
    // The same where it moves from one that is silent.
    const next = ['d', 'e'].map((id) => claim(id));
    const moved = await Promise.all(next.map((one) => claimDatabase(store, one)));
    expect(moved.filter(Boolean)).toHaveLength(1);
    expect(await claimDatabase(store, next[moved.indexOf(true)]!)).toBe(true);
  });
});
