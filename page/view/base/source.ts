// The source of a page's answers: the server that it came from, or, for a page that was exported, itself. Views ask
// by path and do not know which it is.
import type { VerbName } from '../../api/actions/actions.ts';
import type { ColumnSet } from '../../api/rows/columns.ts';
import type { LiveEvent, Site } from '../../api/site/live.ts';

export class SourceError extends Error {
  readonly kind: 'away' | 'missing' | 'refused';

  constructor(kind: SourceError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The server wants its token first. `why` is the fault of the one that it got; null where it got none. */
export class TokenWanted extends SourceError {
  readonly why: string | null;

  constructor(message: string, why: string | null) {
    super('refused', message);
    this.why = why;
  }
}

export type Source = {
  readonly site: Site;
  /** An answer by its path, such as `runs/demo/overview`. Throws SourceError. */
  json<T>(path: string, signal?: AbortSignal): Promise<T>;
  bytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer>;
  /** An answer that comes line by line, one JSON value a line. */
  lines<T>(path: string, onLine: (value: T) => void, signal?: AbortSignal): Promise<void>;
  /**
   * News of one run, or of the list of runs where `run` is null, until the returned function is called. `wants` are the
   * sets whose new rows come with the news; they come to all who follow the run. While nobody sees the page, news come
   * only to `evenHidden`.
   */
  follow(
    run: string | null,
    on: (event: LiveEvent) => void,
    wants?: readonly ColumnSet[],
    evenHidden?: boolean,
  ): () => void;
  /** Does the same as the command of this name. Throws SourceError with the command's own words. */
  act<T>(verb: VerbName, body: object): Promise<T>;
};
