// AlphaResearch's settings (docs/methods/alpharesearch.md, Defaults).
import type { MethodDefaults } from '../config/run-config.ts';
import { thetaDefaults } from './theta.ts';

export const researchDefaults: MethodDefaults = {
  ...thetaDefaults,
  method: 'research',
  // A round is one slot of a step.
  batch: 1,
  responses: 1,
  limits: { ...thetaDefaults.limits, steps: 1_000 },
  population: {
    ...thetaDefaults.population,
    cap: 1_000,
    archive: 100,
    islands: 5,
    bins: 10,
    turn: 20,
    admitFailures: 'evaluated',
  },
  selection: { ...thetaDefaults.selection, kind: 'mixture', exploration: 0.2, exploitation: 0.7, rest: 'population' },
  migration: { topology: 'ring', style: 'natives', unit: 'children', interval: 50, rate: 0.1 },
  prompt: { ...thetaDefaults.prompt, style: 'proposal', priorPrograms: 0, eliteRatio: 0.1 },
  ideation: { kind: 'proposal', gate: 'on', threshold: 5.5, judgeTemperature: 0, digits: 8, stopAtHuman: true },
  // Only a child that is its parent counts as unchanged; nothing of the program is closed to edits.
  diff: { ...thetaDefaults.diff, enforceBlock: false, maxCodeChars: 100_000, lazyScope: 'parent' },
  model: { ...thetaDefaults.model, temperature: 0.7, topP: 0.95, maxTokens: 8_192, timeoutSeconds: 300 },
  evaluation: { ...thetaDefaults.evaluation, cpuSeconds: 300 },
};
