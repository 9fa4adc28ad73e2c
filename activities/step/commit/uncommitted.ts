// The programs of steps that are not committed yet, for people who look: each that has its outcome, as its commit will
// store it.
import { programId } from '../../../evolution/ids.ts';
import { slotsOf } from '../../../evolution/schedule/slots.ts';
import type { Direction } from '../../../evolution/types.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import type { ProgramDocument } from '../../store/documents/step-documents.ts';
import type { UnderWay } from '../../store/steps/set-aside.ts';
import type { Store } from '../../store/store.ts';
import { evaluationKey } from '../evaluate/evaluate.ts';
import { isEvaluated, type Made, programDocuments } from './program-documents.ts';
import { stepMade } from './step-made.ts';

/** In the order of steps and slots. Injected programs are not among them. */
export const uncommittedPrograms = async (
  store: Store,
  document: RunDocument,
  direction: Direction,
  underWay: readonly UnderWay[],
): Promise<readonly ProgramDocument[]> => {
  const { generation } = document;
  const programs: ProgramDocument[] = [];
  for (const { asked, epoch, config } of underWay) {
    const run = { ...document, config };
    for (const { step, groups } of asked) {
      const slots = groups.flatMap((group) => slotsOf(group, config.responses));
      const applied = await store.getDeltas(slots.map((slot) => programId(run.run, step, epoch, slot)));
      const read = await stepMade({
        ...{ store, run, step, epoch, groups, injected: 0 },
        ...(config.schedule === 'continuous' ? { named: step } : {}),
        omitted: slots.filter((slot) => !applied.has(programId(run.run, step, epoch, slot))),
      });
      const made = withOutcomes(read, run);
      programs.push(...(await programDocuments({ store, made, run, direction, epoch, generation })));
    }
  }
  return programs;
};

/** Without the programs whose evaluation, or that of the form that mends them, is still to come. */
const withOutcomes = (made: Made, run: RunDocument): Made => {
  const has = made.deltas.map(
    (delta) => !isEvaluated(delta, made.embeddings) || made.evaluations.has(evaluationKey(delta, run)),
  );
  return {
    ...made,
    deltas: made.deltas.filter((_, index) => has[index]),
    islands: made.islands.filter((_, index) => has[index]),
  };
};
