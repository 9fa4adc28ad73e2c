// What `evolve upgrade --check` and `evolve doctor` say of executions and versions that do not simply go on.
import { expect, test } from 'vitest';
import { type Facts, forecast, isUnserved, unservedFinding } from '../../../client/upkeep/upgrade-forecast.ts';

const of = (changes: Partial<Facts>): string => {
  const { outcome, detail, command } = forecast({
    type: 'evolutionRun',
    name: 'demo',
    binding: { build: 'old', override: null },
    target: 'new',
    server: () => 'here',
    ...changes,
  });
  return `${outcome}: ${detail}${command === undefined ? '' : ` -> ${command}`}`;
};

test('executions of version 0.7.0, as far as they replay', () => {
  const binding = { build: null, override: null };
  expect([of({ binding, replay: null }), of({ binding }), of({ binding, replay: 'it differs\nhere' })]).toEqual([
    'taken over: has no version; its history replays, so it goes on',
    'not tried: has no version; there was no time to replay its history -> npx evolve upgrade --check --seconds 600',
    'breaks: has no version, and its history does not replay: it differs -> npx evolve terminate demo, then npx evolve resume demo once the new version is up',
  ]);
});

test('what a person has bound, and what nobody serves', () => {
  expect([of({ binding: { build: 'new', override: 'old' } }), of({ server: () => 'nobody', replay: null })]).toEqual([
    'pinned: stays on version old, to which a person has bound it -> npx evolve upgrade --unpin demo',
    'waits: is on version old, of which no worker and no bundle is here; its history replays under the other one -> start the host that has version old, or `npx evolve upgrade --move old`',
  ]);
  const row = { build: 'old', release: null, current: false, open: 2, polled: false, kept: false };
  expect([isUnserved(row), isUnserved({ ...row, open: 0 }), isUnserved({ ...row, polled: true })]).toEqual([
    true,
    false,
    false,
  ]);
  expect(unservedFinding(row).fix).toContain('npx evolve upgrade --move old');
});
