// The candidates of a run in the order made, filtered. Used by RunHandle.programs.
import type { ProgramDocument } from '../../activities/store/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import type { Outcome, RunId } from '../../evolution/types.ts';

/** `step`: of this committed step only. `initial`: with the task's own program (step 0). */
export type ProgramsQuery = { readonly step?: number; readonly outcome?: Outcome; readonly initial?: boolean };

export async function* programsOf(store: Store, run: RunId, { step, outcome, initial = false }: ProgramsQuery): AsyncGenerator<ProgramDocument> {
  for await (const program of store.eachProgram(run, { fromStep: step ?? (initial ? 0 : 1) })) {
    if (step !== undefined && program.step > step) return;
    if (outcome === undefined || program.outcome === outcome) yield program;
  }
}
