// The form of a new run or sweep: the values that it holds, the defaults beneath them, the request, the problems.
import { describe, expect, test } from 'vitest';
import type { PlaceForm, SettingField, SettingsForm } from '../../../page/api/actions/forms.ts';
import {
  baseOf,
  bodyOf,
  fileOf,
  firstState,
  hasWords,
  problemsAt,
  problemsOf,
  setIn,
  valueIn,
  withFile,
  withValue,
  wordsIn,
} from '../../../page/view/settings/form.ts';
import { EMPTY_SWEEP } from '../../../page/api/actions/sweep-form.ts';
import type { Done } from '../../../page/api/actions/actions.ts';

const field = (key: string, more: Partial<SettingField> = {}): SettingField => ({
  ...{ key, section: 'All', type: 'whole', words: 'whole number', orNull: true, meaning: '', change: 'yes' },
  ...more,
});
const STEPS = field('limits.steps');
const PLACE = { tasks: [], keysFor: [], keyInEnvironment: false } as const;
const OFFLINE: PlaceForm = { ...PLACE, model: { kind: 'offline', name: null, baseUrl: null } };
const HERE: PlaceForm = { ...PLACE, model: { kind: 'openai', name: 'small', baseUrl: 'http://here/v1' } };
const SETTINGS = {
  fields: [],
  methods: ['theta', 'delta'],
  defaults: { batch: 8, 'model.name': 'none' },
  presets: { theta: { offline: { batch: 2 }, openai: {} }, delta: { offline: { batch: 3 }, openai: { batch: 4 } } },
} as unknown as SettingsForm;

describe('the values of a form', () => {
  test('are set, changed and taken out, and the others stay', () => {
    expect(withValue({ seed: 1 }, 'batch', 4)).toEqual({ seed: 1, batch: 4 });
    expect(withValue({ seed: 1, batch: 4 }, 'batch', undefined)).toEqual({ seed: 1 });
  });

  test.each([
    ['a number', '7', 10, 7],
    ['nothing for an empty field', '  ', 10, undefined],
    ['nothing for the value that holds anyway', '10', 10, undefined],
    ['no limit for "none"', 'none', 10, null],
    ['a text that is no number, for the check to refuse', 'many', 10, 'many'],
  ])('are %s', (_, text, base, value) => {
    expect(valueIn(STEPS, text, base)).toBe(value);
  });

  test('"none" is a word where a setting cannot be null', () => {
    expect(valueIn(field('task', { type: 'text', orNull: false }), 'none', undefined)).toBe('none');
  });

  test('of a run are those that differ from its defaults, and its task, method and model', () => {
    const defaults = { task: 'circles', method: 'theta', 'model.name': 'offline', batch: 8, seed: 0 };
    expect(setIn({ values: { ...defaults, seed: 3 }, defaults })).toEqual({
      ...{ task: 'circles', method: 'theta', 'model.name': 'offline', seed: 3 },
    });
  });
});

test.each([
  ['the method that is the default', {}, OFFLINE, 2],
  ['the method that is chosen', { method: 'delta' }, OFFLINE, 3],
  ['a model at an endpoint', { method: 'delta', 'model.baseUrl': 'http://there/v1' }, OFFLINE, 4],
  ['the model of the installation', { method: 'delta' }, HERE, 4],
  ['the offline model where another one is installed', { method: 'delta', 'model.name': 'offline' }, HERE, 3],
])('defaults are those of %s', (_, values, place, batch) => {
  expect(baseOf(values, SETTINGS, place)['batch']).toBe(batch);
});

test('the model of the installation is the default only where none is named', () => {
  expect(baseOf({}, SETTINGS, HERE)).toMatchObject({ 'model.name': 'small', 'model.baseUrl': 'http://here/v1' });
  expect(baseOf({ 'model.name': 'large' }, SETTINGS, HERE)['model.name']).toBe('none');
});

describe('the request of a form', () => {
  const state = {
    values: { 'limits.steps': 4 },
    ...{ run: ' first ', yaml: null },
    sweep: { ...EMPTY_SWEEP, name: 'sizes', seeds: '1, 2' },
  };

  test('has an id only where one is given', () => {
    expect(bodyOf(state, false)).toEqual({ settings: { limits: { steps: 4 } }, run: 'first' });
    expect(bodyOf({ ...state, run: ' ' }, false)).toEqual({ settings: { limits: { steps: 4 } } });
  });

  test('is a sweep over the values', () => {
    expect(bodyOf(state, true)).toEqual({ spec: { name: 'sizes', base: { limits: { steps: 4 } }, seeds: [1, 2] } });
  });
});

describe('the file of a form', () => {
  const plan = { config: {}, given: { seed: 7 }, lines: [], cost: '' };
  const done = { text: '', run: null, warnings: [], problems: [], plan } as Done;
  const state = { ...firstState({ batch: 4 }), yaml: 'seed: 7' };

  test('is what the form says, until another one is pasted', () => {
    expect(fileOf(firstState({ batch: 4 }), false)).toBe('batch: 4\n');
    expect(fileOf(state, false)).toBe('seed: 7');
  });

  test('is taken into the form, and stays beside it while something in it is wrong', () => {
    expect(withFile(state, done, false)).toMatchObject({ values: { seed: 7 }, yaml: null });
    const problems = [{ key: 'seed', message: 'wrong' }];
    expect(withFile(state, { ...done, problems }, false)).toMatchObject({ values: { seed: 7 }, yaml: 'seed: 7' });
    expect(withFile(state, { ...done, plan: null }, false)).toBe(state);
  });

  test('is a sweep over a base', () => {
    const sweep = { ...done, plan: { ...plan, given: { name: 'sizes', base: { batch: 2 }, seeds: [1, 2] } } } as Done;
    expect(withFile(state, sweep, true)).toMatchObject({
      values: { batch: 2 },
      sweep: { name: 'sizes', seeds: '1, 2' },
    });
  });
});

describe('problems of a form', () => {
  const refusal = 'set: limits.steps: expected a whole number, got "x"\n  seed.one: wrong\nthe run has ended';
  const problems = problemsOf(refusal, [STEPS, field('seed')]);

  test('are told apart by the settings that they name', () => {
    expect(problems).toEqual([
      { key: 'limits.steps', message: 'expected a whole number, got "x"' },
      { key: 'seed', message: 'seed.one: wrong' },
      { key: null, message: 'the run has ended' },
    ]);
  });

  test('stand beside their setting, also those of a part of it', () => {
    const part = { key: 'limits.steps.0', message: 'wrong' };
    expect(problemsAt([...problems, part], 'limits.steps')).toEqual([problems[0], part]);
    expect(problemsAt(problems, 'limits')).toEqual([problems[0]]);
    expect(problemsAt(problems, 'lim')).toEqual([]);
  });
});

test('a search in settings wants all words, in any case', () => {
  expect(hasWords('limits.steps The run ENDS after', wordsIn(' steps  ends '))).toBe(true);
  expect(hasWords('limits.steps', wordsIn('steps tokens'))).toBe(false);
  expect(wordsIn('  ')).toEqual([]);
});
