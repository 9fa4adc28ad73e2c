// The settings of ThetaEvolve (arXiv 2511.23473, 4.1, Table 4; docs/methods/thetaevolve.md, Defaults).
import { preset } from './base.ts';

export const thetaDefaults = preset({
  method: 'theta',
  batch: 32,
  responses: 16,
  limits: { steps: 200 },
  population: { cap: 10_000, archive: 1_000, islands: 10 },
  prompt: { style: 'theta' },
  diff: { lazyScope: 'history' },
  model: { temperature: 1, topP: 1, maxTokens: 16_384 },
});
