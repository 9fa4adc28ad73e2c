// Changes of a run's settings: what each does, and that what cannot be is refused by name and changes nothing.
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../evolution/config/config-error.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { changedKeys } from '../../../evolution/config/layers.ts';
import { changedConfig, changeOf, FIXED_KEYS, type SettingsChange } from '../../../evolution/methods/change.ts';
import type { Json } from '../../../evolution/types.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const configOf = (settings: object): RunConfig => configFrom(settings);
const REAL = configOf({
  model: { name: 'a', baseUrl: 'http://a/v1', price: { in: 1, out: 2 } },
  models: [{ name: 'b', weight: 2 }],
  limits: { steps: 10, tokens: 1000 },
});
const OFFLINE = configOf({});
const COSTLY = configOf({
  model: { name: 'a', baseUrl: 'http://a/v1', price: { in: 1, out: 2 } },
  limits: { costUsd: 2 },
});
const patch = (value: Json): SettingsChange => ({ kind: 'set', patch: value });
const hint = (island: number | null, text: string | null): SettingsChange => ({ kind: 'hint', island, hint: text });
const extend = (limits: Json, add = false): SettingsChange => ({ kind: 'extend', limits, add });
const add = (model: Json): SettingsChange => ({ kind: 'add-model', model });
const remove = (name: string): SettingsChange => ({ kind: 'remove-model', name });

describe('a patch', () => {
  test('merges key by key and leaves the rest', () => {
    const after = changedConfig(REAL, patch({ batch: 4, selection: { exploration: 0.1 }, limits: { tokens: null } }));
    expect(changedKeys(REAL, after)).toEqual(['batch', 'limits.tokens', 'selection.exploration']);
    expect(after).toEqual({
      ...REAL,
      batch: 4,
      selection: { ...REAL.selection, exploration: 0.1 },
      limits: { ...REAL.limits, tokens: null },
    });
  });
  test('replaces lists; entries are completed', () => {
    const after = changedConfig(REAL, patch({ models: [{ name: 'c' }], prompt: { hints: [{ text: 'x' }] } }));
    expect(after.models).toEqual([{ ...REAL.model, name: 'c', price: null }]);
    expect(after.prompt.hints).toEqual([{ island: null, text: 'x' }]);
    expect(changedKeys(REAL, after)).toEqual(['prompt.hints', 'models']);
  });
  test('of the present settings changes nothing, fixed ones included', () => {
    expect(changedKeys(REAL, changedConfig(REAL, patch(REAL as unknown as Json)))).toEqual([]);
    expect(changedKeys(REAL, changedConfig(REAL, patch({})))).toEqual([]);
  });
  test('that names another kind of model drops what belonged to the old one', () => {
    expect(changedConfig(REAL, patch({ model: { kind: 'offline' } })).model).toMatchObject({
      kind: 'offline',
      name: 'offline',
      baseUrl: null,
      price: { in: 0, out: 0 },
    });
    expect(changedConfig(OFFLINE, patch({ model: { name: 'm', baseUrl: 'http://m/v1/' } })).model).toMatchObject({
      kind: 'openai',
      name: 'm',
      baseUrl: 'http://m/v1',
      price: null,
    });
  });
});

describe('extend', () => {
  test('sets, adds and removes limits', () => {
    expect(changedConfig(REAL, extend({ steps: 20, noImprovementPrograms: 64 })).limits).toMatchObject({
      steps: 20,
      noImprovementPrograms: 64,
      tokens: 1000,
    });
    expect(changedConfig(REAL, extend({ steps: 5, wallSeconds: 60 }, true)).limits).toMatchObject({
      steps: 15,
      wallSeconds: 60,
    });
    expect(changedConfig(REAL, extend({ tokens: null })).limits).toMatchObject({ steps: 10, tokens: null });
  });
});

describe('models', () => {
  test('are added, replaced in place and removed', () => {
    const more = changedConfig(REAL, add({ name: 'c', temperature: 0.5 }));
    expect(more.models.map(({ name, temperature, weight }) => [name, temperature, weight])).toEqual([
      ['b', 1, 2],
      ['c', 0.5, 1],
    ]);
    expect(changedConfig(more, add({ name: 'b', weight: 7 })).models.map(({ name, weight }) => [name, weight])).toEqual(
      [
        ['b', 7],
        ['c', 1],
      ],
    );
    expect(changedConfig(REAL, add({ name: 'a', topP: 0.5 })).model).toEqual({ ...REAL.model, topP: 0.5 });
    expect(changedConfig(REAL, remove('b')).models).toEqual([]);
  });
  test('removing the first promotes the next', () => {
    const after = changedConfig(REAL, remove('a'));
    expect(after.model).toEqual(REAL.models[0]);
    expect(after.models).toEqual([]);
    const mixed = changedConfig(REAL, add({ name: 'offline' }));
    expect(changedConfig(changedConfig(mixed, remove('a')), remove('b')).model).toEqual(mixed.models[1]);
  });
});

