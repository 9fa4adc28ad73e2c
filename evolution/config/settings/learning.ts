// The settings of learning: trainer, data and formulas (docs/learning.md).
import { z } from 'zod';
import { above, ANY, endpointUrl, flag, modelName, oneOf, orNull, real, whole } from './leaves.ts';

const optimizer = z.strictObject({
  learningRate: real(0, 1).describe('Constant; 1e-6 suits full fine-tuning, LoRA needs 1e-5 to 4e-5.'),
  beta1: real(0, 0.9999),
  beta2: real(0, 0.999999),
  eps: above(0, 1),
  weightDecay: real(0, 1),
  gradNorm: orNull(above(0, 1e6)),
});
const clip = z.strictObject({ low: real(0, 1), high: real(0, 1e6) });
const truncatedIs = z.strictObject({ low: real(0, 1e6), high: above(0, 1e6) });
const lora = z.strictObject({ rank: whole(1, 4_096), alpha: above(0, 1e5) });
const warmup = z.strictObject({
  examples: whole(1, 100_000),
  steps: whole(1, 1_000_000),
  batch: whole(1, 10_000),
  learningRate: above(0, 1),
});
const price = z.strictObject({ train: real(0, 1e6) }, { error: 'a mapping with train (USD per million tokens)' });

export const learning = z.strictObject({
  trainer: oneOf('none', 'reference', 'tinker', 'trl', 'slime').describe(
    'Who trains the policy, which is the model with `trainable`; `none`: the run does not learn. It cannot change once it is another than none.',
  ),
  on: flag().describe('Whether updates are made; while it is false, the run goes on with the policy that it has.'),
  base: orNull(modelName()).describe(
    'What the policy is before its first update: the path of a model folder, `bytes` (a small byte-level model, made on the spot), or a name that the trainer knows; null: the name of the trainable model. It cannot change in a run that learns.',
  ),
  lag: z
    .union([z.literal(0), z.literal(1)], { error: '0 or 1' })
    .describe(
      '0: a step samples from the policy that was trained on the step before. 1: that update runs while the step samples from the one before it.',
    ),
  advantage: oneOf('grpo', 'grpo-nostd', 'entropic').describe(
    'How rewards become advantages: by mean and standard deviation of the group, by the mean alone, or entropic (TTT-Discover).',
  ),
  clip: clip.describe('Bounds of the ratio: from 1 - low to 1 + high.'),
  truncatedIs: orNull(truncatedIs).describe(
    "Bounds of the importance weight between the trainer's and the sampler's probability of a token; null: no such weight.",
  ),
  icepop: flag().describe(
    'Whether a token whose importance weight is outside the bounds counts nothing, instead of being cut to them.',
  ),
  optimizer: optimizer.describe('AdamW; `gradNorm`: the largest norm of the gradient, null: not limited.'),
  lora: orNull(lora).describe(
    'Low-rank adapters are trained instead of all weights; null: all weights. It cannot change in a run that learns.',
  ),
  whenConstant: oneOf('skip', 'step').describe(
    'When all groups of a step have constant rewards: no update, or an optimizer step without a gradient (AdamW decays and coasts).',
  ),
  sendConstant: flag().describe(
    'Whether groups of constant reward are sent to the trainer; either way they count in the mean over rollouts.',
  ),
  maxMismatch: above(0, 1_000).describe(
    "Nats between the trainer's and the sampler's logprob of a token, above which a rollout is left out and counted.",
  ),
  microBatchTokens: whole(1, ANY).describe('Tokens that the trainer handles at once; it decides memory, not results.'),
  server: orNull(endpointUrl()).describe(
    "Address of the trainer's API, for servers of Tinker's protocol; null: the trainer's own.",
  ),
  serve: oneOf('trainer', 'vllm', 'sglang').describe('Who serves policies: the trainer itself, vLLM or SGLang.'),
  serveUrl: orNull(endpointUrl()).describe('Address of the server of policies, where the trainer does not serve them.'),
  warmup: orNull(warmup).describe(
    "Supervised steps before the first update, on answers of the offline model to the task's own prompts, so that a small policy knows the format; null: none.",
  ),
  price: orNull(price).describe('USD per million tokens trained on; null: unknown, and cost is counted as 0.'),
  keep: whole(0, 100_000).describe(
    'Policies kept on disk: so many of the latest, and the best one; 0: all. Their documents stay.',
  ),
});

/** The settings as users write them: each key is optional, also within mappings. */
export const writtenLearning = learning
  .extend({
    clip: clip.partial(),
    optimizer: optimizer.partial(),
    truncatedIs: orNull(truncatedIs.partial()),
    lora: orNull(lora.partial()),
    warmup: orNull(warmup.partial()),
  })
  .partial();
