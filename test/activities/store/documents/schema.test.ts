// Stored data of another schema, earlier or later, is read by nobody: whoever meets it is told which version can.
import { describe, expect, it } from 'vitest';
import type { PortableCollection, Row } from '../../../../activities/store/documents/collection.ts';
import { storeOver } from '../../../../activities/store/open-store.ts';
import { checkSchema, SCHEMA_VERSION } from '../../../../activities/store/documents/schema.ts';
import type { Collections } from '../../../../activities/store/documents/stored.ts';
import { memoryCollections } from '../../../doubles/memory-store.ts';
import { config, grow, newRun } from '../fixtures.ts';

type Any = Row & { readonly [field: string]: unknown };
const raw = (collections: Collections, name: keyof Collections): PortableCollection<Any> =>
  collections[name] as unknown as PortableCollection<Any>;

const WAYS = [
  { schema: SCHEMA_VERSION + 1, way: /Update this one, or use another data directory \(EVOLVE_HOME\)/ },
  { schema: SCHEMA_VERSION - 1, way: /an older version of this project wrote it/ },
] as const;

describe.each(WAYS)('data of schema $schema', ({ schema, way }) => {
  it('stops whoever begins to work in a database with a run of it', async () => {
    const collections = memoryCollections();
    await storeOver(collections).createRun(newRun('r'));
    await raw(collections, 'runs').update('r', {}, { $set: { schemaVersion: schema } });
    for (const write of [true, false]) {
      const refused = expect(checkSchema(collections, write)).rejects;
      await refused.toThrow(`expected stored data of schema ${SCHEMA_VERSION}, but run 'r' has schema ${schema}: `);
      await refused.toThrow(way);
    }
  });

  it('stops a worker that meets it later, before it writes', async () => {
    const collections = memoryCollections();
    const store = storeOver(collections);
    await grow(store, 'r', 1);
    await store.createRun(newRun('other'));
    await raw(collections, 'runs').update('r', {}, { $set: { schemaVersion: schema } });
    const before = await raw(collections, 'runs').get('r');
    const refused = `document 'r' has schema ${schema}`;
    await expect(store.openStep('r', 2, 'me')).rejects.toThrow(refused);
    await expect(store.setStatus('r', 'paused', {})).rejects.toThrow(refused);
    await expect(store.setConfig('r', config(), 1)).rejects.toThrow(refused);
    expect(await raw(collections, 'runs').get('r')).toEqual(before);
    expect(await store.openStep('other', 0, 'me')).toBe(1);
  });
});

describe('the schema that a database says of itself', () => {
  it('is that of the first worker, and a later one is refused', async () => {
    const collections = memoryCollections();
    await checkSchema(collections, true);
    expect(await collections.identity.get('database')).toMatchObject({ leastSchema: SCHEMA_VERSION });
    await collections.identity.update('database', {}, { $max: { leastSchema: 7 } });
    for (const write of [true, false])
      await expect(checkSchema(collections, write)).rejects.toThrow(/but the database has schema 7: .*Update this one/);
  });
});
