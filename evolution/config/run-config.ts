// The types of complete settings, as they are stored. Workflows import this file, which loads no schema.
import type { z } from 'zod';
import type { completeSchema } from './settings.ts';

/** What no one changes. */
export type Plain<T> = T extends readonly (infer U)[]
  ? readonly Plain<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Plain<T[K]> }
    : T;

export type RunConfig = Plain<z.infer<typeof completeSchema>>;

/** The limits that end a run. */
export type Limits = Omit<RunConfig['limits'], 'countPauses'>;
/** Pauses count where nothing is said of them. */
export type RunLimits = Limits & Partial<Pick<RunConfig['limits'], 'countPauses'>>;
export type PopulationSettings = RunConfig['population'];
export type FeatureSettings = Extract<PopulationSettings['features'][number], object>;
/** `metric:<name>` is a metric that the task's evaluator reports. */
export type FeatureName = FeatureSettings['name'];
export type SelectionSettings = RunConfig['selection'];
export type MigrationSettings = RunConfig['migration'];
export type PromptSettings = RunConfig['prompt'];
export type ExplorationSchedule = RunConfig['exploration'];
export type DiffSettings = RunConfig['diff'];
export type RewardSettings = RunConfig['reward'];
export type LearningSettings = RunConfig['learning'];
export type ModelSettings = RunConfig['model'];
export type EvaluationSettings = RunConfig['evaluation'];

/** The settings of a method, without the task. */
export type MethodDefaults = Omit<RunConfig, 'task'>;
