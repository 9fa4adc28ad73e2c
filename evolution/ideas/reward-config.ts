// The recipe of the reward model as rm-config.yaml for Axolotl (AlphaResearch 2.3.1, 4.1; docs.axolotl.ai).
export const REWARD_RECIPE = {
  baseModel: 'Qwen/Qwen2.5-7B-Instruct',
  gpus: 2,
  /** Examples that a GPU takes at once, and how often before a step. */
  perGpu: 2,
  accumulation: 32,
  epochs: 2,
  learningRate: 1e-5,
  schedule: 'cosine',
  warmupSteps: 100,
  maxTokens: 16_384,
  seed: 42,
} as const;
const { gpus, perGpu, accumulation, epochs } = REWARD_RECIPE;
export const REWARD_BATCH = gpus * perGpu * accumulation;

/** The decoding of the trained model in its test; the gate has another number of tokens. */
export const REWARD_DECODING = { temperature: 0, topP: 1, maxTokens: 1000 } as const;

/** The steps of all epochs together; a last batch that is not full is a step. */
export const stepsOf = (records: number): number => Math.ceil(records / REWARD_BATCH) * epochs;

/** The text of rm-config.yaml. A number has a dot and a signed exponent, because YAML 1.1 takes 1e-5 for a text. */
export const REWARD_CONFIG = `# Reward model of AlphaResearch: full fine-tune on review records, written by \`evolve export reward-model\`.
# Batch ${REWARD_BATCH} = ${gpus} GPUs x ${perGpu} x ${accumulation}. Start it on ${gpus} GPUs:
#   accelerate launch --num_processes ${gpus} -m axolotl.cli.train rm-config.yaml
# With another number of GPUs change gradient_accumulation_steps, so that the batch stays.
# Test it on rm-eval.jsonl at temperature ${REWARD_DECODING.temperature}, top-p ${REWARD_DECODING.topP}, at most ${REWARD_DECODING.maxTokens} tokens.
base_model: ${REWARD_RECIPE.baseModel}

# Loss on the response and its end-of-turn token only.
datasets:
  - path: "rm-train.jsonl"
    ds_type: json
    type: chat_template
    field_messages: messages
    roles_to_train: [assistant]
    train_on_eos: turn
train_on_inputs: false
val_set_size: 0
sequence_len: ${REWARD_RECIPE.maxTokens}
sample_packing: false

num_epochs: ${epochs}
micro_batch_size: ${perGpu}
gradient_accumulation_steps: ${accumulation}
optimizer: adamw_torch
learning_rate: 1.0e-5
weight_decay: 0.0
lr_scheduler: ${REWARD_RECIPE.schedule}
warmup_steps: ${REWARD_RECIPE.warmupSteps}
seed: ${REWARD_RECIPE.seed}

bf16: true
tf32: true
gradient_checkpointing: true
fsdp_version: 2
fsdp_config:
  reshard_after_forward: true
  auto_wrap_policy: TRANSFORMER_BASED_WRAP
  transformer_layer_cls_to_wrap: Qwen2DecoderLayer
  state_dict_type: FULL_STATE_DICT
  offload_params: false

# Every checkpoint is kept: the published gate used an early one.
save_steps: 60
logging_steps: 1
output_dir: ./rm-checkpoints
`;
