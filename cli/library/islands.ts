// The islands of a run as they stand after its last committed step: what `evolve islands` shows. Called by run-handle.ts.
import type { RunDocument } from '../../activities/store/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { islandStats, type IslandStats } from '../../evolution/island-stats.ts';

/** Scores in the task's direction. */
export type IslandLine = Omit<IslandStats, 'best'> & { readonly best: { readonly program: string; readonly score: number } | null };

export type IslandsReport = {
  readonly run: string; readonly step: number; readonly alive: number;
  readonly islands: readonly IslandLine[];
  /** Valid programs that came without a value of a feature, by feature: they have no cell. */
  readonly noCell: { readonly [feature: string]: number };
};

export const islandsOf = async (store: Store, document: RunDocument, direction: 'maximise' | 'minimise'): Promise<IslandsReport> => {
  const { run, committedStep: step, config } = document;
  const population = await store.population(run);
  const score = (fit: number): number => (direction === 'maximise' ? fit : -fit);
  const scored = (fit: number | null): number | null => (fit === null ? null : score(fit));
  return {
    run, step, alive: population.state.size, noCell: population.state.noCell ?? {},
    islands: islandStats(population, config).map(({ best, mean, median, ...rest }) => ({
      ...rest, best: best === null ? null : { program: best.id, score: score(best.fit) }, mean: scored(mean), median: scored(median),
    })),
  };
};
