// A rebuild makes memberships, cells and archive of a run again from its stored programs and evaluations, step by step,
// and compares every step and the end with what is stored, and in runs that learn their policies too. It only reads.
import { rowsOf } from '../../evolution/population/population.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Direction, RunId } from '../../evolution/types.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import type { Store } from '../store/store.ts';
import { taskRef } from '../task/kept-task.ts';
import type { Difference } from './differences.ts';
import { comparePolicies } from './rebuild-policies.ts';
import { compareTotals, Fold } from './rebuild-step.ts';

export type RebuildDeps = {
  readonly store: Store;
  /** Gives the task, which says whether scores are maximised. When left out, the signs of fitnesses are not checked. */
  readonly loadTask?: ((ref: string) => Promise<Task>) | undefined;
};

export type RebuildReport = {
  readonly run: RunId;
  /** Number of committed steps, step 0 included. */
  readonly steps: number;
  readonly programs: number;
  /** Versions of the model whose chain and batches were checked; left out where the run has none. */
  readonly policies?: number;
  /** The first 50 in the order of steps. One difference usually brings others in later steps. */
  readonly differences: readonly Difference[];
  readonly differenceCount: number;
  readonly ms: number;
};

/**
 * Checks the steps that the run commits meanwhile too, and begins again when the run is rewound. Throws when the run,
 * or something that a committed step refers to, cannot be read.
 */
export const rebuildRun = async ({ store, loadTask }: RebuildDeps, run: RunId): Promise<RebuildReport> => {
  const began = performance.now();
  const document = await required(store, run);
  const direction = loadTask === undefined ? null : (await loadTask(taskRef(document))).direction;
  for (;;) {
    const folded = await foldAll(store, run, direction);
    if (folded === null) continue;
    const { fold, policies } = folded;
    return {
      run,
      steps: fold.step + 1,
      programs: fold.ids.size,
      ...(policies === 0 ? {} : { policies }),
      differences: fold.differences.first,
      differenceCount: fold.differences.count,
      ms: Math.round(performance.now() - began),
    };
  }
};

/** Null when the run was rewound meanwhile. */
const foldAll = async (
  store: Store,
  run: RunId,
  direction: Direction | null,
): Promise<{ readonly fold: Fold; readonly policies: number } | null> => {
  const began = await required(store, run);
  const fold = new Fold(store, began.config, direction);
  for (;;) {
    for await (const committed of store.eachCommitted(run, fold.step + 1)) await fold.add(committed);
    const before = await required(store, run);
    const live = rowsOf(await store.population(run));
    const document = await required(store, run);
    if (document.generation !== began.generation) return null;
    if (document.committedStep !== fold.step || before.committedStep !== fold.step) continue;
    compareEnd(fold, document, live);
    const policies = await comparePolicies(store, document, fold.differences);
    if ((await required(store, run)).generation !== began.generation) return null;
    return { fold, policies };
  }
};

const compareEnd = (
  { step, population, totals, best, differences }: Fold,
  document: RunDocument,
  live: ReturnType<typeof rowsOf>,
): void => {
  const { memberships, cells, tallies, prompts } = rowsOf(population);
  differences.compare(step, 'memberships and archive members of the run', memberships, live.memberships);
  differences.compare(step, 'cells of the run', cells, live.cells);
  differences.compare(step, 'tallies of the run', tallies, live.tallies);
  differences.compare(step, 'prompts of the run', prompts, live.prompts);
  differences.compare(step, "state of the run's population", population.state, document.population);
  compareTotals(step, 'totals of the run', totals, document.totals, differences);
  differences.compare(step, 'best program of the run', best?.program ?? null, document.best);
};

const required = async (store: Store, run: RunId): Promise<RunDocument> => {
  const document = await store.readRun(run);
  if (document === null)
    throw new Error(
      `expected run '${run}' in the database, but there is none by that name: evolve list shows the runs there are`,
    );
  return document;
};
