// These presets are the controls and baselines with which the four methods are compared.
import { preset } from './base.ts';
import { codeDefaults } from './code.ts';
import { thetaDefaults } from './theta.ts';

/** ThetaEvolve without a search (4.3.2). With `reward.kind: format` it is the paper's other baseline. */
export const staticDefaults = preset(
  { method: 'static', population: { keepInitial: true }, selection: { kind: 'initial' } },
  thetaDefaults,
);

/**
 * One line of descent: the parent is the best program so far, shown alone (DeltaEvolve 5.1). Models and limits are
 * those of DeltaEvolve's Table 4.
 */
export const greedyRefineDefaults = preset({
  method: 'greedy-refine',
  population: { cap: 40, archive: 20, islands: 1, map: 'none' },
  selection: { kind: 'best', pool: 'population' },
  migration: { topology: 'none' },
});

/** N independent answers, of which the best counts (DeltaEvolve 5.1), with the models and limits of its Table 4. */
export const parallelSamplingDefaults = preset({
  method: 'parallel-sampling',
  // No answer depends on another one, so the size of a step only says how many are asked for at once.
  batch: 10,
  limits: { steps: 10 },
  population: { cap: 40, archive: 20, islands: 1, map: 'none', keepInitial: true },
  selection: { kind: 'initial' },
  migration: { topology: 'none' },
  prompt: { style: 'task-only', feedback: 'none' },
});

/** OpenEvolve 0.3.2 (ThetaEvolve C.4; docs/methods/controls.md), the control with which methods are compared. */
export const openevolveDefaults = preset({
  method: 'openevolve',
  // One request for each island in flight at once. All are drawn from the state after the step before, so a draw lags
  // behind by at most a step, and programs enter in the order of their slots.
  batch: 5,
  limits: { steps: 2_000 },
  population: {
    features: ['length', 'diversity'],
    bins: 10,
    protectElites: true,
    childIsland: 'slot',
    displaced: 'leaves',
    rebin: 'elites',
  },
  selection: { exploitation: 0.7, rest: 'weighted' },
  migration: { style: 'natives' },
  // Five elites: the three best, and two of the next ranks as diverse programs.
  prompt: { elites: 5, inspirations: 2, inspirationsBy: 'neighbours', eliteRatio: 0.1 },
  diff: { maxCodeChars: 10_000 },
  model: { topP: 1, maxTokens: 4_096, timeoutSeconds: 60 },
});

/** Cosine similarity above which ShinkaEvolve's released code rejects a child of the same island. */
export const SHINKA_THRESHOLD = 0.99;

/**
 * ShinkaEvolve (arXiv 2509.19349) by its released code (0.0.7; docs/methods/controls.md, shinkaevolve): sigmoid
 * parents, inspirations from the archive, drawn patches, notes, random migrants, a bandit over models, and a judge of
 * near-duplicates where the run has an embedding model.
 */
export const shinkaevolveDefaults = preset({
  method: 'shinkaevolve',
  // Evaluations at once and programs of its large configuration.
  batch: 6,
  limits: { steps: 50 },
  population: { archive: 40, islands: 5, map: 'none' },
  selection: { kind: 'sigmoid', pool: 'archive', lambda: 10 },
  // Every ten programs of the run, that is two of each of five islands.
  migration: { style: 'random', topology: 'complete', interval: 2 },
  prompt: {
    elites: 2,
    inspirations: 4,
    inspirationsBy: 'archive',
    eliteRatio: 0.3,
    patches: { diff: 0.4, full: 0.4, cross: 0.2 },
    notes: 10,
  },
  model: { topP: 1, maxTokens: 16_384 },
  modelChoice: 'bandit',
  embedding: { judge: true },
});

/** Members of an island in CodeEvolve's naive archive: the cap of its released configurations (B.2). */
export const NAIVE_CAP = 60;

/**
 * Naive evolution, CodeEvolve's ablation: no edited prompts, inspirations, ancestors or cells, and a fixed rate of
 * exploration (CodeEvolve 5.4, B.2).
 */
export const naiveDefaults = preset(
  {
    method: 'naive',
    population: { map: 'none', islandCap: NAIVE_CAP, keepInitial: false },
    selection: { pool: 'island' },
    prompt: { inspirations: 0, ancestors: 0 },
    exploration: { schedule: 'constant', metaPrompt: false },
  },
  codeDefaults,
);
