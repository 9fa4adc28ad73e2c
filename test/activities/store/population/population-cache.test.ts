// A process that only reads, such as the page's server, follows a population that another one commits.
import { expect, it } from 'vitest';
import { storeOver } from '../../../../activities/store/open-store.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { rowsOf } from '../../../../evolution/population/population.ts';
import { memoryCollections } from '../../../doubles/memory-store.ts';
import { commitOf, grow } from '../fixtures.ts';

const commit = async (store: Store, step: number): Promise<void> =>
  void (await store.commit(commitOf('demo', step, await store.openStep('demo', step, 'w'))));

/** Two stores over one database, and the ids of the step markers that the second one reads. */
const writerAndReader = () => {
  const collections = memoryCollections();
  const read: string[] = [];
  const { steps } = collections;
  const watched = Object.assign(Object.create(steps) as typeof steps, {
    getMany: (ids: readonly string[]) => (read.push(...ids), steps.getMany(ids)),
    get: (id: string) => (read.push(id), steps.get(id)),
  });
  const reader = storeOver({ ...collections, steps: watched });
  return { collections, writer: storeOver(collections), reader, read };
};

it('is brought forward by what was committed since, and is that of a fresh reader', async () => {
  const { collections, writer, reader, read } = writerAndReader();
  await grow(writer, 'demo', 3);
  await reader.population('demo');
  for (const step of [4, 5, 6]) await commit(writer, step);
  read.length = 0;
  const population = await reader.population('demo');
  expect(read.map((id) => id.split(':')[1])).toEqual(['000004', '000005', '000006']);
  const fresh = await storeOver(collections).population('demo');
  expect(rowsOf(population)).toEqual(rowsOf(fresh));
  expect(population.state).toEqual(fresh.state);
});

it('is loaded anew where the steps that were committed are of another lineage', async () => {
  const { collections, writer, reader } = writerAndReader();
  await grow(writer, 'demo', 5);
  await reader.population('demo');
  const generation = await writer.openStep('demo', 3, 'after a rewind');
  await writer.commit(commitOf('demo', 3, generation));
  const population = await reader.population('demo');
  expect((await reader.readRun('demo'))!.committedStep).toBe(3);
  expect(rowsOf(population)).toEqual(rowsOf(await storeOver(collections).population('demo')));
});
