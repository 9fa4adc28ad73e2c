// The address of the page of a home.
import { setTimeout as sleep } from 'node:timers/promises';
import { type LiveProcess, processesOf, readUp } from '../../deploy/supervisor/plan.ts';
import { PAGE, pageAnswers } from '../../deploy/supervisor/page-child.ts';
import type { Place } from './connection.ts';

export type ServedPage = {
  readonly url: string;
  readonly pid: number;
  /** The file with the token for which it asks; null where it asks for none. */
  readonly tokenFile: string | null;
};

type At = Pick<Place, 'home'>;

/** The process of the page that `evolve up` keeps running, also while it is started again. */
export const pageProcessOf = ({ home }: At): LiveProcess | undefined =>
  processesOf(home).find(({ name }) => name === PAGE);

/** The page that `evolve up` keeps running; null where none listens. */
export const servedPage = (place: At): ServedPage | null => {
  const page = pageProcessOf(place);
  if (!page?.port || !page.healthy) return null;
  return {
    url: `http://127.0.0.1:${page.port}`,
    pid: page.pid,
    tokenFile: readUp(place.home)?.page?.tokenFile ?? null,
  };
};

/** The page that `evolve up` keeps running, once this home's page answers at its address. */
export const answeringPage = async (place: At, patienceMs: number): Promise<ServedPage | null> => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const page = servedPage(place);
    if (page !== null && (await pageAnswers(place.home, page.url, page.tokenFile))) return page;
    if (performance.now() > deadline) return null;
    await sleep(100);
  }
};

/** The address for people. The token itself stays in its file, because printed text may be kept anywhere. */
export const pageText = ({ url, tokenFile }: Omit<ServedPage, 'pid'>): string =>
  tokenFile === null ? url : `${url} (with #token=<what is in ${tokenFile}> behind it)`;

/** The view of a run; null where no page is served. */
export const pageOf = (place: At, run: string): string | null => {
  const page = servedPage(place);
  return page === null ? null : `${page.url}/#/run/${encodeURIComponent(run)}`;
};
