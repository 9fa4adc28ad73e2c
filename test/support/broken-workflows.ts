// The workflows that ship, with a fault in the code of one run: every task of its workflow fails.
import { evolutionRun as shipped } from '../../workflows/run/evolution-run.ts';
import type { RunInput } from '../../workflows/messages/run-input.ts';

export { evolutionStep } from '../../workflows/step/evolution-step.ts';
export { sweep } from '../../workflows/sweep/sweep.ts';

export async function evolutionRun(input: RunInput): Promise<unknown> {
  if (input.run === 'broken') throw new Error('a fault of the code');
  return shipped(input);
}
