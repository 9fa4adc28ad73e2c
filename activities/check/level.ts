// Programs in other languages than Python run on Docker only: on other levels they are passed over, and that is said. Called by the parts of the check.
import type { Context } from './types.ts';

export const notOnThisLevel = ({ task, bench, note }: Context, what: string): boolean => {
  const level = bench().evaluator.isolation;
  if (task.runtime === undefined || level === 'docker') return false;
  note(what, true, `not run: ${task.runtime.language} runs on the level docker only, not on ${level}`);
  return true;
};
