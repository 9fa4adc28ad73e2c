// Ablations compose: a control wins over the file that it is asked for over, and one model may serve two roles.
import { describe, expect, it } from 'vitest';
import { changedConfig } from '../../../evolution/methods/change.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { modelId, modelsFor } from '../../../evolution/models/ensemble.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const FILE = {
  method: 'code',
  population: { islands: 5, map: 'grid', cells: 30 },
  prompt: { ancestors: 5, inspirations: 2 },
  exploration: { start: 0.3 },
  limits: { steps: 200 },
};
const over = (flags: object, file: object = FILE) =>
  resolveConfig([
    { settings: file, where: (path) => `run.yaml ${path.join('.')}` },
    { settings: flags, where: (path) => `--${path.join('.')}` },
  ]);
const openai = { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', name: 'm' };
const resolve = (settings: object) => configFrom(settings);

describe('a control over a file of settings', () => {
  it('naive takes away what the file sets of it, says so, and keeps the rest', () => {
    const { config, notes } = over({ method: 'naive' });
    expect(config).toMatchObject({
      method: 'naive',
      population: { islands: 5, map: 'none', islandCap: 60 },
      selection: { pool: 'island' },
      prompt: { ancestors: 0, inspirations: 0 },
      exploration: { schedule: 'constant', metaPrompt: false, start: 0.3 },
      limits: { steps: 200 },
    });
    expect(notes).toEqual([
      'run.yaml population.map: population.map is not taken: method naive (--method) decides it',
      'run.yaml prompt.inspirations: prompt.inspirations is not taken: method naive (--method) decides it',
      'run.yaml prompt.ancestors: prompt.ancestors is not taken: method naive (--method) decides it',
    ]);
  });

  it('obeys who names control and setting in one place, or the setting in a stronger one', () => {
    const file = { ...FILE, method: 'naive', population: { islands: 5, map: 'none' } };
    expect(over({}, file).config.prompt.ancestors).toBe(5);
    expect(over({ method: 'naive' }, file).config.prompt.ancestors).toBe(5);
    expect(over({ method: 'naive', prompt: { inspirations: 1 } }).config.prompt).toMatchObject({
      inspirations: 1,
      ancestors: 0,
    });
  });

  it.each(['static', 'openevolve', 'greedy-refine', 'parallel-sampling'])('%s is itself over any file', (method) => {
    const { config } = over(
      { method },
      { ...FILE, selection: { kind: 'rank' }, prompt: { style: 'conversation', ancestors: 5, inspirations: 2 } },
    );
    const own = resolve({ method, limits: { steps: 200 } });
    expect(config.selection.kind).toBe(own.selection.kind);
    expect(config.population.map).toBe(method === 'static' ? 'grid' : own.population.map);
    expect(config.prompt.style).toBe(method === 'static' ? 'conversation' : own.prompt.style);
  });
});

it('without cells, code has the naive archive: capped islands whose members breed and migrate', () => {
  const { population, selection, migration } = over({ population: { map: 'none' } }).config;
  expect(population).toMatchObject({ map: 'none', islandCap: 60 });
  expect(selection.pool).toBe('island');
  expect(migration.style).toBe('once');
  expect(over({ population: { map: 'none', islandCap: 40 } }).config.population.islandCap).toBe(40);
});

describe('one model in two roles', () => {
  const twice = {
    method: 'code',
    model: openai,
    models: [{ name: 'm', roles: ['explore'], temperature: 0.9 }],
  };

  it('has another temperature where it explores, and a name of its own there', () => {
    const config = resolve(twice);
    expect(modelsFor(config, 'explore').map(({ name, temperature }) => [name, temperature])).toEqual([['m', 0.9]]);
    expect(modelsFor(config, 'exploit').map(({ name, temperature }) => [name, temperature])).toEqual([['m', 0.7]]);
    expect([config.model, ...config.models].map(modelId)).toEqual(['m', 'm (explore)']);
    expect(resolve(config)).toEqual(config);
  });

  it('is refused where nothing tells the two apart, and taken with an alias', () => {
    const same = { ...twice, model: { ...openai, roles: ['exploit', 'explore', 'meta'] } };
    expect(() => resolve(same)).toThrow(
      /models\.0\.name: expected a name of its own, got m, which an earlier model has: give it an alias, or other roles/,
    );
    const aliased = resolve({ ...same, models: [{ ...same.models[0], alias: 'm warm' }] });
    expect(modelsFor(aliased, 'explore').map(modelId)).toEqual(['m', 'm warm']);
  });

  it('is changed and removed in a run under the name that tells it apart', () => {
    const config = resolve(twice);
    const added = changedConfig(config, { kind: 'add-model', model: { name: 'm', alias: 'm hot', temperature: 1.2 } });
    expect([added.model, ...added.models].map(modelId)).toEqual(['m', 'm (explore)', 'm hot']);
    const removed = changedConfig(added, { kind: 'remove-model', name: 'm (explore)' });
    expect([removed.model, ...removed.models].map(modelId)).toEqual(['m', 'm hot']);
  });
});
