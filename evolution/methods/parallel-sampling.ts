// N independent answers to the task and its initial program; the best of them counts (reference deltaevolve, section 2, Baselines). Models and limits are
// those of DeltaEvolve's table. Read by presets.ts.
import type { MethodDefaults } from './method-defaults.ts';
import { thetaDefaults } from './theta.ts';

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
