// Where the page of a home is served, for whoever prints addresses.
import { processesOf } from '../deploy/supervisor/plan.ts';
import { PAGE } from '../deploy/supervisor/page-child.ts';
import type { Place } from './connection.ts';

export type ServedPage = { readonly url: string; readonly pid: number };

/** The page that `evolve up` keeps running; null where none is. One that is just being started again counts. */
export const servedPage = ({ home }: Pick<Place, 'home'>): ServedPage | null => {
  const page = processesOf(home).find(({ name, alive }) => name === PAGE && alive);
  return page?.port ? { url: `http://127.0.0.1:${page.port}`, pid: page.pid } : null;
};

/** The view of a run; null where no page is served. */
export const pageOf = (place: Pick<Place, 'home'>, run: string): string | null => {
  const page = servedPage(place);
  return page === null ? null : `${page.url}/#/run/${encodeURIComponent(run)}`;
};