test('hints are set, replaced and removed, one for each island and one for all', () => {
  const one = changedConfig(OFFLINE, hint(null, 'think'));
  const two = changedConfig(one, hint(0, 'small'));
  expect(changedConfig(two, hint(null, 'again')).prompt.hints).toEqual([
    { island: null, text: 'again' },
    { island: 0, text: 'small' },
  ]);
  expect(changedConfig(two, hint(null, null)).prompt.hints).toEqual([{ island: 0, text: 'small' }]);
});

const REFUSED: readonly (readonly [config: RunConfig, change: SettingsChange, ...parts: string[]])[] = [
  [REAL, patch({ population: { island: 3 } }), 'set: population.island: unknown key. Did you mean "islands"?'],
  [REAL, patch({ batch: 'ten' }), 'set: batch: expected a whole number from 1 to 1000000, got "ten".'],
  [REAL, patch({ batch: null }), 'set: batch: expected a whole number', 'got null'],
  [REAL, patch({ population: { cap: 20 } }), 'set: population.archive: expected at most population.cap (20)'],
  [REAL, patch([1]), 'set: expected a mapping of settings such as {"batch": 16}, got a list ([1]).'],
  [REAL, patch({ model: { apiKey: 'x' } }), 'set: model.apiKey: unknown key. API keys are never settings'],
  [
    OFFLINE,
    patch({ population: { islands: 5 } }),
    'set: population.islands: cannot change in a run: programs and generations belong to islands',
    'It is 4, got 5; start another run with it.',
  ],
  [REAL, patch({ seed: 'x' }), 'set: seed: cannot change in a run'],
  [OFFLINE, patch({ limits: { steps: null } }), 'set: limits.steps: a run needs an end'],
  [
    REAL,
    extend({}),
    'extend: expected at least one of steps, programs, tokens, costUsd, wallSeconds, targetScore, noImprovementPrograms, stagnantEpochs, got none.',
  ],
  [REAL, extend({ stepz: 3 }), 'extend: limits.stepz: unknown key. Did you mean "steps"?'],
  [REAL, extend({ steps: '5' }, true), 'extend: limits.steps: expected a whole number from 1 to 999999, got "5".'],
  [REAL, extend({ steps: -2 }, true), 'extend: limits.steps: expected a whole number from 1 to 999999, got -2.'],
  [
    REAL,
    extend({ steps: 999_999 }, true),
    'extend: limits.steps: expected a whole number from 1 to 999999, got 1000009.',
  ],
  [OFFLINE, extend({ steps: null }), 'extend: limits.steps: a run needs an end'],
  [
    OFFLINE,
    extend({ steps: null, costUsd: 2 }),
    'extend: limits.steps: a run needs an end that is sure to come, and a limit on cost (costUsd 2) is none',
  ],
  [
    COSTLY,
    patch({ model: { price: { in: 0, out: 0 } } }),
    'set: ',
    'limits.steps: a run needs an end that is sure to come, and a limit on cost (costUsd 2) is none',
  ],
  [REAL, extend({ costUsd: 2 }), 'extend: limits.costUsd: a limit on cost needs models.0.price (of b;'],
  [REAL, add({ temperature: 1 }), 'add-model: model.name: expected a model name, got nothing.'],
  [REAL, add({ name: 'c', temprature: 1 }), 'add-model: model.temprature: unknown key. Did you mean "temperature"?'],
  [REAL, add('c'), 'add-model: expected a mapping of model settings such as {"name": "my-model"}, got "c".'],
  [OFFLINE, add({ name: 'c' }), 'add-model: models.0.baseUrl: expected the URL of an endpoint, got none'],
  [REAL, remove('bb'), 'remove-model: name: the run has no model "bb". Did you mean "b"?'],
  [OFFLINE, remove('offline'), "remove-model: name: offline is the run's only model. Add another one first"],
  [OFFLINE, hint(4, 'x'), 'hint: prompt.hints.0.island: expected an island from 0 to 3, or null for all, got 4'],
  [OFFLINE, hint(0, ''), 'hint: prompt.hints.0.text: expected a text of 1 to 2000 characters, got "".'],
  [OFFLINE, hint(2, null), 'hint: there is no hint for island 2 to remove. The run has no hints.'],
];

describe('what cannot be', () => {
  test.each(REFUSED.map(([config, change, ...parts]) => ({ config, change, parts })))(
    '$change is refused: $parts',
    ({ config, change, parts }) => {
      const before = structuredClone(config);
      let problems: readonly string[] = [];
      try {
        changedConfig(config, change);
      } catch (error) {
        problems = error instanceof ConfigError ? error.problems : [String(error)];
      }
      expect(problems).toHaveLength(1);
      for (const part of parts) expect(problems[0]).toContain(part);
      expect(config).toEqual(before);
    },
  );
  test('all problems of a patch are told together', () => {
    expect(() => changedConfig(REAL, patch({ seed: 1, batch: 0, zzz: 1 }))).toThrow(/^3 problems/);
  });
});

test('every fixed key is a setting, and the reference tells the three kinds apart', () => {
  for (const key of FIXED_KEYS)
    expect(
      key.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], REAL),
    ).toBeDefined();
  expect(['seed', 'model.name', 'limits.steps', 'batch', 'selection.kind', 'migration.topology'].map(changeOf)).toEqual(
    ['no', 'at once', 'at once', 'yes', 'yes', 'yes'],
  );
});
