// Naive evolution, CodeEvolve's ablation: no edited prompts, no inspirations, no ancestors, no archive of cells, a fixed rate of exploration
// (reference codeevolve, section 2, Ablations). Read by presets.ts.
import { codeDefaults } from './code.ts';
import type { MethodDefaults } from './method-defaults.ts';

export const naiveDefaults: MethodDefaults = {
  ...codeDefaults,
  method: 'naive',
  population: { ...codeDefaults.population, map: 'none', islandCap: 60, keepInitial: false },
  selection: { ...codeDefaults.selection, pool: 'island' },
  prompt: { ...codeDefaults.prompt, inspirations: 0, ancestors: 0 },
  exploration: { ...codeDefaults.exploration, schedule: 'constant', metaPrompt: false },
};
