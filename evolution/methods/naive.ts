// Naive evolution, CodeEvolve's ablation: no edited prompts, no inspirations, no ancestors, no archive of cells, a fixed rate of exploration
// (reference codeevolve, section 2, Ablations). Read by presets.ts.
import { codeDefaults } from './code.ts';
import type { MethodDefaults } from './presets.ts';

export const naiveDefaults: MethodDefaults = {
  ...codeDefaults,
  method: 'naive',
  // 60 for each island, shared by all: the cap holds for the run.
  population: { ...codeDefaults.population, map: 'none', cap: 600, archive: 600, eviction: 'sparing' },
  selection: { ...codeDefaults.selection, pool: 'island' },
  prompt: { ...codeDefaults.prompt, inspirations: 0, ancestors: 0 },
  exploration: { ...codeDefaults.exploration, schedule: 'constant', metaPrompt: false },
};
