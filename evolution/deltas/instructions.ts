// How a model is told to log its change (DeltaEvolve, section 2, Prompt, System b). Called by prompts/delta-prompt.ts and by
// prompts/missing-delta-repair.ts.
import { PLAN_FORMAT, SUMMARY_FORMAT } from './format.ts';

export const SUMMARY_INSTRUCTIONS = [
  '## Delta summary',
  '',
  '- Say nothing about the edit itself: no counts of lines, no "updated", "rewrote" or "changed".',
  '- Say the strategy only: which approach there was, which there is now.',
  '- Put real content in the place of everything in angle brackets. A placeholder that is left counts as nothing.',
  '- Natural language, no code.',
  '',
  SUMMARY_FORMAT,
].join('\n');

export const PLAN_INSTRUCTIONS = [
  '## Delta plan',
  '',
  '- Write for a researcher who is to reproduce the change without ever seeing the code.',
  '- Give quantities before and after: not "more restarts" but "restarts from 10 to 50".',
  '- Call algorithms by their standard names, such as coordinate descent, simulated annealing or a penalty method.',
  '- Describe the logic, not acts of coding such as defining a function.',
  '- One entry for each modification, as many as there are.',
  '',
  PLAN_FORMAT,
].join('\n');
