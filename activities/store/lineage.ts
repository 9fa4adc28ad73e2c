// Which generation's commit of a step is the live one. Pure; called by the fence, the commit and whoever lists programs.
//
// A rewind to step n raises the generation and starts an era at n: steps below keep the generation that committed them, what
// older generations stored for n and above stays readable but is live no more. So nothing has to be marked for correctness:
// a program counts when its step is committed and its generation is the one of the era that its step lies in.
import type { RunId } from '../../evolution/types.ts';
import type { Era, StoredRun } from './stored.ts';

export const FIRST_GENERATION = 1;

export const generationOf = (lineage: readonly Era[], step: number): number =>
  lineage.findLast((era) => era.step <= step)?.generation ?? FIRST_GENERATION;

export const isCommitted = (run: StoredRun, step: number, generation: number): boolean =>
  step >= 0 && step <= run.committedStep && generationOf(run.lineage, step) === generation;

export const isLive = (run: StoredRun, made: { readonly step: number; readonly generation: number }): boolean =>
  isCommitted(run, made.step, made.generation);

export const startEra = (lineage: readonly Era[], era: Era): readonly Era[] => [...lineage.filter((old) => old.step < era.step), era];

/** `_id` of a step marker: `run:step:generation`. */
export const markerId = (run: RunId, step: number, generation: number): string => `${run}:${String(step).padStart(6, '0')}:${generation}`;
