// Of each program its latest child that failed (CodeEvolve, section 3, failures). Called by the style `conversation`. What this process has read of a
// run is kept and goes on with its steps; a run that was rewound is read anew.
import type { Outcome, ProgramId, RunId } from '../../evolution/types.ts';
import type { Store } from '../store/store.ts';

const MAX_RUNS = 8;

/** Failures of a program's answer; an idea that was refused is none. */
const FAILED: ReadonlySet<Outcome> = new Set<Outcome>(['no_diff', 'no_change', 'duplicate', 'no_solution', 'invalid']);

type Read = { readonly generation: number; readonly view: number; readonly before: number; readonly latest: Map<ProgramId, ProgramId> };

export const createLatestFailures = (): ((store: Store, run: RunId, beforeStep: number) => Promise<ReadonlyMap<ProgramId, ProgramId>>) => {
  const stores = new WeakMap<Store, Map<RunId, Promise<Read>>>();
  return async (store, run, beforeStep) => {
    const runs = stores.get(store) ?? new Map<RunId, Promise<Read>>();
    stores.set(store, runs);
    const document = await store.readRun(run);
    if (document === null) return new Map();
    const { generation, view } = document;
    const going = (runs.get(run) ?? Promise.resolve(null)).catch(() => null).then((read) =>
      bringForward(store, run, beforeStep, read !== null && read.generation === generation && read.view === view && read.before <= beforeStep
        ? read : { generation, view, before: 0, latest: new Map() }));
    runs.delete(run);
    runs.set(run, going);
    if (runs.size > MAX_RUNS) runs.delete(runs.keys().next().value!);
    return (await going).latest;
  };
};

/** In the order of birth: a later failure takes the place of an earlier one. */
const bringForward = async (store: Store, run: RunId, beforeStep: number, read: Read): Promise<Read> => {
  if (read.before === beforeStep) return read;
  for await (const { _id, step, outcome, parents: [parent] } of store.eachProgram(run, { fromStep: read.before })) {
    if (step >= beforeStep) break;
    if (parent !== undefined && FAILED.has(outcome)) read.latest.set(parent, _id);
  }
  return { ...read, before: beforeStep };
};
