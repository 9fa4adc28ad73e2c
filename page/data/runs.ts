// What is answered about runs as a whole. Files of this folder import types alone from rooms that no browser has.
import type { RunReport } from '../../client/report.ts';

export type { RunReport } from '../../client/report.ts';

/** GET overview. */
export type Overview = {
  readonly runs: readonly RunReport[];
  /** What is to be known of all of it, such as an engine that does not answer. */
  readonly notes: readonly string[];
};
