// The figure of an experiment: its runs read step by step, and drawn beside the paper's numbers.
import { scoredFrom } from '../../activities/store/documents/lineage.ts';
import type { Store } from '../../activities/store/store.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import type { CellReport } from '../../evolution/experiments/beside.ts';
import {
  type DrawnCell,
  figureOf,
  type Panel,
  type RunSeries,
  type Wins,
  winsOf,
} from '../../evolution/experiments/figure.ts';
import type { FigureSpec } from '../../evolution/experiments/spec.ts';
import type { RunId } from '../../evolution/types.ts';
import { programsOf } from '../read/views.ts';
import { pointsOf } from '../read/compare.ts';
import type { PreparedExperiment } from './experiments.ts';

export type ExperimentFigure = { readonly panels: readonly Panel[]; readonly wins: readonly Wins[] };

/** `cells` are those of `experimentReport`. Without a store the wins of the paper alone. */
export const experimentFigure = async (
  store: Store | null,
  { file: { experiment }, plan, directions }: Pick<PreparedExperiment, 'file' | 'plan' | 'directions'>,
  cells: readonly CellReport[],
): Promise<ExperimentFigure> => {
  const read = new Map<RunId, RunSeries | null>();
  const drawn: DrawnCell[] = [];
  for (const report of cells) {
    const cell = plan.cells.find(({ row, of }) => row.name === report.row && of.id === report.case)!;
    for (const run of report.ours?.runs ?? [])
      if (store !== null && !read.has(run)) read.set(run, await seriesOf(store, run, experiment.figure.kind));
    const runs = (report.ours?.runs ?? []).flatMap((run) => read.get(run) ?? []);
    drawn.push({ cell, report, direction: directions.get(cell.of.id)!, runs });
  }
  return { panels: figureOf(experiment, drawn), wins: winsOf(experiment, drawn) };
};

/** Null where the run has committed nothing yet, or its scores are invented. */
const seriesOf = async (store: Store, run: RunId, kind: FigureSpec['kind']): Promise<RunSeries | null> => {
  const document = (await store.readRun(run))!;
  const { config } = document;
  const points = inventsScores(config)
    ? []
    : await pointsOf(store, run, config.evaluation.scoring, scoredFrom(document));
  if (points.length === 0) return null;
  const ideas: number[] = [];
  if (kind === 'distribution')
    for await (const { slot, idea } of programsOf(store, run, {}))
      // All programs of a group carry out one idea.
      if (slot % config.responses === 0 && (idea?.score ?? -1) >= 0) ideas.push(idea!.score!);
  return { points, ideas };
};
