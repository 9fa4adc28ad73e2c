// A judgement in a reward model's form. Called by answer.ts. Same idea, same score, whatever the seed.
import { randomFrom } from './random.ts';

const LOWEST = 3, HIGHEST = 9;

/** A score of one decimal, uniform. */
export function judgementText(idea: string): string {
  const score = Math.round(10 * (LOWEST + (HIGHEST - LOWEST) * randomFrom('judgement', idea).next())) / 10;
  return `Mechanical judgement, no language model: a number drawn from the text of the proposal, not a review of it.\n\n\\boxed{${score}}`;
}
