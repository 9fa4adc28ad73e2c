// The address of the page of a home.
import { processesOf, readUp } from '../../deploy/supervisor/plan.ts';
import { PAGE } from '../../deploy/supervisor/page-child.ts';
import type { Place } from './connection.ts';

export type ServedPage = {
  readonly url: string;
  readonly pid: number;
  /** The file with the token for which it asks; null where it asks for none. */
  readonly tokenFile: string | null;
};

/** The page that `evolve up` keeps running; null where none is. One that is just being started again counts. */
export const servedPage = ({ home }: Pick<Place, 'home'>): ServedPage | null => {
  const page = processesOf(home).find(({ name, alive }) => name === PAGE && alive);
  if (!page?.port) return null;
  return { url: `http://127.0.0.1:${page.port}`, pid: page.pid, tokenFile: readUp(home)?.page?.tokenFile ?? null };
};

/** The address for people. The token itself stays in its file, because printed text may be kept anywhere. */
export const pageText = ({ url, tokenFile }: Omit<ServedPage, 'pid'>): string =>
  tokenFile === null ? url : `${url} (with #token=<what is in ${tokenFile}> behind it)`;

/** The view of a run; null where no page is served. */
export const pageOf = (place: Pick<Place, 'home'>, run: string): string | null => {
  const page = servedPage(place);
  return page === null ? null : `${page.url}/#/run/${encodeURIComponent(run)}`;
};
