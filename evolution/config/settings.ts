// The schema of a run's settings: type, range and meaning of each key. Types derive from it; defaults are in
// evolution/methods.
import { z } from 'zod';
import { METHOD_NAMES } from './names.ts';
import { diff, evaluation, repair, reward } from './settings/answers.ts';
import { exploration, ideation } from './settings/exploration.ts';
import { learning, writtenLearning } from './settings/learning.ts';
import { ANY, oneOf, orNull, real, text, whole } from './settings/leaves.ts';
import { limits } from './settings/limits.ts';
import { embedding, model, modelChoice, modelsOf } from './settings/models.ts';
import { population } from './settings/population.ts';
import { delta, prompt, writtenPrompt } from './settings/prompt.ts';
import { migration, selection } from './settings/selection.ts';

const task = text(
  'the name of a folder in tasks/, or the path of a folder of a task',
  /^([a-z0-9][a-z0-9-]{0,80}|(?=.{1,1000}$)[^\p{Cc}]*\/[^\p{Cc}]*)$/u,
).describe(
  'Problem: a folder in tasks/, or the path of one anywhere, absolute or relative to the file or directory that names it.',
);
const variant = text('a name such as 5k-c100', /^[a-z0-9][a-z0-9-]{0,80}$/);
const top = {
  method: oneOf(...METHOD_NAMES).describe('Search method; its preset gives every default below.'),
  task,
  instance: orNull(variant).describe(
    "A variant of the task's instance, by its name in `instances` of task.yaml; null: the task's own.",
  ),
  initial: orNull(variant).describe("The initial program, by its name in `starts` of task.yaml; null: the task's own."),
  seed: whole(0, ANY).describe('Seed of the run: parents, prompts and the seeds sent to the model derive from it.'),
  batch: whole(1, 1_000_000).describe('B: parents drawn per step.'),
  responses: whole(1, 10_000).describe('n: responses per parent.'),
  schedule: oneOf('steps', 'overlapping', 'continuous').describe(
    'steps: all programs of a step are drawn from the population after the step before. overlapping: from the population after the step before that one, so that two steps are under way at a time. continuous: when a program is evaluated, the next request leaves, and B groups make a step in the order in which they were finished ([operations/steady.md](operations/steady.md)).',
  ),
  inFlight: whole(1, 512).describe(
    'W: places of `schedule: continuous`, where it alone has an effect. A program takes one from its request until it is evaluated; where evaluations are quick (less than 0.25 s), until its answer.',
  ),
};

/** The settings of the run itself beside others, with nothing about its search. */
const run = z.strictObject({
  weight: real(0.1, 1000).describe(
    'Share of workers beside other runs of the same priority, relative to their weights ([operations/sharing.md](operations/sharing.md)). A change holds from the next step or window of steps on.',
  ),
});

/** The destination of notices belongs to the installation: settings of a run come from anybody who may start one. */
const notify = z.strictObject({
  events: z
    .array(oneOf('attention', 'ended'), { error: 'a list of attention and ended' })
    .max(2, 'a list of attention and ended, each once')
    .refine((events) => new Set(events).size === events.length, 'a list of attention and ended, each once')
    .describe(
      'What a person is told of the run, where the installation says how ([operations/telemetry.md](operations/telemetry.md#notifications)): it needs attention, it has ended.',
    ),
});

/** A complete run configuration. */
export const completeSchema = z.strictObject({
  ...top,
  run,
  notify,
  limits,
  population,
  selection,
  migration,
  prompt,
  delta,
  ideation,
  exploration,
  diff,
  repair,
  reward,
  learning,
  model,
  models: modelsOf(model),
  modelChoice,
  embedding,
  evaluation,
});

/** The settings as users write them: the same keys, each optional. */
export const settingsSchema = z
  .strictObject({
    ...top,
    run: run.partial(),
    notify: notify.partial(),
    limits: limits.partial(),
    population: population.partial(),
    selection: selection.partial(),
    migration: migration.partial(),
    prompt: writtenPrompt,
    delta: delta.partial(),
    ideation: ideation.partial(),
    exploration: exploration.partial(),
    modelChoice,
    diff: diff.partial(),
    repair: repair.partial(),
    reward: reward.partial(),
    learning: writtenLearning,
    model: model.partial(),
    models: modelsOf(model.partial().extend({ name: model.shape.name })),
    embedding: embedding.partial(),
    evaluation: evaluation.partial(),
  })
  .partial();

/** Settings as users write them, where each key is optional. */
export type RunSettings = z.infer<typeof settingsSchema>;
/** An entry of `models` as users write it. */
export type ModelEntry = NonNullable<RunSettings['models']>[number];
