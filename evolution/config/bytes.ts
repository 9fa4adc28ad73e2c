// The byte-level model, which the reference trainer makes on the spot: with which settings it learns within minutes on
// two cores, where nobody set them.
import type { LearningSettings, ModelSettings, PopulationSettings } from './run-config.ts';

/** `learning.base: bytes`, and the name of the model of a run that learns and names no model. */
export const BYTES_MODEL = 'bytes';

/** `bytes`, or with sizes as the reference trainer takes them: `bytes:layers=2,width=128`. */
export const isBytes = (base: string): boolean => base === BYTES_MODEL || base.startsWith(`${BYTES_MODEL}:`);

export const BYTES_SIZE = { batch: 4, responses: 8, steps: 24 } as const;
export const BYTES_POPULATION: Partial<PopulationSettings> = { islands: 1, cap: 70, archive: 25 };
export const BYTES_SAMPLING: Partial<ModelSettings> = { temperature: 1, topP: 1, maxTokens: 256, timeoutSeconds: 600 };
export const BYTES_LEARNING: Partial<LearningSettings> = {
  optimizer: { learningRate: 1e-3, beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0, gradNorm: 1 },
  warmup: { examples: 256, steps: 200, batch: 16, learningRate: 3e-3 },
};

/** What a mapping has that was written in part. */
export const WARMUP: NonNullable<LearningSettings['warmup']> = {
  examples: 256,
  steps: 200,
  batch: 16,
  learningRate: 1e-5,
};
export const LORA: NonNullable<LearningSettings['lora']> = { rank: 32, alpha: 32 };
