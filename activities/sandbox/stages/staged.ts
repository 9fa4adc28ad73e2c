// Wraps an evaluator: the stages of its task come first, and a program that falls short ends there. Where a result can be
// kept, each stage is kept by itself, so that it is not repeated after a crash.
import type { Evaluation, StageResult } from '../../../evolution/scoring/evaluation.ts';
import { scoreAskedFor } from '../../../evolution/scoring/ranking.ts';
import { endedAt, goesOn, stageResult, atStage, WHOLE } from '../../../evolution/scoring/task-stages.ts';
import type { Task, TaskStage } from '../../../evolution/task/task.ts';
import type { Scorer } from '../contract/types.ts';
import { createEvaluator, type EvaluationJob, type Evaluator } from '../host/evaluator.ts';

/** Results of stages, by the key of each. */
export type KeptStages = {
  get(key: string): Promise<Evaluation | undefined>;
  put(key: string, evaluation: Evaluation): Promise<void>;
};

type StagedJob = EvaluationJob & { readonly kept?: KeptStages | undefined };
type Staged = Omit<Evaluator, 'evaluate'> & {
  evaluate(job: StagedJob, signal: AbortSignal): Promise<Evaluation>;
};

type Parts = Omit<Parameters<typeof createEvaluator>[0], 'scorer'> & {
  readonly scorerFor: (task: Task) => Scorer;
  /** Wraps the evaluator of the whole task. */
  readonly around?: (evaluator: Evaluator) => Evaluator;
};

/** The evaluator of a task with its stages. Each stage has a scorer of its own; `scorer` is that of the whole. */
export const createStaged = ({ scorerFor, around = (one) => one, ...parts }: Parts) => {
  const scorers: Scorer[] = [];
  const make = (task: Task): Evaluator => {
    const scorer = scorerFor(task);
    scorers.push(scorer);
    return createEvaluator({ ...parts, scorer, task });
  };
  const evaluator = staged(around(make(parts.task)), parts.task, make);
  const close = async (): Promise<void> => {
    await Promise.all(scorers.map((one) => one.close()));
  };
  return { evaluator, scorer: scorers[0]!, close };
};

/** `make` makes the evaluator of a stage, from the task as the stage asks it. Hidden instances have no stages. */
const staged = (whole: Evaluator, task: Task, make: (task: Task) => Evaluator): Staged => {
  const stages = (task.stages ?? []).map((stage) => ({ stage, evaluator: make(atStage(task, stage)) }));
  if (stages.length === 0) return whole;
  return {
    ...whole,
    evaluate: async ({ kept, ...job }, signal) => {
      if (job.holdout) return whole.evaluate(job, signal);
      const passed: StageResult[] = [];
      for (const { stage, evaluator } of stages) {
        const result = await once(stage, { job, kept }, (one) => evaluator.evaluate(one, signal));
        const evaluation = { ...result, score: scoreAskedFor(result, job.scoring) };
        const { outcome, score } = evaluation;
        if (outcome !== 'valid' || !goesOn(task.direction, stage, score!))
          return endedAt(task, stage, { evaluation, passed });
        passed.push(stageResult(stage.name, evaluation, true));
      }
      const evaluation = await whole.evaluate(job, signal);
      return { ...evaluation, stages: [...passed, stageResult(WHOLE, evaluation, evaluation.outcome === 'valid')] };
    },
  };
};

/** The stage's result, from where it is kept if it was run before. */
const once = async (
  { name }: TaskStage,
  { job, kept }: { readonly job: EvaluationJob; readonly kept: KeptStages | undefined },
  run: (job: EvaluationJob) => Promise<Evaluation>,
): Promise<Evaluation> => {
  const key = `${job.key}:stage:${name}`;
  const before = await kept?.get(key);
  if (before !== undefined) return before;
  const evaluation = await run({ ...job, key });
  await kept?.put(key, evaluation);
  return evaluation;
};
