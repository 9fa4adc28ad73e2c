// DeltaEvolve's settings (reference deltaevolve, section 2, Configuration: the paper's Table 4; what that leaves open is OpenEvolve's).
// Read by presets.ts.
import { thetaDefaults } from './theta.ts';
import type { MethodDefaults } from './method-defaults.ts';

export const deltaDefaults: MethodDefaults = {
  ...thetaDefaults,
  method: 'delta',
  seed: 42,
  batch: 4,
  responses: 1,
  limits: { ...thetaDefaults.limits, steps: 25 },
  population: {
    cap: 40, islandCap: null, archive: 20, islands: 3, map: 'grid', features: ['length', 'diversity'], bins: 10, cells: 60,
    grid: 'island', bounds: 'run', childIsland: 'parent', samplingIsland: 'round-robin', turn: 1, admitFailures: false, eviction: 'worst', protectOwners: true,
    keepInitial: false, founding: 1, siblings: null, islandSync: 'epoch',
  },
  selection: { ...thetaDefaults.selection, kind: 'mixture', exploration: 0.2, exploitation: 0.7, rest: 'weighted' },
  migration: { topology: 'ring', style: 'natives', unit: 'children', interval: 10, rate: 0.1 },
  prompt: {
    priorPrograms: 0, eliteRatio: 0.1, elites: 3, diverse: 2, diverseBy: 'far-cells', inspirations: 0, inspirationsBy: 'rank', ancestors: 0,
    bestEver: false, scope: 'run', style: 'delta', scores: 'shown', draw: 'rule', feedback: 'full', failure: false, maxTokens: null,
    reintroduced: false, hints: [],
  },
  delta: { window: 20, disclosure: 'window', missing: 'fallback', eliteExcludesParent: false },
  diff: { accept: 'edits', match: 'lines', strict: false, enforceBlock: true, maxCodeChars: 10_000, parse: 'answer', lazyScope: 'parent' },
  model: { ...thetaDefaults.model, temperature: 0.7, topP: 0.95, maxTokens: 8192, timeoutSeconds: 600 },
  evaluation: { ...thetaDefaults.evaluation, cpuSeconds: 300 },
};
