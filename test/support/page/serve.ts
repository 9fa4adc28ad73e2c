// The page over a store of the test: the server's own app in the test's process, without a stack. And that of a home.
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../../activities/store/store.ts';
import { type ServedPage, servedPage } from '../../../client/connect/page-address.ts';
import { nameOf, resolveHome } from '../../../deploy/host/home.ts';
import { bundle, type Files } from '../../../page/bundle.ts';
import { createApp } from '../../../page/server/app.ts';
import { goalsOfRuns, readGoals } from '../../../page/server/site/goals.ts';
import { RowsOfRuns } from '../../../page/server/rows/rows-of-runs.ts';
import { serverOf } from '../../../page/server/serve.ts';
import { looksAt, unansweredOf } from '../../../page/server/site/looks.ts';
import { pageFolder } from '../../../page/server/rows/row-files.ts';
import type { Site } from '../../../page/server/site/site.ts';
import { type TestHome, until } from '../machine/home.ts';

/** Where the bundle stays from test to test. */
const KEPT = join(import.meta.dirname, '..', '..', '..', '.evolve', 'tests', 'page');

export const pageFiles = (): Promise<Files> => bundle(KEPT);

/** A site whose home is empty, so that there is neither an engine nor another database than the store. */
export const siteOver = (store: Store): Site => {
  const folder = mkdtempSync(join(tmpdir(), 'evolve-page-'));
  const { TEMPORAL_ADDRESS: _address, TEMPORAL_PROFILE: _profile, MONGODB_URI: _uri, ...env } = process.env;
  const own = { ...env, EVOLVE_HOME: folder };
  const opened = async (): Promise<Store> => store;
  const place = { home: resolveHome(own), env: own };
  const rows = new RowsOfRuns(opened, pageFolder(place.home));
  return {
    place,
    store: opened,
    looks: looksAt(opened),
    rows,
    known: goalsOfRuns((run) => readGoals(store, run)),
    withUnanswered: unansweredOf(opened),
    openStep: async () => null,
    engine: { acted: () => undefined, asTheyStand: async (runs) => ({ runs, note: null }) },
    about: () => ({
      ...{ version: 'test', readOnly: null, docs: false, exported: null },
      home: { id: place.home.hash, name: nameOf(place.home) },
    }),
    // eslint-disable-next-line require-yield
    watch: async function* () {
      throw new Error('no engine in this test');
    },
    async close() {
      await rows.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export type Served = { readonly url: string; readonly site: Site; stop(): Promise<void> };

export const servePage = async (store: Store): Promise<Served> => {
  const site = siteOver(store);
  const app = createApp(site, await pageFiles());
  const server = serverOf(app).listen(0, '127.0.0.1');
  await new Promise<void>((resolve) => server.once('listening', () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    site,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await site.close();
    },
  };
};

/** The page of a home that is up. `up` does not wait for the page, so who needs it does. */
export const pageOfHome = ({ env }: TestHome): Promise<ServedPage> =>
  until('the page of a home', 120_000, async () => {
    const page = servedPage({ home: resolveHome(env) });
    if (page === null) return null;
    const answers = await fetch(page.url).then(
      ({ ok }) => ok,
      () => false,
    );
    return answers ? page : null;
  });
