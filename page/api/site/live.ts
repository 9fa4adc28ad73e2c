// The news that the server sends to a page that follows a run or the list of all runs. New rows come with them;
// whatever else has changed, and whatever a page missed, the page asks for.
import type { ColumnSet } from '../rows/columns.ts';

/**
 * `rows`: committed programs are there; `rows` is their number now, and `columns` are those that were added, in the
 * form of page/api/rows/columns.ts as base64. `run`: something of the run changed (its state, its settings; at most
 * every five seconds what it has made and paid). `again`: what the page holds of the run is no longer what is stored (a
 * rewind, another view of the population), so everything is to be asked for again. `runs`: the list of runs or sweeps
 * changed. `away` and `back`: the database does not answer, and answers again.
 */
export type LiveEvent =
  | {
      readonly kind: 'rows';
      readonly run: string;
      readonly rows: number;
      readonly lineage: string;
      readonly columns?: { readonly [set in ColumnSet]?: string };
    }
  | { readonly kind: 'run'; readonly run: string }
  | { readonly kind: 'again'; readonly run: string; readonly lineage: string }
  | { readonly kind: 'runs' }
  | { readonly kind: 'away'; readonly why: string }
  | { readonly kind: 'back' };

/** An error as the server answers it. `away`: ask again later. `missing`: there is no such thing. `refused`: not so. */
export type Refused = { readonly error: { readonly kind: 'away' | 'missing' | 'refused'; readonly message: string } };

/** A page that becomes a file: the programs whose code, prompts and answers are written, and the number of all. */
export type Progress = { readonly done: number; readonly of: number };

/** POST session: the stand-in of the token for a week; null where none is wanted. */
export type Session = { readonly session: string | null };

/** The server that a page came from. */
export type Site = {
  readonly version: string;
  /** The installation whose page it is; left out in a file. */
  readonly home?: { readonly id: string; readonly name: string };
  /** Why actions cannot be done here; null where they can. */
  readonly readOnly: string | null;
  /** The server has the site of the docs at /docs/. */
  readonly docs: boolean;
  /** The run of a page that was exported to a file, null where it is of several; null on a server. */
  readonly exported: { readonly run: string | null; readonly at: string } | null;
};
