// Resampling: from a step on the model is asked afresh, under a new epoch; what it was paid for before is set aside. Called by open-store.ts.
import type { RunId } from '../../evolution/types.ts';
import type { ReadConfig } from './configs.ts';
import { keepOpening, raisedFrom } from './fence.ts';
import { requireRun } from './run-documents.ts';
import { mergedSetAside, spentUnderWay } from './set-aside.ts';
import type { Collections } from './stored.ts';

/** The new epoch is above every one that the run used. An attempt at the step that is still under way is fenced off: whoever opened
 *  the step asks for it again and is given the generation that follows. */
export const resample = async (collections: Collections, readConfig: ReadConfig, run: RunId, step: number, by: string): Promise<number> => {
  for (;;) {
    const document = await requireRun(collections, run);
    const known = document.epochs.find((start) => start.by === by);
    if (known !== undefined) return known.epoch;
    const { generation, opening, openings, committedStep, epochs } = document;
    if (!Number.isInteger(step) || step <= committedStep) {
      throw new RangeError(`expected a step after ${committedStep}, the last committed one of run '${run}', to ask the model afresh from, got ${step}: rewind the run to it first`);
    }
    const epoch = 1 + Math.max(0, ...epochs.map((start) => start.epoch));
    const setAside = mergedSetAside([...document.setAside, ...await spentUnderWay(collections, readConfig, document, step)]);
    const isNext = step === committedStep + 1;
    const isOpen = openings?.step === step;
    if (isNext && !isOpen) await keepOpening(collections, document);
    const fields = {
      epochs: [...epochs, { step, epoch, by }], setAside, opening: opening + 1,
      ...(isNext ? { ...raisedFrom(document, step), openings: isOpen ? openings : null } : {}),
    };
    if (await collections.runs.update(run, { generation, opening, committedStep }, { $set: fields })) return epoch;
  }
};
