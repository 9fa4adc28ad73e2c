// Training of a judge on texts (AlphaResearch 2.3.1), which belongs to no run: the texts are stored, and the workflow
// that updates policies makes one for each epoch.
import { setTimeout as sleep } from 'node:timers/promises';
import { storedExamples } from '../../activities/learning/batch.ts';
import { trainingPolicies } from '../../activities/learning/training.ts';
import type { LearningBrief, Training, UpdateOrder } from '../../activities/interface/learning.ts';
import type { PolicyDocument } from '../../activities/store/documents/learning-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { trainingWorkflowId, WORKFLOW_QUEUE } from '../../evolution/ids.ts';
import { REWARD_BATCH, REWARD_RECIPE } from '../../evolution/ideas/reward-config.ts';
import type { UpdateOperation } from '../../workflows/messages/messages.ts';
import { checkParts } from '../runs/check-parts.ts';
import { fieldsOf, readRecords, shownRecord } from './reward-model.ts';
import type { Engine, Parts } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';
import { ensureLearning } from '../runs/learning-parts.ts';
import { isAlreadyStarted } from '../temporal/workflow.ts';
import { internal } from '../../workflows/engine/form.ts';

/** A line of rm-train.jsonl: what the gate asks, and the answer to learn. */
export type TrainRecord = { readonly question: string; readonly response: string };

export const readTrainRecords = (text: string, file: string): readonly TrainRecord[] =>
  readRecords(text, file, 'line {question, response}', (record, line) => {
    const { question, response } = fieldsOf(record);
    return isText(question) && isText(response)
      ? []
      : [`expected {question, response}, a line of rm-train.jsonl, got ${shownRecord(record, line)}`];
  });

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** The choices of a person for a training; the rest is the published recipe. */
export type TrainingChoice = Pick<
  Training,
  'trainer' | 'base' | 'seed' | 'epochs' | 'batchSize' | 'learningRate' | 'schedule'
> & {
  readonly server: string | null;
  readonly serveUrl: string | null;
  readonly serve: string;
  /** Null: all weights. */
  readonly lora: { readonly rank: number; readonly alpha: number } | null;
};

export const TRAINING_DEFAULTS = {
  ...{ trainer: 'reference', base: REWARD_RECIPE.baseModel, epochs: REWARD_RECIPE.epochs },
  ...{ batchSize: REWARD_BATCH, learningRate: REWARD_RECIPE.learningRate, seed: REWARD_RECIPE.seed },
  schedule: REWARD_RECIPE.schedule,
} as const;

/** AdamW as the recipe has it, without decay. */
const ADAM = { beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, gradNorm: 1 };
/** The recipe's 100 steps are 26 % of its 382; a short training has no more than a third. */
const WARMUP_SHARE = 3;

/** Stores the texts, and gives the training: the same choice and texts give the same one. */
export const storedTraining = async (
  store: Pick<Store, 'putBatch'>,
  name: string,
  records: readonly TrainRecord[],
  choice: TrainingChoice,
): Promise<Training> => {
  const { lora, ...rest } = choice;
  const { base, seed, batchSize, epochs, learningRate } = rest;
  const hyper = {
    temperature: 1,
    optimizer: { learningRate, ...ADAM },
    lora,
    microBatchTokens: REWARD_RECIPE.maxTokens,
  };
  const examples = records.map(({ question, response }, index) => ({
    id: `judge:${index}`,
    messages: JSON.stringify([{ role: 'user', content: question }]),
    response,
  }));
  const steps = Math.ceil(records.length / batchSize);
  return {
    ...rest,
    hyper,
    batch: await storedExamples(store, name, examples, { base, seed, hyper: JSON.stringify(hyper) }),
    steps,
    warmup: Math.min(REWARD_RECIPE.warmupSteps, Math.ceil((steps * epochs) / WARMUP_SHARE)),
  };
};

/** Throws where the name is taken: by a run, or by policies that this training does not make. */
export const requireOwnName = async (store: Store, name: string, training: Training): Promise<void> => {
  if ((await store.readRun(name)) !== null)
    throw new UsageError(`<name>: there is a run "${name}" already: choose another name for the judge`);
  const own = new Set(trainingPolicies(name, training));
  const other = (await store.listPolicies(name)).find(({ _id }) => !own.has(_id));
  if (other !== undefined)
    throw new UsageError(
      `<name>: "${name}" is trained already, with other data or settings (${other._id}): choose another name, so that ${name}@${other.version} stays what it is`,
    );
};

/** Takes the lines of progress; a line is not repeated. */
export type Progress = (line: string) => void;

/**
 * Has the judge trained and resolves to its policies, first to last. A training that is under way, or was parked, is
 * gone on with; what it made before is found again.
 */
export const trainJudge = async (
  parts: Parts,
  name: string,
  { records, choice }: { readonly records: readonly TrainRecord[]; readonly choice: TrainingChoice },
  say: Progress,
): Promise<readonly PolicyDocument[]> => {
  const { place } = parts;
  await checkParts(place, []);
  await ensureLearning(place, [{ learning: choice }], async (use) => use(await parts.store()));
  const store = await parts.store();
  const training = await storedTraining(store, name, records, choice);
  await requireOwnName(store, name, training);
  const engine = await parts.engine();
  await followed(engine, name, training, say);
  const policies = new Map((await store.listPolicies(name)).map((policy) => [policy._id, policy]));
  return trainingPolicies(name, training).map((id) => policies.get(id)!);
};

const UPDATE_WORKFLOW = 'policyUpdate';
const LOOK_MS = 1_000;

/** The workflow's own word (workflows/messages/messages.ts). */
type InUpdate = { readonly operation: UpdateOperation; readonly order: UpdateOrder | null };

const AT_WORK: { readonly [operation in UpdateOperation]: string } = {
  ...{ plan: 'is planned', apply: 'is trained', publish: 'is handed to the server' },
  ...{ verify: 'is asked for an answer', commit: 'is kept' },
};

const followed = async ({ client }: Engine, name: string, training: Training, say: Progress): Promise<void> => {
  const workflowId = trainingWorkflowId(name, training.epochs);
  const { trainer, epochs } = training;
  const handle = await client.workflow
    .start<(input: object) => Promise<LearningBrief>>(UPDATE_WORKFLOW, {
      workflowId,
      taskQueue: WORKFLOW_QUEUE,
      args: [internal({ run: name, step: epochs, owner: name, trainer, policy: null, training })],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `judge ${name}: ${epochs} epochs on ${training.batch.rows} texts`,
    })
    .catch(async (error: unknown) => {
      if (!isAlreadyStarted(error)) throw error;
      const open = client.workflow.getHandle<() => Promise<LearningBrief>>(workflowId);
      await open.signal('retry', {});
      return open;
    });
  let ended = false;
  const result = handle.result().finally(() => {
    ended = true;
  });
  // Whoever waits below is told of a failure by `result`.
  result.catch(() => undefined);
  for (let lastLine = ''; !ended;) {
    await Promise.race([result.catch(() => undefined), sleep(LOOK_MS)]);
    if (ended) break;
    const now = await handle.query<InUpdate, []>('inUpdate').catch(() => null);
    const line = now?.order == null ? '' : `${now.order.policy} ${AT_WORK[now.operation]}`;
    if (line !== '' && line !== lastLine) say(line);
    lastLine = line;
  }
  await result;
};
