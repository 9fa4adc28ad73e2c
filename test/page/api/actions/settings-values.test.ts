// Settings in forms: nothing is lost between a form, a mapping and a file, and a form makes what the library takes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { METHOD_NAMES } from '../../../../evolution/config/names.ts';
import { defaultsFor } from '../../../../evolution/methods/defaults.ts';
import { checkSweep } from '../../../../evolution/sweep/spec.ts';
import { expandSweep } from '../../../../evolution/sweep/expand.ts';
import type { Json } from '../../../../evolution/types.ts';
import { asYaml, flat, listed, nested, read, written } from '../../../../page/api/actions/settings-values.ts';
import { EMPTY_SWEEP, formOf, runsOf, sweepOf } from '../../../../page/api/actions/sweep-form.ts';

type Mapping = { readonly [key: string]: Json };
const plain = (value: object): Mapping => JSON.parse(JSON.stringify(value)) as Mapping;

test.each(METHOD_NAMES)('the settings of %s go through a form and a file as they are', (method) => {
  const config = plain(defaultsFor({ method }));
  expect(nested(flat(config))).toEqual(config);
  expect(parse(asYaml(config))).toEqual(config);
});

test('no text changes in a file', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ maxLength: 12 }), (text, key) => {
      const settings = { a: { [key]: text }, [`b${key}`]: [text, 1, null, { deep: text }], c: text };
      expect(parse(asYaml(settings))).toEqual(settings);
    }),
    { numRuns: 200 },
  );
  for (const text of ['yes', 'no', 'null', '1e3', '0x10', '- a', 'a: b', '# a', '2026-11-23', '~', '1_000', 'a ', '.5'])
    expect(parse(asYaml({ a: text })), text).toEqual({ a: text });
});

describe('what is typed', () => {
  test.each([
    ['whole', '12', 12],
    ['number', '1e-3', 0.001],
    ['number', 'much', 'much'],
    ['flag', 'true', true],
    ['text', '12', '12'],
    ['text', 'null', null],
    ['list', 'score, length', ['score', 'length']],
    ['list', '[{"name":"cpu","bins":4}]', [{ name: 'cpu', bins: 4 }]],
    ['mapping', '{"in":1,"out":2}', { in: 1, out: 2 }],
    ['mapping', '{in', '{in'],
  ] as const)('as %s: %s', (type, text, value) => {
    expect(read({ type }, text)).toEqual(value);
    if (value !== null) expect(read({ type }, written(value as Json))).toEqual(value);
  });

  test('a list of values keeps their kinds', () => {
    expect(listed('1, 2.5, .5, 1., true, null, puct, 1e3,')).toEqual([1, 2.5, 0.5, 1, true, null, 'puct', 1000]);
  });
});

test('a sweep of a form is one that the library takes, with as many runs as the form says', () => {
  const form = {
    ...EMPTY_SWEEP,
    name: 'sizes',
    axes: [
      { key: 'batch', values: '2, 4' },
      { key: 'selection.kind', values: 'puct, power, rank' },
      { key: '', values: '' },
    ],
    seeds: '1, 2',
    repeat: '2',
  };
  const spec = checkSweep(sweepOf(form, { 'limits.steps': 3, method: 'openevolve' }));
  expect(spec.base).toEqual({ limits: { steps: 3 }, method: 'openevolve' });
  expect(expandSweep(spec, new Date(0), []).runs).toHaveLength(runsOf(form));
  expect(runsOf(form)).toBe(24);
  expect(() => checkSweep(sweepOf(EMPTY_SWEEP, {}))).toThrow(/name/);
});

test.each([
  { name: 'a', base: { limits: { steps: 3 } }, grid: { batch: [1, 2], 'selection.kind': ['puct'] }, seeds: [1, 2] },
  { name: 'a', grid: { 'population.features': [['score'], ['length', { name: 'cpu', bins: 3 }]] }, repeat: 2 },
  { name: 'a', list: [{ batch: 2 }, { seed: 3 }], maxParallel: 4, stopWhen: { halving: { first: 20 } } },
  { name: 'a', random: { samples: 3, space: { batch: [1, 2, 4] } }, stopWhen: { halving: { first: 20, factor: 3 } } },
])('a file goes through the form of a sweep as it is: %j', (file) => {
  const { form, base } = formOf(file as unknown as Mapping);
  expect(sweepOf(form, base)).toEqual(file);
});
