// The checks at start-up refuse servers that look like MongoDB and are not atomic, and databases of other versions.
import { describe, expect, it } from 'vitest';
import { checkSchema, selfTest, type SelfTestRow } from '../../../activities/store/mongo/connect-store.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import { MemoryCollection } from '../../doubles/memory-collection.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';
import { newRun } from './fixtures.ts';

const sound = () => new MemoryCollection<SelfTestRow>('selftest');
type Broken = Partial<MemoryCollection<SelfTestRow>>;
const broken = (make: (inner: MemoryCollection<SelfTestRow>) => Broken): MemoryCollection<SelfTestRow> => {
  const inner = sound();
  return Object.assign(inner, make(inner));
};

describe('the self-test', () => {
  it('accepts a sound collection and leaves nothing behind', async () => {
    const collection = sound();
    await selfTest(collection, 'key');
    expect(await collection.getMany(['key:insert', 'key:cell', 'key:race'])).toEqual([]);
  });

  it('refuses a server whose second insert overwrites', async () => {
    const collection = broken((inner) => ({
      insertAll: async (documents) => {
        await inner.replaceAll(documents);
        return [];
      },
    }));
    await expect(selfTest(collection, 'key')).rejects.toThrow(/second insert .*MONGODB_URI/);
  });

  it('refuses a server whose guarded upsert replaces a better document', async () => {
    const collection = broken((inner) => ({
      upsert: async (_id, _guard, document) => {
        await inner.replaceAll([{ _id, ...document }]);
        return true;
      },
    }));
    await expect(selfTest(collection, 'key')).rejects.toThrow(/guarded upsert/);
  });

  it('refuses a server that reads, then writes', async () => {
    const collection = broken((inner) => {
      const update = inner.update.bind(inner);
      return {
        update: async (id, guard, change) => {
          const before = await inner.get(id);
          await new Promise((next) => setImmediate(next));
          return (
            Object.entries(guard).every(([field, value]) => before?.[field as 'n'] === value) && update(id, {}, change)
          );
        },
      };
    });
    await expect(selfTest(collection, 'key')).rejects.toThrow(/concurrent guarded updates exactly one/);
  });
});

describe('the version of the database', () => {
  it('is accepted when it is this one, and refused with the way out when it is not', async () => {
    const collections = memoryCollections();
    await storeOver(collections).createRun(newRun('r'));
    await checkSchema(collections.runs);
    await collections.runs.update('r', {}, { $set: { schemaVersion: 1 } });
    await expect(checkSchema(collections.runs)).rejects.toThrow(
      /run 'r' has 1: an older version .*finish its runs with that one .*EVOLVE_HOME.*MONGODB_URI/,
    );
    await collections.runs.update('r', {}, { $set: { schemaVersion: 99 } });
    await expect(checkSchema(collections.runs)).rejects.toThrow(/run 'r' has 99: a newer version .*update this one/);
  });
});
