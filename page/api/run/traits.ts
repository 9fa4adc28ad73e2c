// The traits of a run that views depend on: the direction of its scores, its deltas, evolved prompts, ideas and learned models, and the
// cells of its archive.
import type { Axis } from '../../../evolution/archives/cell-space.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import type { Direction } from '../../../evolution/types.ts';

/** GET runs/:run/traits. */
export type Traits = {
  readonly direction: Direction;
  /** The score that ranks programs. */
  readonly scoring: RunConfig['evaluation']['scoring'];
  readonly has: {
    readonly deltas: boolean;
    readonly prompts: boolean;
    readonly ideas: boolean;
    readonly policies: boolean;
    /** Programs have embeddings, so that they can be mapped by similarity. */
    readonly embeddings: boolean;
  };
  readonly islands: number;
  readonly archive: {
    readonly map: RunConfig['population']['map'];
    readonly axes: readonly Axis[];
    /** The points around which the cells of a CVT archive lie, each axis from 0 to 1; null for other archives. */
    readonly centroids: readonly (readonly number[])[] | null;
  };
};
