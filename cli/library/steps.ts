// The steps of a run, one line each: what `evolve steps` shows. Superseded ones were given up by a rewind; they stay readable.
import type { BestProgram, StepDocument } from '../../activities/store/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import type { RunId } from '../../evolution/types.ts';

export type StepLine = {
  readonly step: number; readonly generation: number; readonly epoch: number;
  /** The run that a fork has it from; null: made by the run itself. */
  readonly inheritedFrom: RunId | null;
  /** Version of the settings that it went by, of the run that made it. */
  readonly settings: number;
  /** Programs made in all steps up to this one. */
  readonly programs: number; readonly valid: number;
  readonly best: BestProgram | null;
  readonly at: Date; readonly superseded: boolean;
};

export async function* stepsOf(store: Store, run: RunId, all: boolean): AsyncGenerator<StepLine> {
  if (all) for (const step of await store.supersededSteps(run)) yield stepLine(run, step, true);
  for await (const step of store.eachStep(run)) yield stepLine(run, step, false);
}

/** Whether a rewind gave up the step that made this program. */
export const isSuperseded = async (store: Store, made: { readonly run: RunId; readonly step: number; readonly generation: number }): Promise<boolean> => {
  for await (const step of store.eachStep(made.run, made.step)) return step.step !== made.step || step.generation !== made.generation;
  return true;
};

const stepLine = (run: RunId, { run: maker, step, generation, epoch, configVersion, totals, best, at }: StepDocument, superseded: boolean): StepLine =>
  ({ step, generation, epoch, inheritedFrom: maker === run ? null : maker, settings: configVersion, programs: totals.programs, valid: totals.valid, best, at, superseded });
