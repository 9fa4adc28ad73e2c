// What kind of run it is, as far as views depend on it: which way its scores are better, whether it has deltas, evolved
// prompts or ideas at all, and how its archive divides programs into cells.
import type { Axis } from '../../../evolution/archives/cell-space.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import type { Direction } from '../../../evolution/types.ts';

/** GET runs/:run/traits. */
export type Traits = {
  readonly direction: Direction;
  /** Which of the two scores ranks programs. */
  readonly scoring: RunConfig['evaluation']['scoring'];
  readonly has: { readonly deltas: boolean; readonly prompts: boolean; readonly ideas: boolean };
  readonly islands: number;
  readonly archive: {
    readonly map: RunConfig['population']['map'];
    readonly axes: readonly Axis[];
    /** The points around which the cells of a CVT archive lie, each axis from 0 to 1; null for other archives. */
    readonly centroids: readonly (readonly number[])[] | null;
  };
};
