// The offline model has two entries in settings: its name, and the size of a run with it that ends within minutes on
// two cores.
import type { Role } from '../types.ts';
import type { EvaluationSettings, PopulationSettings, PromptSettings } from './run-config.ts';

/**
 * The name `--model offline`: the genetic-programming mutator that ships with the project, which is no language model.
 */
export const OFFLINE_MODEL = 'offline';
/** The name in lists in place of a model's where the offline model answers. */
export const NO_LANGUAGE_MODEL = 'no language model';

/**
 * The offline model answers every role, that of the judge too: in a control without a language model it judges no worse
 * than it writes.
 */
export const OFFLINE_ROLES: readonly Role[] = ['exploit', 'explore', 'meta', 'idea', 'judge', 'repair'];

/**
 * Defaults where the model is offline and the user gave no size, for methods whose steps are larger than this (those of
 * ThetaEvolve). A thousand programs call for a small population, recombination needs other programs in the prompt, and
 * mutated programs that loop must be cut short.
 */
export const OFFLINE_SIZE = { batch: 8, responses: 4, steps: 32 } as const;
export const OFFLINE_POPULATION: Partial<PopulationSettings> = { islands: 4, cap: 70, archive: 25 };
export const OFFLINE_PROMPT: Partial<PromptSettings> = { priorPrograms: 2 };
export const OFFLINE_EVALUATION: Partial<EvaluationSettings> = { cpuSeconds: 2 };
