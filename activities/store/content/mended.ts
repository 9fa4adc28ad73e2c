// The forms of a program that were run after the first one had failed (`repair.rounds`). Each is a delta of its own,
// under the id of the request to mend the form before it.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { answeredId } from '../../../evolution/ids.ts';
import { endedByScore } from '../../../evolution/scoring/task-stages.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { DeltaDocument, EvaluationDocument } from '../documents/step-documents.ts';
import type { ContentStore } from './content-store.ts';

type Settings = Pick<RunConfig, 'repair'>;

/** The ids that such forms of a program have. */
export const formIds = (program: ProgramId, { repair }: Settings): readonly string[] =>
  range(1, repair.rounds).map((round) => answeredId(program, 'repair', round));

/** The newest of each of these programs that has any. */
export const newestForms = async (
  store: Pick<ContentStore, 'getDeltas'>,
  programs: readonly ProgramId[],
  config: Settings,
): Promise<ReadonlyMap<ProgramId, DeltaDocument>> => {
  const ids = programs.flatMap((program) => formIds(program, config));
  const deltas = ids.length === 0 ? new Map<string, DeltaDocument>() : await store.getDeltas(ids);
  return new Map(
    programs.flatMap((program): [ProgramId, DeltaDocument][] => {
      const id = formIds(program, config).findLast((one) => deltas.has(one));
      return id === undefined ? [] : [[program, deltas.get(id)!]];
    }),
  );
};

/**
 * True where a program that a model wrote was run and failed. One whose score is held back, or was too low for the next
 * stage, has nothing to mend.
 */
export const hasFailed = (
  { parent }: Pick<DeltaDocument, 'parent'>,
  evaluation: EvaluationDocument | undefined,
): boolean =>
  parent !== null &&
  evaluation !== undefined &&
  evaluation.outcome !== 'valid' &&
  evaluation.quarantine?.held !== true &&
  !endedByScore(evaluation);

/** The id of the delta of the form that counts. */
export const deltaIdOf = ({ _id, mended }: { readonly _id: ProgramId; readonly mended?: number }): string =>
  mended === undefined ? _id : answeredId(_id, 'repair', mended);
