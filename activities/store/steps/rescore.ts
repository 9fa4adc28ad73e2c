// A change of a run's task in mid-run, in the store: it is asked for, one step begins with it, or it is refused.
import type { RunId } from '../../../evolution/types.ts';
import type { Rescoring } from '../documents/documents.ts';
import { rescoringAt, rescoringsUntil, waitingRescoring, withRescoring } from '../documents/lineage.ts';
import { type ReadConfig, requireRun, STAYS } from '../documents/run-documents.ts';
import type { Collections } from '../documents/stored.ts';
import { ConflictError } from '../documents/errors.ts';
import { resample } from './fence.ts';

export interface RescoringStore {
  /** One that waits already is replaced. Throws ConflictError while a step scores again. */
  askRescoring(run: RunId, rescoring: Rescoring): Promise<void>;
  /**
   * Gives the step to a change that waits, or, after a rewind, to the one that it had before: from here on the run has
   * the new task, and the step a new epoch. An attempt at the step that is under way is fenced off.
   */
  beginRescoring(run: RunId, step: number): Promise<void>;
  /** The run has its task of before again, and the step is to be done as if nothing had been asked for. */
  refuseRescoring(run: RunId, step: number, reason: string): Promise<void>;
}

const epochOf = (what: string, { at }: Rescoring): string => `${what}:${at.getTime()}`;

export const rescoringStore = (collections: Collections, readConfig: ReadConfig): RescoringStore => ({
  async askRescoring(run, rescoring) {
    for (;;) {
      const document = await requireRun(collections, run);
      const { opening, committedStep } = document;
      if (document.taskSnapshot !== rescoring.before.taskSnapshot)
        throw new ConflictError(`run ${run} has another version of its task since: give the command again`);
      if (rescoringAt(document, committedStep + 1) !== undefined)
        throw new ConflictError(`step ${committedStep + 1} of run ${run} scores its programs again at this moment`);
      const { rescorings = [] } = rescoringsUntil(document, committedStep);
      const fields = { rescorings: [...rescorings, rescoring], opening: opening + 1 };
      if (await collections.runs.update(run, { opening, committedStep, ...STAYS }, { $set: fields })) return;
    }
  },
  async beginRescoring(run, step) {
    for (;;) {
      const document = await requireRun(collections, run);
      const { generation, opening, committedStep, taskSnapshot } = document;
      if (committedStep !== step - 1) return;
      const again = rescoringAt(document, step);
      const due = again ?? waitingRescoring(document);
      if (due === undefined || (again !== undefined && again.after.taskSnapshot === taskSnapshot)) return;
      if (again !== undefined) {
        if (await collections.runs.update(run, { generation, opening, committedStep }, { $set: again.after })) return;
        continue;
      }
      const fields = { ...due.after, ...withRescoring(document, { ...due, step }) };
      await resample(collections, readConfig, { run, step, by: epochOf('rescore', due), fields });
    }
  },
  async refuseRescoring(run, step, reason) {
    const document = await requireRun(collections, run);
    const due = rescoringAt(document, step);
    if (due === undefined) return;
    const fields = { ...due.before, ...withRescoring(document, { ...due, refused: reason }) };
    await resample(collections, readConfig, { run, step, by: epochOf('refuse', due), fields });
  },
});
