// The known values of a run are read once, a few runs at a time.
import { expect, it } from 'vitest';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { goalsOfRuns } from '../../../page/server/site/goals.ts';

const run = (name: string, configVersion = 1): RunDocument =>
  ({ run: name, createdAt: new Date(0), configVersion }) as RunDocument;
const known = (title: string) =>
  ({ title, direction: 'maximise', scoreName: 's', paper: null, bestKnown: null }) as const;

it('reads a run once, and again where its settings are others', async () => {
  const read: string[] = [];
  const of = goalsOfRuns(async (one) => {
    read.push(`${one.run} ${one.configVersion}`);
    return one.run === 'gone' ? null : known(one.run);
  });
  expect(await Promise.all([of(run('a')), of(run('gone')), of(run('b')), of(run('a'))])).toEqual([
    known('a'),
    null,
    known('b'),
    known('a'),
  ]);
  await of(run('b'));
  await of(run('a', 2));
  expect(read).toEqual(['a 1', 'gone 1', 'b 1', 'a 2']);
});

it('is null where it cannot be read, for all who asked', async () => {
  const of = goalsOfRuns(async () => {
    throw new Error('the database is away');
  });
  expect(await Promise.all([of(run('a')), of(run('b'))])).toEqual([null, null]);
});
