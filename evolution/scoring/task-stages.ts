// The stages of an evaluation: cheap looks at a program, each with the score from which it goes on to the next one. The
// whole task comes last and gives the score.
import type { Evaluation, StageResult } from './evaluation.ts';
import type { Direction } from '../types.ts';
import type { Task, TaskStage } from '../task/task.ts';

/** The name of what comes last. */
export const WHOLE = 'whole';

/** The task as a stage asks it. A stage takes no more time than the whole. */
export const atStage = (
  task: Task,
  { instance, hidden, limits, function: called, score: named, command }: TaskStage,
): Task => {
  const score = command === undefined ? named : 'score';
  const { toldSeconds: _, ...whole } = task.limits;
  const { cpuSeconds = whole.cpuSeconds, wallSeconds = whole.wallSeconds } = limits;
  return {
    ...task,
    instance: { ...task.instance, ...instance },
    hidden: { ...task.hidden, ...hidden, ...(score === undefined ? {} : { evaluate: { score } }) },
    limits: {
      ...whole,
      cpuSeconds: Math.min(cpuSeconds, whole.cpuSeconds),
      wallSeconds: Math.min(wallSeconds, whole.wallSeconds),
    },
    ...(task.script === undefined || (called ?? command) === undefined
      ? {}
      : { script: { ...task.script, function: called ?? task.script.function, command } }),
  };
};

/** Whether a valid score reaches what the stage asks for. */
export const goesOn = (direction: Direction, { threshold }: TaskStage, score: number): boolean =>
  threshold === undefined || (direction === 'maximise' ? score >= threshold : score <= threshold);

const atLeast = (direction: Direction, threshold: number): string =>
  `${threshold} or ${direction === 'maximise' ? 'more' : 'less'}`;

/** An evaluation that a stage ended: it has no score, so it ranks below all that passed. `passed` holds the stages before. */
export const endedAt = (
  { direction, scoreName }: Pick<Task, 'direction' | 'scoreName'>,
  stage: TaskStage,
  { evaluation, passed }: { readonly evaluation: Evaluation; readonly passed: readonly StageResult[] },
): Evaluation => {
  const { outcome, score, metrics, reasons } = evaluation;
  const [reason = outcome.replaceAll('_', ' '), ...rest] = reasons;
  const why =
    outcome === 'valid'
      ? [
          `at stage ${stage.name}: ${scoreName} = ${score}, and it goes on from ${atLeast(direction, stage.threshold!)}`,
          ...reasons,
        ]
      : [`at stage ${stage.name}: ${reason}`, ...rest];
  return {
    ...evaluation,
    outcome: outcome === 'valid' ? 'invalid' : outcome,
    ...{ score: null, strictScore: null, solution: null },
    metrics: score === null ? metrics : { ...metrics, [`${scoreName}_at_${stage.name.replaceAll('-', '_')}`]: score },
    reasons: why,
    stages: [...passed, stageResult(stage.name, evaluation, false)],
  };
};

export const stageResult = (
  name: string,
  { outcome, score, cpuMs }: Pick<Evaluation, 'outcome' | 'score' | 'cpuMs'>,
  passed: boolean,
): StageResult => ({ name, outcome, score, cpuMs, passed });

/** True where a program did what it should and was not good enough for the next stage. */
export const endedByScore = ({ stages = [] }: Pick<Evaluation, 'stages'>): boolean =>
  stages.some(({ outcome, passed }) => outcome === 'valid' && !passed);

/** What models read of them. */
export const stagesLine = ({ stages = [], direction }: Pick<Task, 'stages' | 'direction'>): readonly string[] => {
  if (stages.length === 0) return [];
  const told = stages.map(({ name, instance, threshold, command }) => {
    if (command !== undefined) return `${name} runs \`${command}\`, which has to end with 0`;
    const keys = Object.entries(instance).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    const asks = threshold === undefined ? 'a valid result' : atLeast(direction, threshold);
    return `${name}${keys.length === 0 ? '' : ` (${keys.join(', ')})`} asks for ${asks}`;
  });
  return [
    `- Stages come before the whole evaluation, which alone gives the score: ${told.join('; ')}. A program that falls short ends there.`,
  ];
};
