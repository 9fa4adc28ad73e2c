// The defaults of the byte-level model, which the reference trainer makes and which learns in minutes on two cores.
import type { LearningSettings, ModelSettings, PopulationSettings } from './run-config.ts';

/** `learning.base: bytes`, and the name of the model of a run that learns and names no model. */
export const BYTES_MODEL = 'bytes';

/** `bytes`, or with sizes as the reference trainer takes them: `bytes:layers=2,width=128`. */
export const isBytes = (base: string): boolean => base === BYTES_MODEL || base.startsWith(`${BYTES_MODEL}:`);

export const BYTES_SIZE = { batch: 4, responses: 8, steps: 24 } as const;
/** A policy repeats its best answer. Penalties over the whole history would push it away from what it learned. */
export const BYTES_DIFF = { lazyScope: 'parent' } as const;
export const BYTES_POPULATION: Partial<PopulationSettings> = { islands: 1, cap: 70, archive: 25 };
/** Digits stay even at any temperature; a lower one makes mistakes of form rare, so that updates learn from scores. */
export const BYTES_SAMPLING: Partial<ModelSettings> = {
  temperature: 0.5,
  topP: 1,
  maxTokens: 128,
  timeoutSeconds: 600,
};
/** With eps = 1 AdamW makes plain gradient steps. Steps of equal size broke the form of answers within 24 updates. */
export const BYTES_LEARNING: Partial<LearningSettings> & { readonly warmup: NonNullable<LearningSettings['warmup']> } =
  {
    optimizer: { learningRate: 0.2, beta1: 0.9, beta2: 0.98, eps: 1, weightDecay: 0, gradNorm: 1 },
    warmup: { examples: 256, steps: 150, batch: 8, learningRate: 0.01 },
  };

/** The values of a mapping that was written in part. */
export const WARMUP: NonNullable<LearningSettings['warmup']> = {
  examples: 256,
  steps: 200,
  batch: 16,
  learningRate: 1e-5,
};
export const LORA: NonNullable<LearningSettings['lora']> = { rank: 32, alpha: 32 };
