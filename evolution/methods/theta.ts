// ThetaEvolve's settings (reference thetaevolve, section 2, Settings; arXiv 2511.23473). Read by presets.ts.
import type { MethodDefaults } from './method-defaults.ts';

export const thetaDefaults: MethodDefaults = {
  method: 'theta',
  seed: 42,
  batch: 32,
  responses: 16,
  limits: { steps: 200, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null, noImprovementPrograms: null },
  population: {
    cap: 10_000, islandCap: null, archive: 1_000, islands: 10, map: 'grid', features: ['score', 'length'], bins: 32, cells: 60,
    grid: 'island', bounds: 'run', childIsland: 'parent', samplingIsland: 'round-robin', turn: 1, admitFailures: false, eviction: 'worst', protectOwners: false,
    keepInitial: false, founding: 1, siblings: null, islandSync: 'epoch',
  },
  selection: {
    kind: 'mixture', pool: 'island', exploration: 0.2, exploitation: 0.6, rest: 'population', alpha: 1, tournament: 3, lambda: 10, c: 1,
  },
  migration: { topology: 'ring', style: 'top', unit: 'children', interval: 50, rate: 0.1 },
  prompt: {
    priorPrograms: 0, eliteRatio: 0.3, elites: 0, diverse: 0, diverseBy: 'far-cells', inspirations: 0, inspirationsBy: 'rank', ancestors: 0,
    bestEver: false, scope: 'island', style: 'theta', scores: 'shown', draw: 'rule', feedback: 'full', failure: false, maxTokens: null,
    reintroduced: false, hints: [],
  },
  delta: { window: 20, disclosure: 'window', missing: 'fallback', eliteExcludesParent: false },
  ideation: { kind: 'none', gate: 'on', threshold: 5.5, judgeTemperature: 0, digits: 8, stopAtHuman: false },
  exploration: {
    schedule: 'none', start: 0.2, min: 0.2, max: 0.5, patience: 5, raise: 1.05, lower: 0.95, factor: 0.95, period: 50, metaPrompt: false,
    initMetaPrompt: false, pool: 'elites', exploitPrompt: 'own',
  },
  diff: { accept: 'edits', match: 'lines', strict: false, enforceBlock: true, maxCodeChars: 50_000, parse: 'answer', lazyScope: 'history' },
  reward: { kind: 'objective', lower: null, upper: null, alpha: 1, k: 3 },
  model: {
    kind: 'offline', baseUrl: null, name: 'offline', temperature: 1, topP: 1, maxTokens: 16_384, timeoutSeconds: 600, nativeN: 'auto', price: null,
    weight: 1, roles: ['exploit', 'explore', 'meta', 'idea'], reasoningEffort: null, stream: false,
  },
  models: [],
  modelChoice: 'weighted',
  embedding: { model: null, baseUrl: null, dimensions: null, threshold: null, scope: 'island', timeoutSeconds: 120, price: null },
  evaluation: { seed: 0, scoring: 'tolerant', acceptSavedOnTimeout: false, cpuSeconds: null, sandbox: 'auto' },
};
