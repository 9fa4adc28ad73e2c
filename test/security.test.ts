// Tests that attack the system are marked with the door at which they do (`// Attempts: <door>.`): the page of attempts
// is made of their titles (test/support/pages/attempts.ts).
import { expect, it } from 'vitest';
import { attempts } from './support/pages/attempts.ts';

it('attempts are made at every door', () => {
  const all = attempts();
  expect([...new Set(all.map(({ door }) => door))].sort()).toEqual([
    'endpoints and keys',
    'files, settings and the machine',
    'messages and the terminal',
    'programs and scores',
    'the page and the network',
  ]);
  expect(all.length).toBeGreaterThan(250);
});
