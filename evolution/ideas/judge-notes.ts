// What to say of a run's judges before it begins: whether a model was trained as a reward model cannot be seen (AlphaResearch, section 3,
// untrained RM). Called when a run or a sweep is prepared.
import { modelsFor } from '../config/models.ts';
import type { RunConfig } from '../config/run-config.ts';

export const judgeNotes = (config: Pick<RunConfig, 'model' | 'models' | 'ideation'>): readonly string[] =>
  (config.ideation.kind === 'none' || config.ideation.gate === 'off' ? [] : modelsFor(config, 'judge').map(({ kind, name }) => (kind === 'offline'
    ? 'ideas are judged by the offline model: a seeded score, no judgement; a control without a language model'
    : `ideas are judged by ${name}: a prompt-only judge, a stand-in, unless it was trained as a reward model (docs/prompts.md, Judges of ideas)`)));
