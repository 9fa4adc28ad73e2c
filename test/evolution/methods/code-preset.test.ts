// The presets of CodeEvolve and of its ablation naive evolution (CodeEvolve C.1, C.2, 5.4).
import { expect, it } from 'vitest';
import type { MethodName } from '../../../evolution/config/names.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const configOf = (method: MethodName) =>
  configFrom({ method, model: { kind: 'openai', name: 'm', baseUrl: 'http://127.0.0.1:1/v1' } });

it('code: the open-weight column', () => {
  expect(configOf('code')).toMatchObject({
    batch: 10,
    responses: 1,
    limits: { steps: 250 },
    population: {
      islands: 10,
      initialisation: 10,
      map: 'cvt',
      cells: 60,
      grid: 'island',
      features: [{ name: 'score' }, { name: 'cpu', min: 0, max: 180 }],
    },
    selection: { kind: 'rank', pool: 'cells' },
    prompt: {
      style: 'conversation',
      inspirations: 2,
      inspirationsBy: 'rank',
      ancestors: 5,
      failure: true,
      priorPrograms: 0,
      elites: 0,
      diverse: 0,
      bestEver: false,
    },
    exploration: {
      schedule: 'plateau',
      start: 0.2,
      min: 0.2,
      max: 0.5,
      patience: 5,
      raise: 1.05,
      lower: 0.95,
      metaPrompt: true,
      initMetaPrompt: false,
      pool: 'elites',
      exploitPrompt: 'own',
    },
    migration: { topology: 'ring', style: 'once', unit: 'steps', interval: 25, rate: 0.1 },
    diff: { accept: 'either', strict: true, enforceBlock: true, lazyScope: 'parent' },
    model: { temperature: 0.7, topP: 0.8 },
  });
});

it('naive: no edited prompts, no inspirations, no ancestors, no cells but a cap of 60 an island, a fixed rate', () => {
  const { population, prompt, exploration, selection, ...rest } = configOf('naive');
  const {
    population: full,
    prompt: _prompt,
    exploration: _exploration,
    selection: _selection,
    ...same
  } = configOf('code');
  expect(rest).toEqual({ ...same, method: 'naive' });
  expect(population).toMatchObject({
    islands: full.islands,
    initialisation: full.initialisation,
    map: 'none',
    islandCap: 60,
    keepInitial: false,
  });
  expect(population.cap).toBeGreaterThanOrEqual(60 * full.islands);
  expect(prompt).toMatchObject({ style: 'conversation', inspirations: 0, ancestors: 0 });
  expect(exploration).toMatchObject({ schedule: 'constant', start: 0.2, metaPrompt: false });
  expect(selection).toMatchObject({ kind: 'rank', pool: 'island' });
});
