// What `evolve pause` and `evolve stop` say that a run waits for.
import { expect, test } from 'vitest';
import { endingOf } from '../../cli/flags/many.ts';

test('a stream waits for what is under way, any other run for its step, and with --now nothing is waited for', async () => {
  const runs = ['stream', 'steps'].map((id) => ({ id, streams: async () => id === 'stream' }));
  const [later, now] = [endingOf(false), endingOf(true)];
  for (const run of runs) for (const ending of [later, now]) await ending.ask(run);
  expect([later.of('stream'), later.of('steps'), later.ofMany]).toEqual([
    'when all that is under way is committed',
    'after its current step',
    'after its current step',
  ]);
  await later.ask({ id: 'unknown', streams: () => Promise.reject(new Error('the database is away')) });
  expect(later.of('unknown')).toBe('after its current step');
  expect([now.of('stream'), now.of('steps'), now.ofMany]).toEqual(['now', 'now', 'now']);
});
