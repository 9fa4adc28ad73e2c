// Stored data of every released schema is read as today's, and of a later schema by nobody. The fixtures are exports that
// the code of those releases made of a run in memory. Each release of today's schema has one as well, because fields may
// be added without a new schema.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import type { PortableCollection, Row } from '../../../activities/store/collection.ts';
import { fromLine } from '../../../activities/store/export-format.ts';
import { readExport } from '../../../activities/store/import.ts';
import { SCHEMA_VERSION } from '../../../activities/store/migrations/migrated.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import { checkSchema } from '../../../activities/store/schema.ts';
import type { Collections } from '../../../activities/store/stored.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';
import { config, grow, newRun } from './fixtures.ts';

const RELEASED = [
  { release: '0.1.0', schema: 1, format: 1, unknown: ['totals', 'totals of the run'] },
  { release: '0.2.0', schema: 2, format: 1, unknown: [] },
  { release: '0.7.0', schema: 2, format: 2, unknown: [] },
  { release: '0.8.0', schema: 3, format: 2, unknown: [] },
  { release: '0.9.0', schema: 3, format: 2, unknown: [] },
] as const;
const exportOf = (release: string): string =>
  fileURLToPath(new URL(`../../fixtures/exports/${release}`, import.meta.url));

type Any = Row & { readonly [field: string]: unknown };
const raw = (collections: Collections, name: keyof Collections): PortableCollection<Any> =>
  collections[name] as unknown as PortableCollection<Any>;

/** The database as that release left it. From schema 3 on each document says its own, which no export repeats. */
const databaseOf = async ({ release, schema, format }: (typeof RELEASED)[number]): Promise<Collections> => {
  const collections = memoryCollections();
  for (const file of readdirSync(exportOf(release)).filter((name) => name.endsWith('.jsonl'))) {
    const documents = readFileSync(`${exportOf(release)}/${file}`, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => fromLine(line, format) as Any);
    const name = file.replace('.jsonl', '') as keyof Collections;
    if (name === 'blobs' && format === 2) await storeOver(collections).putTexts(documents.map(({ text }) => `${text}`));
    else
      await raw(collections, name).insertAll(
        schema < 3 || name === 'runs' ? documents : documents.map((one) => ({ ...one, schema })),
      );
  }
  return collections;
};

describe.each(RELEASED)('a run of $release', (from) => {
  it('is the same run whether it is read in its database or imported, and a rebuild finds nothing wrong', async () => {
    const old = await databaseOf(from);
    const fresh = memoryCollections();
    await storeOver(fresh).importRuns(await readExport(exportOf(from.release)));
    expect((await raw(fresh, 'programs').get('r:000001:0:000000'))!['schema']).toBe(SCHEMA_VERSION);
    for (const collections of [old, fresh]) {
      const store = storeOver(collections);
      expect(await store.readRun('r')).toMatchObject({ schemaVersion: SCHEMA_VERSION, committedStep: 2, sweep: null });
      const { differences, steps, programs } = await rebuildRun({ store }, 'r');
      expect({ steps, programs }).toEqual({ steps: 3, programs: 13 });
      for (const { what } of differences) expect(from.unknown).toContain(what);
    }
    const { population: _, ...run } = (await storeOver(fresh).readRun('r'))!;
    const { population: __, ...there } = (await storeOver(old).readRun('r'))!;
    expect({ ...run, status: '', stopReason: '', endedAt: '' }).toEqual({
      ...{ ...there, status: '', stopReason: '', endedAt: '' },
    });
  });

  it('goes on in its database, and from the first change on older software refuses it', async () => {
    const collections = await databaseOf(from);
    const store = storeOver(collections);
    expect((await raw(collections, 'runs').get('r'))!['schemaVersion']).toBe(from.schema);
    expect(await store.olderRuns()).toEqual(from.schema < SCHEMA_VERSION ? ['r'] : []);
    expect(await store.openStep('r', 2, 'another')).toBe(2);
    expect(await raw(collections, 'runs').get('r')).toMatchObject({
      ...{ schemaVersion: SCHEMA_VERSION, committedStep: 1, epochs: [], config: { models: [] } },
      lineage: [
        { step: 0, generation: 1, run: 'r' },
        { step: 2, generation: 2, run: 'r' },
      ],
    });
    expect(await raw(collections, 'steps').get('r:000002:1')).toMatchObject({
      schema: SCHEMA_VERSION,
      configVersion: 1,
    });
  });
});

describe('data of a newer schema', () => {
  it('stops whoever begins to work in the database, with both schemas and the way out', async () => {
    const collections = memoryCollections();
    await checkSchema(collections, true);
    await checkSchema(collections, true);
    const says = (await collections.identity.get('database'))!;
    expect(says).toMatchObject({ newestSchema: SCHEMA_VERSION, leastSchema: 3 });
    await collections.identity.update('database', {}, { $max: { leastSchema: 7 } });
    for (const write of [true, false])
      await expect(checkSchema(collections, write)).rejects.toThrow(
        /^expected stored data of schema 3 or older, but the database has schema 7: .*Update this one.*EVOLVE_HOME.*MONGODB_URI/,
      );
  });

  it('stops a worker that meets it later, before it writes', async () => {
    const collections = memoryCollections();
    const store = storeOver(collections);
    await grow(store, 'r', 1);
    await store.createRun(newRun('other'));
    await raw(collections, 'runs').update('r', {}, { $set: { schemaVersion: 7 } });
    const before = await raw(collections, 'runs').get('r');
    const refused = /document 'r' has schema 7/;
    await expect(checkSchema(collections, true)).rejects.toThrow(/run 'r' has schema 7/);
    await expect(store.openStep('r', 2, 'me')).rejects.toThrow(refused);
    await expect(store.setStatus('r', 'paused', {})).rejects.toThrow(refused);
    await expect(store.setConfig('r', config(), 1)).rejects.toThrow(refused);
    expect(await raw(collections, 'runs').get('r')).toEqual(before);
    expect(await store.openStep('other', 0, 'me')).toBe(1);
  });
});
