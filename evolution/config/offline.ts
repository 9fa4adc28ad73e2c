// The offline model in settings: its name, and the size of a run that ends within minutes on two cores.
import type { Role } from '../types.ts';
import type { EvaluationSettings, PopulationSettings, PromptSettings } from './run-config.ts';

/** The name `--model offline`: the genetic-programming mutator of the project, no language model. */
export const OFFLINE_MODEL = 'offline';
/** The name in lists in place of a model's where the offline model answers. */
export const NO_LANGUAGE_MODEL = 'no language model';

/** The offline model answers every role, the judge's too: it judges no worse than it writes. */
export const OFFLINE_ROLES: readonly Role[] = ['exploit', 'explore', 'meta', 'idea', 'judge', 'repair'];

/**
 * The size of methods with large steps where the model is offline: a thousand programs call for a small population, and
 * recombination for other programs in the prompt.
 */
export const OFFLINE_SIZE = { batch: 8, responses: 4, steps: 32 } as const;
export const OFFLINE_POPULATION: Partial<PopulationSettings> = { islands: 4, cap: 70, archive: 25 };
export const OFFLINE_PROMPT: Partial<PromptSettings> = { priorPrograms: 2 };
export const OFFLINE_EVALUATION: Partial<EvaluationSettings> = { cpuSeconds: 2 };
