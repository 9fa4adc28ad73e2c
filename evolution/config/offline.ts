// The offline model in settings: its name, and the size of a run that ends within minutes on two cores.
import type { Role } from '../types.ts';
import type { EvaluationSettings, PopulationSettings, PromptSettings } from './run-config.ts';

/** `--model offline`: the genetic-programming mutator that ships with the project; no language model. */
export const OFFLINE_MODEL = 'offline';

/**
 * It answers every role, the judge's too: as a control without a language model it is no worse a judge than a writer.
 */
export const OFFLINE_ROLES: readonly Role[] = ['exploit', 'explore', 'meta', 'idea', 'judge', 'repair'];

/**
 * Defaults where the model is offline and the user gave no size; of methods with larger steps than this only
 * (ThetaEvolve's). A thousand programs call for a small population, and recombination needs other programs in the
 * prompt; mutated programs that loop are cut short.
 */
export const OFFLINE_SIZE = { batch: 8, responses: 4, steps: 32 } as const;
export const OFFLINE_POPULATION: Partial<PopulationSettings> = { islands: 4, cap: 70, archive: 25 };
export const OFFLINE_PROMPT: Partial<PromptSettings> = { priorPrograms: 2 };
export const OFFLINE_EVALUATION: Partial<EvaluationSettings> = { cpuSeconds: 2 };
