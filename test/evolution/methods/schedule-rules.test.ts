// Which settings go with `schedule: continuous` and `overlapping`, and who has which by default. What does not go is
// refused before anything starts, with the key to change.
import { expect, it } from 'vitest';
import { configFrom } from '../../support/domain/asked-run.ts';
import { problemsOf as problems } from '../../support/domain/problems.ts';

const ENDPOINT = { baseUrl: 'http://127.0.0.1:9/v1', name: 'some' };
const problemsOf = (settings: object): readonly string[] =>
  problems(() => configFrom({ schedule: 'continuous', model: ENDPOINT, ...settings }));

it.each(['openevolve', 'delta', 'code', 'parallel-sampling', 'greedy-refine', 'naive'])(
  'schedule continuous goes with %s as it is',
  (method) => expect(problemsOf({ method })).toEqual([]),
);

it.each([
  ['theta, whose steps are drawn from one population', { method: 'theta' }, 'schedule: theta draws the whole batch'],
  ['rounds of ideas', { method: 'research', ideation: { gate: 'off' } }, 'schedule: a round of research'],
  ['puct', { selection: { kind: 'puct' } }, 'schedule: puct counts the draws of a step together'],
  ['the bandit', { modelChoice: 'bandit' }, 'schedule: the bandit chooses the models of a whole step'],
  ['embeddings', { embedding: { model: 'm' } }, 'schedule: an embedding is compared with the population'],
  ['more responses than places', { responses: 5, inFlight: 4 }, 'inFlight: a group asks for 5 programs at once'],
])('schedule continuous is refused with %s', (_, settings, words) => {
  expect(problemsOf({ method: 'openevolve', ...settings }).join('\n')).toContain(`test: ${words}`);
});

it.each([
  ['puct', { method: 'theta', selection: { kind: 'puct' } }, ''],
  ['one request of many programs', { method: 'theta', responses: 64, inFlight: 4 }, ''],
  ['learning', { method: 'theta', learning: { trainer: 'reference' } }, 'schedule: learning compares'],
  ['embeddings', { embedding: { model: 'm' } }, 'schedule: an embedding is compared with the population'],
])('schedule overlapping with %s', (_, settings, words) => {
  const problems = problemsOf({ schedule: 'overlapping', ...settings }).join('\n');
  expect(words === '' ? problems : problems.includes(words)).toBe(words === '' ? '' : true);
});

it('steps of theta overlap by default where nothing learns or compares, and a setting turns it off', () => {
  const scheduleOf = (settings: object): string => configFrom({ model: ENDPOINT, ...settings }).schedule;
  expect(scheduleOf({})).toBe('overlapping');
  for (const settings of [
    { schedule: 'steps' },
    { model: { kind: 'offline' } },
    { method: 'openevolve' },
    { learning: { trainer: 'reference', base: 'bytes' }, model: { name: 'bytes', trainable: true } },
    { embedding: { model: 'm' } },
    { modelChoice: 'bandit' },
  ])
    expect(scheduleOf(settings)).toBe('steps');
});
