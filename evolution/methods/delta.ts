// The settings of DeltaEvolve (Table 4; docs/methods/deltaevolve.md, Defaults), else those of OpenEvolve.
import { preset } from './base.ts';

export const deltaDefaults = preset({
  method: 'delta',
  batch: 4,
  limits: { steps: 25 },
  population: { cap: 40, archive: 20, islands: 3, features: ['length', 'diversity'], bins: 10, protectElites: true },
  selection: { exploitation: 0.7, rest: 'weighted' },
  migration: { style: 'natives', interval: 10 },
  prompt: { style: 'delta', eliteRatio: 0.1, elites: 3, diverse: 2, scope: 'run' },
  diff: { maxCodeChars: 10_000 },
  evaluation: { cpuSeconds: 300 },
});
