// GET sweeps and sweeps/<name>: what a sweep has found, as `evolve sweep report` says it.
import type { Panel } from '../../../evolution/experiments/figure.ts';
import { valueText } from '../../../evolution/reports/value-text.ts';
import type { SweepReport } from '../../../client/read/sweep-report.ts';
import type { Direction, Json } from '../../../evolution/types.ts';

export type { SweepReport } from '../../../client/read/sweep-report.ts';
/** `ofPaper` is true where its runs are those of a paper's table. */
export type SweepAnswer = SweepReport & {
  readonly directions: { readonly [group: string]: Direction };
  readonly ofPaper: boolean;
};

/** GET sweeps/<name>/figures: the tables and figures of a paper that are made of a sweep's runs. */
export type PaperFigure = {
  readonly title: string;
  readonly source: string;
  /** A heading, and the paper's numbers beside ours. */
  readonly table: readonly (readonly string[])[];
  readonly panels: readonly Panel[];
};
export type PaperFigures = { readonly figures: readonly PaperFigure[] };

export type SweepLine = {
  readonly sweep: string;
  readonly status: string;
  readonly runs: number;
  readonly groups: number;
  readonly createdAt: string;
};
export type SweepList = { readonly sweeps: readonly SweepLine[] };

export type SweepMatrix = {
  /** One column for each seed and repetition. */
  readonly columns: readonly { readonly seed: number; readonly repeat: number }[];
  readonly rows: readonly {
    readonly group: number;
    readonly params: { readonly [key: string]: Json };
    readonly cells: readonly (SweepReport['runs'][number] | null)[];
  }[];
};

/** The rows are in the order of the report: best mean first. */
export const matrixOf = ({ groups, runs }: Pick<SweepReport, 'groups' | 'runs'>): SweepMatrix => {
  const key = ({ seed, repeat }: { readonly seed: number; readonly repeat: number }): string => `${seed} ${repeat}`;
  const columns = [...new Map(runs.map(({ seed, repeat }) => [key({ seed, repeat }), { seed, repeat }])).values()].sort(
    (a, b) => a.seed - b.seed || a.repeat - b.repeat,
  );
  return {
    columns,
    rows: groups.map(({ group, params }) => {
      const own = new Map(runs.filter((run) => run.group === group).map((run) => [key(run), run]));
      return { group, params, cells: columns.map((column) => own.get(key(column)) ?? null) };
    }),
  };
};

/** 0 for the worst of all, 1 for the best; null where there is no score. One score alone is the best. */
export const heatOf = (value: number | null, all: readonly (number | null)[], direction: Direction): number | null => {
  if (value === null) return null;
  const known = all.filter((one) => one !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const share = high === low ? 1 : (value - low) / (high - low);
  return direction === 'maximise' || high === low ? share : 1 - share;
};

/** The settings in which a configuration differs from others. */
export const paramText = (params: { readonly [key: string]: Json }): string =>
  Object.entries(params)
    .map(([key, value]) => `${key} = ${valueText(value)}`)
    .join(', ') || 'as given';
