// What every answer is made of: the parts of a home, opened when they are first asked for, and what may be done here.
import type { Hono } from 'hono';
import type { Store } from '../../../activities/store/store.ts';
import { openParts, type Place, temporalUi } from '../../../client/connection.ts';
import { MissingError, UsageError } from '../../../client/errors.ts';
import { workflowsUrl } from '../../../client/ui-views.ts';
import type { Refused, Site as SiteAnswer } from '../../data/live.ts';

/** Adds the answers of a subject below `/api`. */
export type Answers = (app: Hono, site: Site) => void;

export type Site = {
  readonly place: Place;
  /** Throws MissingError where the database does not answer. */
  readonly store: () => Promise<Store>;
  readonly about: () => SiteAnswer;
  readonly close: () => Promise<void>;
};

export const openSite = (place: Place, { version, readOnly }: Pick<SiteAnswer, 'version' | 'readOnly'>): Site => {
  const parts = openParts(place);
  return {
    place,
    store: parts.store,
    about() {
      const ui = temporalUi(place);
      return { version, readOnly, temporal: ui === null ? null : workflowsUrl(ui), exported: null };
    },
    close: parts.close,
  };
};

const away = (error: unknown): boolean =>
  error instanceof MissingError ||
  /^Mongo(Network|ServerSelection|NotConnected|Topology)/.test((error as Error)?.name ?? '');

/** An error as a page is told of it, and the status of the answer. */
export const refusalOf = (error: unknown): readonly [Refused, 404 | 503 | 500] => {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return [{ error: { kind: 'missing', message } }, 404];
  if (away(error)) return [{ error: { kind: 'away', message } }, 503];
  return [{ error: { kind: 'away', message: `the server of this page met a fault: ${message}` } }, 500];
};
