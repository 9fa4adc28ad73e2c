// How fast a run goes and how long it has left, from what is committed and what is under way. Pure; used by the progress display.
import type { RunDocument } from '../activities/store/documents.ts';
import type { InStep } from '../workflows/messages.ts';

export type Sample = { readonly atMs: number; readonly programs: number };

/** Programs of the open step whose fate is decided. */
export const doneInStep = (inStep: InStep | null): number =>
  (inStep === null ? 0 : Math.max(0, inStep.applied - inStep.toEvaluate) + inStep.evaluated);

/** Programs per minute over the samples, oldest first; null while there is nothing to tell. */
export const programsPerMinute = (samples: readonly Sample[]): number | null => {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.atMs - first.atMs < 2_000 || last.programs <= first.programs) return null;
  return ((last.programs - first.programs) * 60_000) / (last.atMs - first.atMs);
};

/** The samples of the last minute, the new one included. */
export const withSample = (samples: readonly Sample[], sample: Sample): readonly Sample[] =>
  [...samples.filter(({ atMs, programs }) => sample.atMs - atMs <= 60_000 && programs <= sample.programs), sample];

/** Programs still to be made until the limits on steps or programs end the run; null without such a limit. */
const programsLeft = ({ config: { batch, responses, limits }, committedStep, totals }: RunDocument, inStep: InStep | null): number | null => {
  const perStep = batch * responses;
  const bySteps = limits.steps === null ? Infinity : (limits.steps - Math.max(0, committedStep)) * perStep;
  const byPrograms = limits.programs === null ? Infinity : Math.floor((limits.programs - totals.programs) / perStep) * perStep;
  const left = Math.min(bySteps, byPrograms);
  return Number.isFinite(left) ? Math.max(0, left - doneInStep(inStep)) : null;
};

/** Seconds until the first limit that can be foreseen; null where none can. */
export const secondsLeft = (run: RunDocument, inStep: InStep | null, perMinute: number | null, now: Date): number | null => {
  const programs = programsLeft(run, inStep);
  const byPrograms = programs === null || perMinute === null ? Infinity : (programs / perMinute) * 60;
  const { wallSeconds } = run.config.limits;
  const byClock = wallSeconds === null ? Infinity : wallSeconds - (now.getTime() - run.createdAt.getTime()) / 1000;
  const left = Math.min(byPrograms, byClock);
  return Number.isFinite(left) ? Math.max(0, left) : null;
};
