// The checks at start-up refuse servers that look like MongoDB and are not atomic.
import { describe, expect, it } from 'vitest';
import { selfTest, type SelfTestRow } from '../../../../activities/store/mongo/connect-store.ts';
import { MemoryCollection } from '../../../doubles/memory-collection.ts';

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
