// GET compare?runs=a,b: runs of one task side by side, as `evolve compare` shows them.
import type { Axis, ComparedGroup, Comparison } from '../../evolution/reports/compare.ts';
import type { Direction } from '../../evolution/types.ts';

export type { ComparedGroup } from '../../evolution/reports/compare.ts';

export type Compared = Comparison & {
  readonly task: string;
  readonly direction: Direction;
  readonly scoreName: string;
  readonly notes: readonly string[];
  readonly bestKnown: number | null;
};

export type Band = {
  readonly mean: readonly (number | null)[];
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
};

/** The mean of a group at the checkpoints of an axis, with one standard deviation on either side. */
export const bandOf = ({ at }: Pick<ComparedGroup, 'at'>, axis: Axis): Band => ({
  mean: at[axis].map(({ mean }) => mean),
  low: at[axis].map(({ mean, sd }) => (mean === null ? null : mean - (sd ?? 0))),
  high: at[axis].map(({ mean, sd }) => (mean === null ? null : mean + (sd ?? 0))),
});
