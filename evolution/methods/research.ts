// This preset holds the settings of AlphaResearch (docs/methods/alpharesearch.md, Defaults).
import { preset } from './base.ts';

export const researchDefaults = preset({
  method: 'research',
  // A round is one slot of a step: one parent and one answer.
  limits: { steps: 1_000 },
  population: { bins: 10, turn: 20, admitFailures: 'evaluated' },
  selection: { exploitation: 0.7 },
  migration: { style: 'natives' },
  prompt: { style: 'proposal', eliteRatio: 0.1 },
  ideation: { kind: 'proposal' },
  // Only a child that is its parent counts as unchanged, and nothing of the program is closed to edits.
  diff: { enforceBlock: false, maxCodeChars: 100_000 },
  model: { timeoutSeconds: 300 },
  evaluation: { cpuSeconds: 300 },
});
