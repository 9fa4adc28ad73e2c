// The recipe of the reward model as rm-config.yaml for Axolotl (AlphaResearch 2.3.1, 4.1; docs.axolotl.ai).
type RewardRecipe = {
  readonly baseModel: string;
  /** The class of the layers that FSDP wraps; it belongs to the base model. */
  readonly decoderLayer: string;
  readonly gpus: number;
  /** Examples that a GPU takes at once, and how often before a step. The batch is gpus * perGpu * accumulation. */
  readonly perGpu: number;
  readonly accumulation: number;
  readonly epochs: number;
  readonly learningRate: number;
  readonly schedule: 'cosine' | 'linear';
  readonly warmupSteps: number;
  readonly maxTokens: number;
  readonly saveEverySteps: number;
  readonly seed: number;
};

/** The batch is 128 = 2 * 2 * 32. */
export const REWARD_RECIPE: RewardRecipe = {
  baseModel: 'Qwen/Qwen2.5-7B-Instruct',
  decoderLayer: 'Qwen2DecoderLayer',
  gpus: 2,
  perGpu: 2,
  accumulation: 32,
  epochs: 2,
  learningRate: 1e-5,
  schedule: 'cosine',
  warmupSteps: 100,
  maxTokens: 16_384,
  saveEverySteps: 60,
  seed: 42,
};

/** The decoding of the trained model in its test; the gate has another number of tokens. */
export const REWARD_DECODING = { temperature: 0, topP: 1, maxTokens: 1000 } as const;

export const batchOf = ({ gpus, perGpu, accumulation }: RewardRecipe): number => gpus * perGpu * accumulation;

/** The steps of all epochs together; a last batch that is not full is a step. */
export const stepsOf = (recipe: RewardRecipe, records: number): number =>
  Math.ceil(records / batchOf(recipe)) * recipe.epochs;

/** The text of rm-config.yaml. `trainFile` is the path of rm-train.jsonl as the trainer will see it. */
export const rewardConfig = (
  recipe: RewardRecipe,
  trainFile = 'rm-train.jsonl',
): string => `# Reward model of AlphaResearch: full fine-tune on review records, written by \`evolve export reward-model\`.
# Batch ${batchOf(recipe)} = ${recipe.gpus} GPUs x ${recipe.perGpu} x ${recipe.accumulation}. Start it on ${recipe.gpus} GPUs:
#   accelerate launch --num_processes ${recipe.gpus} -m axolotl.cli.train rm-config.yaml
# With another number of GPUs change gradient_accumulation_steps, so that the batch stays.
# Test it on rm-eval.jsonl at temperature ${REWARD_DECODING.temperature}, top-p ${REWARD_DECODING.topP}, at most ${REWARD_DECODING.maxTokens} tokens.
base_model: ${recipe.baseModel}

# Loss on the response and its end-of-turn token only.
datasets:
  - path: ${JSON.stringify(trainFile)}
    ds_type: json
    type: chat_template
    field_messages: messages
    roles_to_train: [assistant]
    train_on_eos: turn
train_on_inputs: false
val_set_size: 0
sequence_len: ${recipe.maxTokens}
sample_packing: false

num_epochs: ${recipe.epochs}
micro_batch_size: ${recipe.perGpu}
gradient_accumulation_steps: ${recipe.accumulation}
optimizer: adamw_torch
learning_rate: ${yamlFloat(recipe.learningRate)}
weight_decay: 0.0
lr_scheduler: ${recipe.schedule}
warmup_steps: ${recipe.warmupSteps}
seed: ${recipe.seed}

bf16: true
tf32: true
gradient_checkpointing: true
fsdp_version: 2
fsdp_config:
  reshard_after_forward: true
  auto_wrap_policy: TRANSFORMER_BASED_WRAP
  transformer_layer_cls_to_wrap: ${recipe.decoderLayer}
  state_dict_type: FULL_STATE_DICT
  offload_params: false

# Every checkpoint is kept: the published gate used an early one.
save_steps: ${recipe.saveEverySteps}
logging_steps: 1
output_dir: ./rm-checkpoints
`;

/** With a dot and a signed exponent, because YAML 1.1 takes 1e-5 for a text. */
const yamlFloat = (value: number): string => value.toExponential().replace(/^(-?\d+)e/, '$1.0e');
