// ThetaEvolve without a search: every parent is the initial program (ThetaEvolve 4.3.2). With `reward.kind: format`
// it is the other baseline.
import type { MethodDefaults } from '../config/run-config.ts';
import { codeDefaults } from './code.ts';
import { thetaDefaults } from './theta.ts';

export const staticDefaults: MethodDefaults = {
  ...thetaDefaults,
  method: 'static',
  population: { ...thetaDefaults.population, keepInitial: true },
  selection: { ...thetaDefaults.selection, kind: 'initial' },
};

// One line of descent: the parent is always the best program so far, a tie leaves the earlier one (DeltaEvolve 5.1).
// The prompt shows its code and feedback and no other program. Models and limits are those of DeltaEvolve's table.
export const greedyRefineDefaults: MethodDefaults = {
  ...thetaDefaults,
  method: 'greedy-refine',
  batch: 1,
  responses: 1,
  limits: { ...thetaDefaults.limits, steps: 100 },
  population: { ...thetaDefaults.population, cap: 40, archive: 20, islands: 1, map: 'none' },
  selection: { ...thetaDefaults.selection, kind: 'best', pool: 'population' },
  migration: { ...thetaDefaults.migration, topology: 'none' },
  prompt: { ...thetaDefaults.prompt, style: 'openevolve' },
  model: { ...thetaDefaults.model, temperature: 0.7, topP: 0.95, maxTokens: 8_192 },
};

// N independent answers to the task and its initial program; the best of them counts (DeltaEvolve 5.1). Models and
// limits are those of DeltaEvolve's table.
export const parallelSamplingDefaults: MethodDefaults = {
  ...thetaDefaults,
  method: 'parallel-sampling',
  // Nothing depends on anything: the size of a step only says how many are asked at once.
  batch: 10,
  responses: 1,
  limits: { ...thetaDefaults.limits, steps: 10 },
  population: { ...thetaDefaults.population, cap: 40, archive: 20, islands: 1, map: 'none', keepInitial: true },
  selection: { ...thetaDefaults.selection, kind: 'initial' },
  migration: { ...thetaDefaults.migration, topology: 'none' },
  prompt: { ...thetaDefaults.prompt, style: 'task-only', feedback: 'none' },
  diff: { ...thetaDefaults.diff, lazyScope: 'parent' },
  model: { ...thetaDefaults.model, temperature: 0.7, topP: 0.95, maxTokens: 8_192 },
};

// OpenEvolve 0.3.2 as a preset (ThetaEvolve C.4; docs/methods/controls.md, openevolve): its selection rules, never
// its faults. The control that other methods are compared with.
export const openevolveDefaults: MethodDefaults = {
  ...thetaDefaults,
  method: 'openevolve',
  batch: 1,
  responses: 1,
  limits: { ...thetaDefaults.limits, steps: 10_000 },
  population: {
    ...thetaDefaults.population,
    cap: 1_000,
    archive: 100,
    islands: 5,
    features: ['length', 'diversity'],
    bins: 10,
    protectOwners: true,
  },
  selection: { ...thetaDefaults.selection, kind: 'mixture', exploration: 0.2, exploitation: 0.7, rest: 'weighted' },
  migration: { topology: 'ring', style: 'natives', unit: 'children', interval: 50, rate: 0.1 },
  // Five elites: three best, and two of the next ranks as diverse programs.
  prompt: {
    ...thetaDefaults.prompt,
    style: 'openevolve',
    elites: 5,
    inspirations: 2,
    inspirationsBy: 'uniform',
    eliteRatio: 0.1,
  },
  diff: { ...thetaDefaults.diff, maxCodeChars: 10_000 },
  model: { ...thetaDefaults.model, temperature: 0.7, topP: 1, maxTokens: 4_096, timeoutSeconds: 60 },
};

// Naive evolution, CodeEvolve's ablation: no edited prompts, no inspirations, no ancestors, no archive of cells, a
// fixed rate of exploration (CodeEvolve 5.4, B.2).
export const naiveDefaults: MethodDefaults = {
  ...codeDefaults,
  method: 'naive',
  population: { ...codeDefaults.population, map: 'none', islandCap: 60, keepInitial: false },
  selection: { ...codeDefaults.selection, pool: 'island' },
  prompt: { ...codeDefaults.prompt, inspirations: 0, ancestors: 0 },
  exploration: { ...codeDefaults.exploration, schedule: 'constant', metaPrompt: false },
};
