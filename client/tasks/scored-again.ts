// What a step did that scored a run's programs again by a new version of the task.
import type { BestProgram, RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import type { ProgramId } from '../../evolution/types.ts';

export type ScoredAgain = {
  readonly step: number;
  /** The programs that were scored again, and those of them that are valid. */
  readonly rescored: number;
  readonly kept: number;
  /** Those whose score is another one, the largest change first; `program` is as it was scored before. */
  readonly changed: readonly {
    readonly program: ProgramId;
    readonly before: number | null;
    readonly after: number | null;
  }[];
  readonly best: BestProgram | null;
};

/** Scores that compare with those before the step are in the programs that `rescored.of` names. */
export const scoredAgain = async (store: Store, run: RunDocument, step: number): Promise<ScoredAgain> => {
  const [marker] = await store.stepsAt(run, [step]);
  const made = [];
  for await (const program of store.eachProgram(run, { fromStep: step })) {
    if (program.step > step) break;
    made.push(program);
  }
  const before = await store.getPrograms(made.flatMap(({ rescored }) => rescored?.of ?? []));
  const changed = made.flatMap(({ rescored, score: after }) => {
    const old = before.get(rescored?.of ?? '');
    return old === undefined || old.score === after ? [] : [{ program: old._id, before: old.score, after }];
  });
  const size = (one: (typeof changed)[number]): number =>
    one.before === null || one.after === null ? Infinity : Math.abs(one.after - one.before);
  return {
    step,
    rescored: made.length,
    kept: made.filter(({ outcome }) => outcome === 'valid').length,
    changed: changed.sort((a, b) => (size(b) > size(a) ? 1 : size(b) < size(a) ? -1 : 0)),
    best: marker?.best ?? null,
  };
};
