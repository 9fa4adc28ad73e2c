// An export as files: readable back, in order, with a manifest that matches.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PortableCollection, Row } from '../../../activities/store/collection.ts';
import { exportRun, fromLine } from '../../../activities/store/export.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import type { Collections } from '../../../activities/store/stored.ts';
import { rowsOf } from '../../../evolution/population/population.ts';
import { memoryCollections } from '../../doubles/memory-store.ts';
import { collect, grow, program, rollout } from './fixtures.ts';

describe('export', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evolve-export-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('writes one file per collection that gives the same run in another database', async () => {
    const store = storeOver(memoryCollections());
    await grow(store, 'r', 3);
    const [response] = await store.putTexts([`odd \ud800 ${'text '.repeat(200)}\u0000`]);
    await store.putRollouts([{ ...rollout('r', 2, 1), response: response!, costUsd: 0.1 + 0.2 }, rollout('r', 2, 0)]);
    const manifest = await exportRun(store, 'r', folder);

    expect((await readdir(folder)).sort()).toEqual(
      [...manifest.collections.map(({ file }) => file), 'manifest.json'].sort(),
    );
    expect(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))).toEqual(manifest);
    const other: Collections = memoryCollections();
    for (const { collection, file, documents, sha256 } of manifest.collections) {
      const body = await readFile(join(folder, file), 'utf8');
      expect(createHash('sha256').update(body).digest('hex')).toBe(sha256);
      const rows = body.trimEnd().split('\n').map(fromLine) as unknown as Row[];
      expect(rows).toHaveLength(documents);
      expect(rows.map(({ _id }) => _id)).toEqual(rows.map(({ _id }) => _id).sort());
      await (other[collection as keyof Collections] as unknown as PortableCollection<Row>).insertAll(rows);
    }

    const imported = storeOver(other);
    expect(await imported.readRun('r')).toEqual(await store.readRun('r'));
    expect(await collect(imported.eachProgram('r'))).toEqual(await collect(store.eachProgram('r')));
    expect((await imported.getPrograms([program('r', 1, 1, 1)._id])).get(program('r', 1, 1, 1)._id)).toEqual(
      program('r', 1, 1, 1),
    );
    expect(rowsOf(await imported.population('r'))).toEqual(rowsOf(await store.population('r')));
    expect(await imported.getTexts([response!])).toEqual(await store.getTexts([response!]));
    expect(await collect(imported.exportRun('r'))).toHaveLength(
      manifest.collections.reduce((sum, { documents }) => sum + documents, 0),
    );
  });

  it('names the run that is not there', async () => {
    await expect(exportRun(storeOver(memoryCollections()), 'nobody', folder)).rejects.toThrow(/'nobody'.*evolve list/);
  });
});
