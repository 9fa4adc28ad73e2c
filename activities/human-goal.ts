// Whether a run has reached what it was to reach: beyond the best by human hands (AlphaResearch, section 3, stop). Called by the commit and when
// a run is opened.
import type { RunConfig } from '../evolution/config/run-config.ts';
import { beatsHuman } from '../evolution/ideas/human-best.ts';
import type { Task } from '../evolution/task.ts';
import type { BestProgram } from './store/documents.ts';

/** The task's reference with `human: true`, else of this name, is what the run is held against. */
const HUMAN = 'human';

/** Nothing where the run does not stop there, or the task names no such reference. By the score that ranks. */
export const humanGoal = (best: BestProgram | null, { ideation, evaluation }: RunConfig, { references, direction }: Task): { readonly beatsHuman?: true } => {
  const human = references.find(({ human: marked }) => marked === true) ?? references.find(({ name }) => name === HUMAN);
  if (!ideation.stopAtHuman || human === undefined || best === null) return {};
  const score = evaluation.scoring === 'strict' ? best.strictScore ?? best.score : best.score;
  return beatsHuman(score, { human: human.value, direction }) ? { beatsHuman: true } : {};
};
