// What programs changed against their parents and how that did, as prompts of style `delta` tell it. Called by delta.ts.
import { completeDelta } from '../../evolution/deltas/complete.ts';
import { deltaOf } from '../../evolution/deltas/delta.ts';
import { changeLabel } from '../../evolution/deltas/label.ts';
import type { ProgramId } from '../../evolution/types.ts';
import type { ProgramDocument } from '../store/documents.ts';
import type { Store } from '../store/store.ts';

export type Change = NonNullable<ProgramDocument['change']>;
export type Changes = { readonly of: ReadonlyMap<ProgramId, Change>; readonly parents: ReadonlyMap<ProgramId, ProgramDocument> };

/** Roots have none. A program that was made in another style of prompts has a mechanical one. `parents`: of these programs. */
export const changesOf = async (store: Store, programs: readonly ProgramDocument[]): Promise<Changes> => {
  const parents = await store.getPrograms([...new Set(programs.flatMap((program) => program.parents[0] ?? []))]);
  const untold = programs.filter((program) => program.parents.length > 0 && program.change === undefined);
  const deltas = untold.length === 0 ? new Map<ProgramId, never>() : await store.getDeltas(untold.map(({ _id }) => _id));
  return {
    parents,
    of: new Map(programs.flatMap((program): [ProgramId, Change][] => {
      const [id] = program.parents;
      if (id === undefined) return [];
      if (program.change !== undefined) return [[program._id, program.change]];
      const [parent, delta] = [parents.get(id), deltas.get(program._id)];
      const told = completeDelta({
        delta: deltaOf(null, []), parentDelta: parent?.change ?? null, blocks: delta?.blocks ?? 0,
        addedLines: delta?.lines?.added ?? 0, deletedLines: delta?.lines?.deleted.length ?? 0,
      });
      return [[program._id, { ...told, label: changeLabel({ fit: program.fit ?? null, parentFit: parent?.fit ?? null }) }]];
    })),
  };
};
