// What people did to runs, and the marks that they set. An action is written down before it is done, and again with what
// became of it. The run's own mark stands in its document too, because lists of runs read nothing else.
import type { SetMark } from '../../../evolution/steering/base/people.ts';
import type { ProgramId, RunId } from '../../../evolution/types.ts';
import type { ActionDocument } from '../documents/documents.ts';
import { requireRun, STAYS } from '../documents/run-documents.ts';
import type { Collections } from '../documents/stored.ts';

export interface ActionStore {
  /** Insert or replace. */
  putAction(action: ActionDocument): Promise<void>;
  /** Oldest first. */
  listActions(run: RunId): Promise<readonly ActionDocument[]>;
  /** The marks of the programs of a run, those that it has from the run that it was forked off included. */
  programMarks(run: RunId): Promise<ReadonlyMap<ProgramId, SetMark>>;
}

export const actionStore = (collections: Pick<Collections, 'runs' | 'actions'>): ActionStore => {
  const { runs, actions } = collections;
  const listed = async (of: readonly RunId[]) => (await actions.find({ run: { $in: of } })).toSorted(byAge);
  return {
    async putAction(action) {
      await actions.replaceAll([action]);
      const { run, marked, state } = action;
      const ofRun = state === 'done' && marked?.program === null ? { mark: markOf(action) } : {};
      await runs.update(run, STAYS, { $set: { actedAt: new Date(), ...ofRun } });
    },
    listActions: (run) => listed([run]),
    async programMarks(run) {
      const { lineage } = await requireRun(collections, run);
      const marks = new Map<ProgramId, SetMark>();
      for (const action of await listed([...new Set([run, ...lineage.map((era) => era.run)])])) {
        const program = action.state === 'done' ? (action.marked?.program ?? null) : null;
        if (program === null) continue;
        const mark = markOf(action);
        if (mark === null) marks.delete(program);
        else marks.set(program, mark);
      }
      return marks;
    },
  };
};

const byAge = (a: ActionDocument, b: ActionDocument): number =>
  a.at.getTime() - b.at.getTime() || (a._id < b._id ? -1 : 1);

const markOf = ({ marked, by, at }: ActionDocument): SetMark | null =>
  marked?.mark == null ? null : { ...marked.mark, by, at: at.toISOString() };
