// Of each program its latest child on an island that failed (CodeEvolve, section 3, failures). Called by the style `conversation`. What this process has
// read of a run is kept and goes on with its steps; a run that was rewound is read anew.
import type { Outcome, ProgramId, RunId } from '../../evolution/types.ts';
import type { Ahead } from '../island-ahead.ts';
import type { ProgramDocument } from '../store/documents.ts';
import type { Store } from '../store/store.ts';

const MAX_RUNS = 8;

/** Failures of a program's answer; an idea that was refused is none. */
const FAILED: ReadonlySet<Outcome> = new Set<Outcome>(['no_diff', 'no_change', 'duplicate', 'no_solution', 'invalid']);

type Read = { readonly generation: number; readonly view: number; readonly before: number; readonly latest: Map<string, ProgramId> };

/** `beforeStep`: steps below it are committed, but for those of `ahead`. */
type Asked = { readonly store: Store; readonly run: RunId; readonly beforeStep: number; readonly ahead?: Ahead | undefined };
/** The latest failed child of a program on an island; null: none failed there. */
export type FailureOf = (parent: ProgramId, island: number) => ProgramId | null;

export const createLatestFailures = (): ((asked: Asked) => Promise<FailureOf>) => {
  const committed = createCommitted();
  return async ({ store, run, beforeStep, ahead }) => {
    const latest = await committed(ahead?.base ?? store, run, ahead === undefined ? beforeStep : ahead.committed + 1);
    const later = new Map<string, ProgramId>();
    for (const { programs } of ahead?.steps ?? []) for (const program of programs) note(later, program);
    return (parent, island) => later.get(keyOf(parent, island)) ?? latest.get(keyOf(parent, island)) ?? null;
  };
};

const createCommitted = (): ((store: Store, run: RunId, beforeStep: number) => Promise<ReadonlyMap<string, ProgramId>>) => {
  const stores = new WeakMap<Store, Map<RunId, Promise<Read>>>();
  return async (store, run, beforeStep) => {
    const runs = stores.get(store) ?? new Map<RunId, Promise<Read>>();
    stores.set(store, runs);
    const document = await store.readRun(run);
    if (document === null) return new Map<string, ProgramId>();
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
  for await (const program of store.eachProgram(run, { fromStep: read.before })) {
    if (program.step >= beforeStep) break;
    note(read.latest, program);
  }
  return { ...read, before: beforeStep };
};

const note = (latest: Map<string, ProgramId>, { _id, outcome, island, parents: [parent] }: ProgramDocument): void => {
  if (parent !== undefined && FAILED.has(outcome)) latest.set(keyOf(parent, island), _id);
};

const keyOf = (parent: ProgramId, island: number): string => `${island} ${parent}`;
