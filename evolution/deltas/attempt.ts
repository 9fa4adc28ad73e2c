// Attempt numbers, Time(N) and t of method `delta` (DeltaEvolve, section 3, t and Time(N)). Called when a step is planned and by
// `evolve deltas`.
import type { RunConfig } from '../config/run-config.ts';

/**
 * (step - 1) * B * n + slot + 1: a program's number among the answers of the run in the order of birth, 1 for the first; 0 for the initial
 * program. A prompt's t is that of its group's first slot, so all of a step know the same programs and each takes its own t. B and n are
 * those of the settings at hand: where they changed during a run, earlier numbers are counted by them too.
 */
export const attemptOf = ({ step, slot }: { readonly step: number; readonly slot: number }, { batch, responses }: Pick<RunConfig, 'batch' | 'responses'>): number =>
  (step === 0 ? 0 : (step - 1) * batch * responses + slot + 1);
