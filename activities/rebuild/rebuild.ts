// A rebuild makes memberships, cells and archive of a run again from its stored programs and evaluations, step by step,
// and compares every step and the end with what is stored, and in runs that learn their policies too. It only reads.
import { rowsOf } from '../../evolution/population/population.ts';
import type { Task } from '../../evolution/task.ts';
import type { Direction, RunId } from '../../evolution/types.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import type { Store } from '../store/store.ts';
import { taskRef } from '../task/kept-task.ts';
import { type Difference, Differences } from './differences.ts';
import { comparePolicies } from './rebuild-policies.ts';
import { compareTotals, type Folded, foldStep, nothingFolded } from './rebuild-step.ts';

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
    const done = await fold(store, run, direction);
    if (done === null) continue;
    const { folded, policies, differences } = done;
    return {
      run,
      steps: folded.step + 1,
      programs: folded.ids.size,
      ...(policies === 0 ? {} : { policies }),
      differences: differences.first,
      differenceCount: differences.count,
      ms: Math.round(performance.now() - began),
    };
  }
};

type Done = { readonly folded: Folded; readonly policies: number; readonly differences: Differences };

/** Null when the run was rewound meanwhile. */
const fold = async (store: Store, run: RunId, direction: Direction | null): Promise<Done | null> => {
  const began = await required(store, run);
  const folded = nothingFolded(began.config);
  const differences = new Differences();
  for (;;) {
    for await (const committed of store.eachCommitted(run, folded.step + 1))
      await foldStep(store, folded, committed, direction, differences);
    const before = await required(store, run);
    const live = rowsOf(await store.population(run));
    const document = await required(store, run);
    if (document.generation !== began.generation) return null;
    if (document.committedStep !== folded.step || before.committedStep !== folded.step) continue;
    compareEnd(folded, document, live, differences);
    const policies = await comparePolicies(store, document, differences);
    if ((await required(store, run)).generation !== began.generation) return null;
    return { folded, policies, differences };
  }
};

const compareEnd = (
  { step, population, totals, best }: Folded,
  document: RunDocument,
  live: ReturnType<typeof rowsOf>,
  differences: Differences,
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
