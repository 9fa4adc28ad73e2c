// CodeEvolve's settings (reference codeevolve, section 2, Settings: the column of the open-weight model). Read by presets.ts.
import { thetaDefaults } from './theta.ts';
import type { MethodDefaults } from './method-defaults.ts';

export const codeDefaults: MethodDefaults = {
  ...thetaDefaults,
  method: 'code',
  seed: 42,
  // A step is one epoch of all islands: batch = islands.
  batch: 10,
  responses: 1,
  limits: { ...thetaDefaults.limits, steps: 250 },
  population: {
    cap: 10_000, islandCap: null, archive: 1_000, islands: 10, map: 'cvt', features: [{ name: 'score' }, { name: 'cpu', min: 0, max: 180 }], bins: 32, cells: 60,
    grid: 'island', bounds: 'island', childIsland: 'parent', samplingIsland: 'round-robin', turn: 1, admitFailures: false, eviction: 'worst', protectOwners: true,
    keepInitial: true, founding: 10, siblings: null, islandSync: 'migration',
  },
  selection: { ...thetaDefaults.selection, kind: 'rank', pool: 'cells' },
  migration: { topology: 'ring', style: 'once', unit: 'steps', interval: 25, rate: 0.1 },
  prompt: {
    ...thetaDefaults.prompt, style: 'conversation', inspirations: 2, inspirationsBy: 'rank', ancestors: 5, failure: true,
  },
  exploration: {
    schedule: 'plateau', start: 0.2, min: 0.2, max: 0.5, patience: 5, raise: 1.05, lower: 0.95, factor: 0.95, period: 50, metaPrompt: true,
    initMetaPrompt: false, pool: 'elites', exploitPrompt: 'own',
  },
  diff: { ...thetaDefaults.diff, strict: true, lazyScope: 'parent' },
  model: { ...thetaDefaults.model, temperature: 0.7, topP: 0.8 },
};
