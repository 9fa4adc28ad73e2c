// The answers about runs as a whole, and why a run ended, in words. Files of this folder import types alone from rooms
// that no browser has.
import type { RunReport } from '../../../client/read/shapes.ts';
import type { Rate } from '../../../evolution/budget/pace.ts';
import type { Json } from '../../../evolution/types.ts';
import type { Glance, Goals } from './overview.ts';

export type { RunReport } from '../../../client/read/shapes.ts';

/** A run as the list of runs shows it. */
export type RunCard = RunReport & {
  /** Null where the task cannot be read any more. */
  readonly known: Goals | null;
  readonly limits: Glance['limits'];
  /** Over the last steps; null where it makes none at the moment. */
  readonly rate: Rate | null;
  /** The best after some of its steps, the last among them, with the numbers of the steps. */
  readonly trend: readonly (readonly [step: number, best: number])[];
  /** The step that made the best program, and the time of its commit. */
  readonly improved: { readonly step: number; readonly at: string } | null;
  readonly next: Glance['next'];
  readonly model: string;
  /** The price of each of its models is known. */
  readonly priced: boolean;
  /** The settings in which a run of a sweep differs from the others; null for a run of none. */
  readonly varied: { readonly [key: string]: Json } | null;
};

/** GET overview. */
export type Overview = {
  readonly runs: readonly RunCard[];
  /** Sentences about the whole list, such as that an engine does not answer. */
  readonly notes: readonly string[];
};
