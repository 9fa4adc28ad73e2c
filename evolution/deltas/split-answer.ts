// Under style `delta` the log of a change is cut out of the response before its edits are read, so that markers quoted in the log never touch
// code (DeltaEvolve, section 2, Parser 3). Called where a response is applied to its parent.
import type { RunConfig } from '../config/run-config.ts';
import { readAnswer } from '../diff.ts';
import type { Delta } from './delta.ts';
import { parseDelta } from './parse.ts';

/** An answer without blocks, not an empty one. */
const NOTHING_BUT_A_DELTA = '(delta)';

/** `response`: for applyResponse. `delta` null: the style asks for none. */
export const splitAnswer = (response: string, { prompt, diff }: Pick<RunConfig, 'prompt' | 'diff'>): { readonly response: string; readonly delta: Delta | null } => {
  if (prompt.style !== 'delta') return { response, delta: null };
  const answer = readAnswer(response, diff.parse);
  const { delta, rest } = parseDelta(answer);
  return { response: answer.trim() === '' ? response : rest.trim() === '' ? NOTHING_BUT_A_DELTA : rest, delta };
};
