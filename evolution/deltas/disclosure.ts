// How much of a node a prompt shows (DeltaEvolve, section 2, Progressive disclosure sampler; section 3, disclosure). Called when a step is
// planned.
import type { Level } from './delta.ts';

/** `window`: recent nodes at L2, older ones at L1 (Appendix B). `l2-selected`: every chosen node at L2 (section 4.3). */
export type DisclosureMode = 'window' | 'l2-selected';

export type Disclosure = {
  readonly mode: DisclosureMode;
  /** Attempt number of the prompt: how many attempts of the run were made or begun before it, 1 for the first. */
  readonly t: number;
  /** w, in attempts. */
  readonly window: number;
  /** Attempt number of the node. */
  readonly time: number;
  /** Whether the node has an L2. */
  readonly hasPlan: boolean;
};

/** L2 where time > t - w. A node without an L2 shows its L1. */
export const disclosureOf = ({ mode, t, window, time, hasPlan }: Disclosure): Level =>
  (hasPlan && (mode === 'l2-selected' || time > t - window) ? 'L2' : 'L1');
