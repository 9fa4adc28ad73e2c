// One line of descent: the parent is always the best program so far, a tie leaves the earlier one (reference deltaevolve, section 2, Baselines). The prompt
// shows its code and feedback and no other program. Models and limits are those of DeltaEvolve's table. Read by presets.ts.
import type { MethodDefaults } from './method-defaults.ts';
import { thetaDefaults } from './theta.ts';

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
