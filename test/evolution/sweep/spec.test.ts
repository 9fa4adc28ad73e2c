// Sweep files: what is filled in, and what people are told about mistakes.
import { describe, expect, test } from 'vitest';
import { sweepName } from '../../../evolution/sweep/name.ts';
import { checkSweep, sweepFromFile } from '../../../evolution/sweep/spec.ts';
import { problemsOf } from '../../support/domain/problems.ts';

test('a sweep is completed; checking it again, also after a trip through JSON, gives the same', () => {
  const { spec, value } = sweepFromFile(
    's.yaml',
    'name: sizes-{date}\ngrid: {batch: [1, 2], population.features: [[score], [score, length]]}\nstopWhen: {halving: {first: 100}}\nbase: {prompt: {hints: [{text: x}]}}',
  );
  expect(spec).toEqual({
    name: 'sizes-{date}',
    base: { prompt: { hints: [{ island: null, text: 'x' }] } },
    grid: { batch: [1, 2], 'population.features': [['score'], ['score', 'length']] },
    repeat: 1,
    maxParallel: 2,
    stopWhen: { halving: { first: 100, factor: 2 } },
  });
  expect(value).toMatchObject({ name: 'sizes-{date}', base: { prompt: { hints: [{ text: 'x' }] } } });
  expect(checkSweep(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
});

test('date and time are UTC, and the second tells starts within a minute apart where it fits', () => {
  const at = (time: string, name = 'a-{date}-{time}') => sweepName(name, new Date(time));
  expect(at('2026-11-21T15:30:00.900Z')).toBe('a-20261121-1530');
  expect(at('2026-11-21T15:30:59Z')).toBe('a-20261121-153059');
  expect(at('2026-11-21T15:30:59Z', `${'a'.repeat(36)}{time}`)).toBe(`${'a'.repeat(36)}1530`);
});

const BAD: readonly (readonly [text: string, ...parts: string[]])[] = [
  [' ', 's.yaml:1:1: the file is empty; expected settings such as "name: batch-sizes"'],
  ['repeat: 2', 's.yaml:1:1: name: expected a name of 1 to 40 characters', 'got nothing'],
  ['name: My Sweep', 'name: expected a name of 1 to 40 characters'],
  [`name: ${'x'.repeat(41)}`, 'name: expected a name'],
  [`name: ${'x'.repeat(33)}{date}`, 'name: expected a name'],
  ['name: a-{seed}', 'name: expected a name'],
  ['name: a\nseedz: [1]', 's.yaml:2:1: seedz: unknown key. Did you mean "seeds"?'],
  ['name: a\nbatch: 4', 's.yaml:2:1: batch: unknown key. Did you mean "base.batch" or "base.learning.warmup.batch"?'],
  [
    'name: a\nbase:\n  population: {island: 2}',
    's.yaml:3:16: base.population.island: unknown key. Did you mean "islands"?',
  ],
  ['name: a\nbase: {batch: 0}', 's.yaml:2:8: base.batch: expected a whole number from 1 to 1000000, got 0.'],
  ['name: a\ngrid:\n  population.island: [1]', 's.yaml:3:3: population.island: unknown key. Did you mean "islands"?'],
  ['name: a\ngrid: {batch.x: [1]}', 'batch.x: unknown key. batch has no keys of its own.'],
  ['name: a\ngrid: {models.0.name: [m]}', 'models.0: unknown key. models has no keys of its own.'],
  ['name: a\nlist: [{limts.steps: 4}]', 's.yaml:2:9: limts: unknown key. Did you mean "limits"?'],
  [
    'name: a\nrandom: {samples: 1, space: {model.apiKey: [a, b]}}',
    'model.apiKey: unknown key. API keys are never settings',
  ],
  [
    'name: a\ngrid: {model: [{name: m}], model.temperature: [0, 1]}',
    'grid.model.temperature: model holds it and varies too',
  ],
  ['name: a\ngrid: {batch: []}', 'grid.batch: expected a list of values, got an empty list.'],
  ['name: a\ngrid: {batch: 4}', 'grid.batch: expected a list of values, got 4.'],
  ['name: a\ngrid: {}', 'grid: expected at least one setting, got none.'],
  [
    'name: a\ngrid: {batch: [1]}\nlist: [{batch: 1}]',
    's.yaml:3:1: list: expected one of grid, list, random, got grid and list.',
  ],
  ['name: a\nseeds: [1, 1]', 'seeds: expected each seed once, got 1, 1'],
  ['name: a\nseeds: []', 'seeds: expected at least one seed, got an empty list.'],
  ['name: a\nseeds: [1.5]', 'seeds.0: expected a whole number of at least 0, got 1.5.'],
  ['name: a\nseeds: [1]\ngrid: {seed: [1, 2]}', 'seeds: grid gives the seed too'],
  [
    'name: a\nseeds: [1, 2, 3]\nrepeat: 100\nlist: [{}, {batch: 1}, {batch: 2}, {batch: 3}]',
    'list: expected at most 1000 runs in all, got 1200',
  ],
  ['name: a\nrandom: {space: {batch: [1]}}', 'random.samples: expected a whole number from 1 to 1000, got nothing.'],
  [
    'name: a\nrandom: {samples: 1, space: {batch: {min: 4, max: 2}}}',
    's.yaml:2:30: random.space.batch: expected min < max, got min 4 and max 2.',
  ],
  [
    'name: a\nrandom: {samples: 1, space: {model.temperature: {min: 0, max: 2, log: true}}}',
    'a logarithmic range needs a min above 0, got 0.',
  ],
  [
    'name: a\nrandom: {samples: 1, space: {batch: {min: 0.5, max: 2, integer: true}}}',
    'an integer range needs whole bounds, got 0.5 and 2.',
  ],
  [
    'name: a\nrandom: {samples: 1, space: {batch: 4}}',
    'random.space.batch: expected a list of choices, or a range {min, max, log, integer}',
  ],
  [
    'name: a\nstopWhen: {halving: {first: 10, factor: 1}}',
    'stopWhen.halving.factor: expected a whole number from 2 to 1000, got 1.',
  ],
  ['name: a\nmaxParallel: 0', 'maxParallel: expected a whole number from 1 to 64, got 0.'],
  ['- 1', 's.yaml:1:1: expected a mapping of settings'],
];

describe('mistakes', () => {
  test.each(BAD)('%j is refused: %s', (text, ...parts) => {
    const problems = problemsOf(() => sweepFromFile('s.yaml', text));
    expect(problems).toHaveLength(1);
    for (const part of parts) expect(problems[0]).toContain(part);
  });
  test('in JSON from the UI name the key', () => {
    expect(problemsOf(() => checkSweep({ name: 'a', base: { batch: 0 }, grid: { 'migration.rat': [1] } }))).toEqual([
      'sweep: base.batch: expected a whole number from 1 to 1000000, got 0.',
      'sweep: migration.rat: unknown key. Did you mean "rate"?',
    ]);
    expect(problemsOf(() => checkSweep('x'))).toHaveLength(1);
  });
});
