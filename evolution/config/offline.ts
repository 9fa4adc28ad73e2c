// The offline model in settings: its name, and the size of a run that ends within minutes on two cores.
import type { EvaluationSettings, PopulationSettings, PromptSettings } from './run-config.ts';

/** `--model offline`: the genetic-programming mutator that ships with the project; no language model. */
export const OFFLINE_MODEL = 'offline';

/** Defaults where the model is offline and the user gave no size. A thousand programs call for a small population, and recombination
 *  needs other programs in the prompt; mutated programs that loop are cut short. */
export const OFFLINE_SIZE = { batch: 8, responses: 4, steps: 24 } as const;
export const OFFLINE_POPULATION: Partial<PopulationSettings> = { islands: 4, cap: 70, archive: 25 };
export const OFFLINE_PROMPT: Partial<PromptSettings> = { priorPrograms: 2 };
export const OFFLINE_EVALUATION: Partial<EvaluationSettings> = { cpuSeconds: 2 };
