// The settings of CodeEvolve (C.1, C.2, Table 8: the open-weight model; docs/methods/codeevolve.md, Defaults).
import { preset } from './base.ts';

export const codeDefaults = preset({
  method: 'code',
  // A step is one epoch of all islands, so the batch equals the number of islands.
  batch: 10,
  limits: { steps: 250 },
  population: {
    cap: 10_000,
    archive: 1_000,
    islands: 10,
    map: 'cvt',
    features: [{ name: 'score' }, { name: 'cpu', min: 0, max: 180 }],
    bounds: 'island',
    protectElites: true,
    keepInitial: true,
    initialisation: 10,
    islandSync: 'migration',
  },
  selection: { kind: 'rank', pool: 'cells' },
  migration: { style: 'once', unit: 'steps', interval: 25 },
  prompt: { style: 'conversation', inspirations: 2, ancestors: 5, failure: true },
  exploration: { schedule: 'plateau', metaPrompt: true },
  diff: { strict: true },
  model: { topP: 0.8, maxTokens: 16_384 },
});
