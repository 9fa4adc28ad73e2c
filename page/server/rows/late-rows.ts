// The rows of the sets that are read when somebody first needs them: they take further reads of the database.
import type { Store } from '../../../activities/store/store.ts';
import { answersOf, evaluationsOf } from '../../../client/read/program-numbers.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { ColumnSet } from '../../api/rows/columns.ts';
import { rowNumbers } from './base-row.ts';

export const LATE_SETS = ['paid', 'evaluated'] as const satisfies readonly ColumnSet[];
export type LateSet = (typeof LATE_SETS)[number];
export const isLate = (set: ColumnSet): set is LateSet => (LATE_SETS as readonly ColumnSet[]).includes(set);

type Row = { readonly [column: string]: number };
type ReadRows = (
  store: Store,
  ids: readonly ProgramId[],
  indexOf: (model: string) => number,
) => Promise<readonly Row[]>;

/** A row for each program, in their order. `indexOf` gives the place of a model among those of the run. */
export const READ_ROWS: { readonly [set in LateSet]: ReadRows } = {
  paid: async (store, ids, indexOf) =>
    (await answersOf(store, ids)).map((answer) => ({
      // By the name in the settings, which tells two entries of one model apart.
      model: indexOf(answer.asked ?? answer.model),
      ...rowNumbers('paid', answer),
    })),
  evaluated: async (store, ids) => {
    const programs = await store.getPrograms(ids);
    const evaluations = await evaluationsOf(
      store,
      ids.map((id) => programs.get(id)),
    );
    return evaluations.map((evaluation) => rowNumbers('evaluated', evaluation));
  },
};
