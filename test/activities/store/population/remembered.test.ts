// The memory of a process for committed programs and markers: it does not read them again, and takes nothing that a
// rewind or another process has replaced.
import { describe, expect, it } from 'vitest';
import { storeOver } from '../../../../activities/store/open-store.ts';
import type { Store } from '../../../../activities/store/store.ts';
import type { Collections } from '../../../../activities/store/documents/stored.ts';
import { programId } from '../../../../evolution/ids.ts';
import { memoryCollections } from '../../../doubles/memory-store.ts';
import { collect, commitOf, grow } from '../fixtures.ts';

const run = 'run';
const ids = [0, 1].map((slot) => programId(run, 2, 0, slot));
const document = async (store: Store) => (await store.readRun(run))!;
const rewards = (found: ReadonlyMap<string, { readonly reward: number | null; readonly generation: number }>) =>
  [...found.values()].map(({ reward, generation }) => [reward, generation]);

/** Collections that note which documents were read, by `<collection> <id>`. */
const noting = (collections: Collections): { readonly collections: Collections; readonly read: string[] } => {
  const read: string[] = [];
  const noted = <Name extends 'programs' | 'steps'>(name: Name): Collections[Name] =>
    new Proxy(collections[name], {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (key === 'get' || key === 'getMany')
            for (const id of [args[0]].flat() as readonly string[]) read.push(`${name} ${id}`);
          return (value as (...of: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  return { collections: { ...collections, programs: noted('programs'), steps: noted('steps') }, read };
};

describe('what a process remembers of a run', () => {
  it('is what it committed: neither the programs nor the marker of the newest step are read again', async () => {
    const { collections, read } = noting(memoryCollections());
    const store = storeOver(collections);
    await grow(store, run, 2);
    const known = await document(store);
    read.length = 0;
    const programs = await store.getPrograms(ids, known);
    const last = await collect(store.eachProgram(known, { fromStep: 2 }));
    const [marker] = await collect(store.eachStep(known, 2));
    const at = await store.committedAt(known, 2);
    await store.commit(commitOf(run, 3, known.generation));
    expect(read).toEqual([]);
    const other = storeOver(collections);
    expect(programs).toEqual(await other.getPrograms(ids));
    expect(last).toEqual((await collect(other.eachProgram(run, { fromStep: 2 }))).filter(({ step }) => step === 2));
    expect(marker).toEqual((await collect(other.eachStep(run, 2)))[0]);
    expect(at).toEqual(marker!.at);
  });

  it('without the run as it was just read, all programs are read and none is remembered', async () => {
    const { collections, read } = noting(memoryCollections());
    const store = storeOver(collections);
    await grow(store, run, 2);
    read.length = 0;
    await store.getPrograms(ids);
    const all = ids.map((id) => `programs ${id}`);
    expect(read).toEqual(all);
    // The page's server reads whole runs so, and has to stay small.
    const reader = storeOver(collections);
    await reader.getPrograms(ids);
    read.length = 0;
    await reader.getPrograms(ids, await document(reader));
    expect(read).toEqual(all);
  });

  it('counts no more once another process has gone back and made the step anew', async () => {
    const collections = memoryCollections();
    const [store, other] = [storeOver(collections), storeOver(collections)];
    await grow(store, run, 2);
    const before = await document(store);
    expect(rewards(await store.getPrograms(ids, before)).map(([, generation]) => generation)).toEqual([1, 1]);
    const at = await store.committedAt(before, 2);
    await other.openStep(run, 3, 'first');
    const generation = await other.openStep(run, 2, 'reset');
    await other.commit(commitOf(run, 2, generation, { reward: 0.5 }));
    const after = await document(store);
    expect(rewards(await store.getPrograms(ids, after))).toEqual(ids.map(() => [0.5, generation]));
    expect((await collect(store.eachStep(after, 2)))[0]).toMatchObject({ generation });
    expect((await collect(store.eachProgram(after, { fromStep: 2 }))).map((one) => one.generation)).not.toContain(1);
    expect(await store.committedAt(after, 2)).not.toBe(at);
    // Whoever still has the run as it was before gets what is stored now, or what was, and never a mixture.
    const late = rewards(await store.getPrograms(ids, before));
    expect(new Set(late.map(([, of]) => of)).size).toBe(1);
  });

  it('counts no more while a step that went back is not made anew', async () => {
    const { collections, read } = noting(memoryCollections());
    const store = storeOver(collections);
    await grow(store, run, 3);
    await store.openStep(run, 2, 'reset');
    read.length = 0;
    await store.getPrograms(ids, await document(store));
    expect(read).toEqual(ids.map((id) => `programs ${id}`));
    expect(await collect(store.eachStep(await document(store), 2))).toEqual([]);
  });
});
