// What is known of runs is read of many at a time, and once.
import { expect, it } from 'vitest';
import type { RunDocument } from '../../../activities/store/documents.ts';
import { knownValues } from '../../../page/server/site/known.ts';

const run = (name: string, configVersion = 1): RunDocument =>
  ({ run: name, createdAt: new Date(0), configVersion }) as RunDocument;
const known = (title: string) =>
  ({ title, direction: 'maximise', scoreName: 's', paper: null, bestKnown: null }) as const;

it('asks once for all that are asked for together, and again where the settings are others', async () => {
  const asked: string[][] = [];
  const of = knownValues(async (runs) => {
    asked.push(runs.map((one) => `${one.run} ${one.configVersion}`));
    return runs.map((one) => (one.run === 'gone' ? null : known(one.run)));
  });
  expect(await Promise.all([of(run('a')), of(run('gone')), of(run('b')), of(run('a'))])).toEqual([
    known('a'),
    null,
    known('b'),
    known('a'),
  ]);
  expect(await of(run('b'))).toEqual(known('b'));
  await of(run('a', 2));
  expect(asked).toEqual([['a 1', 'gone 1', 'b 1'], ['a 2']]);
});

it('is null where it cannot be read, for all who asked', async () => {
  const of = knownValues(async () => {
    throw new Error('the process was killed');
  });
  expect(await Promise.all([of(run('a')), of(run('b'))])).toEqual([null, null]);
});
