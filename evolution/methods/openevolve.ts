// OpenEvolve 0.3.2 as a preset (reference peers, section 3; thetaevolve, section 2, Preset openevolve): its selection rules, never its faults. The
// control that other methods are compared with. Read by presets.ts.
import type { MethodDefaults } from './method-defaults.ts';
import { thetaDefaults } from './theta.ts';

export const openevolveDefaults: MethodDefaults = {
  ...thetaDefaults,
  method: 'openevolve',
  batch: 1,
  responses: 1,
  limits: { ...thetaDefaults.limits, steps: 10_000 },
  population: {
    ...thetaDefaults.population, cap: 1_000, archive: 100, islands: 5, features: ['length', 'diversity'], bins: 10, protectOwners: true,
  },
  selection: { ...thetaDefaults.selection, kind: 'mixture', exploration: 0.2, exploitation: 0.7, rest: 'weighted' },
  migration: { topology: 'ring', style: 'natives', unit: 'children', interval: 50, rate: 0.1 },
  // Five elites: three best, and two of the next ranks as diverse programs.
  prompt: { ...thetaDefaults.prompt, style: 'openevolve', elites: 5, inspirations: 2, inspirationsBy: 'uniform', eliteRatio: 0.1 },
  diff: { ...thetaDefaults.diff, maxCodeChars: 10_000 },
  model: { ...thetaDefaults.model, temperature: 0.7, topP: 1, maxTokens: 4_096, timeoutSeconds: 60 },
};
